"""Two decisions, one of which ends the other, and a question that uses the words of the one that ended."""

import tempfile
from pathlib import Path

import stele

with tempfile.TemporaryDirectory() as folder, stele.open(Path(folder) / ".stele") as record:
    recorder = record.recorder(actor="ana")
    recorder.fact("decision", "Keep sessions in DynamoDB", alias="ADR-1", body="The table is shared with billing.")
    recorder.fact(
        "decision",
        "Keep sessions in PostgreSQL",
        alias="ADR-7",
        body="The DynamoDB table was deleted on 3 March, sessions live in PostgreSQL now.",
    )
    recorder.supersede(
        "ADR-7",
        "ADR-1",
        reason="The table that held the sessions is gone",
        evidence="The DynamoDB table was deleted on 3 March",
    )

    found = record.retriever().retrieve("Which DynamoDB table holds our sessions?")
    print(found.render())
