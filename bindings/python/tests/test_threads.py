"""Threads: calls let others run, and one record serves many."""

import sys
import threading
import time

from conftest import fill


def test_a_call_lets_other_threads_run(record):
    fill(record)
    retriever = record.retriever()
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
            retriever.retrieve("Which DynamoDB table holds our sessions?")
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
