"""Threads: calls let others run, and one record serves many."""

import sys
import threading
import time

import pytest
from conftest import fill

PROMPT = "Which DynamoDB table holds our sessions?"
CALLS = {
    "retrieve": lambda retriever, session: retriever.retrieve(PROMPT),
    "on_prompt": lambda retriever, session: session.on_prompt(PROMPT, deliver=False),
    "on_start": lambda retriever, session: session.on_start(),
    "on_edit": lambda retriever, session: session.on_edit("billing/read.py"),
    "on_output": lambda retriever, session: session.on_output("billing/read.py: TableNotFound"),
    "on_complete": lambda retriever, session: session.on_complete(),
    "compacted": lambda retriever, session: session.compacted(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_a_call_lets_other_threads_run(record, call):
    fill(record)
    retriever, session = record.retriever(), record.session("s")
    # Once before, because what is imported at the first call gives the lock away too.
    call(retriever, session)
    ready, stop, turns = threading.Event(), threading.Event(), [0]

    def count():
        ready.set()
        while not stop.is_set():
            turns[0] += 1
            time.sleep(0)

    interval = sys.getswitchinterval()
    other = threading.Thread(target=count)
    other.start()
    ready.wait()
    # From here on the interpreter takes its lock from nobody: the other thread moves only while a call gives it away.
    sys.setswitchinterval(3600)
    try:
        before = turns[0]
        calls = 0
        while turns[0] == before and calls < 1000:
            call(retriever, session)
            calls += 1
        moved = turns[0] > before
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        other.join()
    assert moved


def test_threads_share_a_recorder_and_a_retriever(record):
    recorder, retriever, failed = record.recorder(actor="ana"), record.retriever(), []

    def work(name):
        try:
            for number in range(5):
                recorder.fact("fyi", f"Fact {number} of {name}", alias=f"{name}-{number}")
                assert retriever.get(f"{name}-{number}").title == f"Fact {number} of {name}"
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert record.head == 15
