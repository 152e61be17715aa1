"""One call gives an agent its context: rules, what the record knows, and what a host's own sources say."""

import tempfile
from pathlib import Path

import stele


def tickets(request: stele.Request) -> "list[stele.ProviderEntry]":
    # Runs on a thread of its own, and is waited for until its timeout. What it raises stands in its outcome.
    return [stele.ProviderEntry("PAY-12: partial refunds fail for EUR", source="tracker:PAY-12", applies_to="payments")]


with tempfile.TemporaryDirectory() as folder, stele.open(Path(folder) / ".stele") as record:
    with record.recorder(actor="ana").transaction() as step:  # all of it, or nothing
        step.rule("Money is integers", statement="Keep amounts in cents, never in floats.", mandatory=True)
        step.fact("risk", "Refunds are not idempotent", body="A retried refund pays twice.")

    context = record.assemble(
        "How are partial refunds paid out?",
        session="tuesday",
        providers=[stele.provider("tickets", tickets, timeout=1.0)],
        about=["payments"],
    )
    print(context.text)
    print([(outcome.provider, outcome.result) for outcome in context.outcomes if outcome.result == "included"])
