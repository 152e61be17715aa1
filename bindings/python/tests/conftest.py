"""What the tests share: a fresh record, and a fixed one."""

import signal

import pytest

import stele

# A shell that starts the tests in its background leaves them deaf to an interrupt, which some of them send.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def record(tmp_path):
    with stele.open(tmp_path / ".stele") as opened:
        yield opened


@pytest.fixture
def recorder(record):
    return record.recorder(actor="ana")


def fill(record):
    """Two decisions, one of which ended the other, and a risk."""
    recorder = record.recorder(actor="ana", session="s1")
    at = "2025-03-04T05:06:07Z"
    recorder.fact("decision", "Keep sessions in DynamoDB", alias="ADR-1", body="The table is shared with billing.", created_at=at)
    recorder.fact(
        "decision",
        "Keep sessions in PostgreSQL",
        alias="ADR-7",
        body="The DynamoDB table was deleted on 3 March, sessions live in PostgreSQL now.",
        created_at=at,
    )
    recorder.supersede(
        "ADR-7", "ADR-1", reason="The table that held the sessions is gone", evidence="The DynamoDB table was deleted on 3 March"
    )
    recorder.fact("risk", "Billing still reads the sessions table", body="`billing/read.py` fails with TableNotFound.", created_at=at)
    recorder.link("KNOW-3", "caused-by", "ADR-7", reason="The table is gone")
    return recorder
