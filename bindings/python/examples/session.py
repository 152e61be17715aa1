"""An agent's session: what the record says at each moment. Nothing that was delivered is told a second time."""

import tempfile
from pathlib import Path

import stele

with tempfile.TemporaryDirectory() as folder, stele.open(Path(folder) / ".stele") as record:
    recorder = record.recorder(actor="ana")
    recorder.rule("Money is integers", statement="Keep amounts in cents, never in floats.", mandatory=True)
    recorder.fact("risk", "Refunds are not idempotent", body="A retried refund pays twice.", anchors=["pay/refunds.py"])
    recorder.fact("lesson", "Load the rate table first", body="Tests fail with `RateTableEmpty` until `make rates` has run.")

    session = record.session("tuesday")
    print(session.on_prompt("How are partial refunds paid out?").text)

    moment = session.on_output("E   RateTableEmpty: no rate for EUR")
    print(moment.text)
    session.delivered(moment)  # a prompt's context counts as delivered by itself

    again = session.on_output("E   RateTableEmpty: no rate for EUR")
    print("again:", again.text or "nothing")
