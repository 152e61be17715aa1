"""Several writes as one atomic step."""

import os
import subprocess
import sys
import threading

import pytest

import stele


def test_a_with_statement_is_one_step_that_nobody_sees_before_its_end(record, recorder):
    with recorder.transaction() as all_of_it:
        all_of_it.fact("fyi", "A")
        all_of_it.fact("fyi", "B", alias="b-1")
        all_of_it.link("KNOW-1", "relates-to", "b-1")
        assert record.head == 0
        with pytest.raises(stele.NotFoundError):
            record.retriever().get("KNOW-1")
    assert record.head == 3


def test_an_exception_takes_all_of_it_back_and_is_the_hosts_own(record, recorder):
    fault = RuntimeError("changed my mind")
    with pytest.raises(RuntimeError) as caught, recorder.transaction() as all_of_it:
        all_of_it.fact("fyi", "Never")
        raise fault
    assert caught.value is fault and record.head == 0
    with pytest.raises(KeyboardInterrupt), recorder.transaction() as all_of_it:
        all_of_it.fact("fyi", "Never")
        raise KeyboardInterrupt
    assert recorder.fact("fyi", "The first").id == "KNOW-1"


def test_a_verb_that_fails_inside_changes_nothing_and_the_rest_goes_on(record, recorder):
    with recorder.transaction() as all_of_it:
        all_of_it.fact("fyi", "A")
        with pytest.raises(stele.InvalidError):
            all_of_it.fact("fyi", "")
    assert record.head == 1


def test_the_recorder_itself_writes_in_its_transaction(record, recorder):
    with recorder.transaction():
        recorder.fact("fyi", "A")
        recorder.fact("fyi", "B")
        assert record.head == 0
    assert record.head == 2
    with pytest.raises(RuntimeError), recorder.transaction():
        recorder.fact("fyi", "C")
        raise RuntimeError
    assert record.head == 2


def test_another_thread_is_outside_of_it_unless_it_has_its_recorder(record, recorder):
    outside, order = [], []

    def waits():
        outside.append(recorder.fact("fyi", "Outside").id)
        order.append("outside")

    with recorder.transaction() as all_of_it:
        recorder.fact("fyi", "A")
        inside = threading.Thread(target=lambda: all_of_it.fact("fyi", "B"))
        inside.start()
        inside.join()
        other = threading.Thread(target=waits)
        other.start()
        order.append("end")
    other.join()
    assert order == ["end", "outside"] and outside == ["KNOW-3"]


def test_transactions_lie_in_transactions(record, recorder):
    with recorder.transaction() as outer:
        outer.fact("fyi", "Kept")
        with pytest.raises(RuntimeError), outer.transaction() as inner:
            inner.fact("fyi", "Undone")
            raise RuntimeError
        with recorder.transaction():
            recorder.fact("fyi", "Kept too")
    assert record.head == 2 and record.retriever().get("KNOW-2").title == "Kept too"


def test_credentials_are_refused_inside_too_unless_a_verb_allows_them(recorder):
    token = "AKIA" + "Q3EGRAMNZ7RKXW5T"
    with recorder.transaction() as all_of_it:
        id = all_of_it.fact("fyi", "A").id
        with pytest.raises(stele.InvalidError) as caught:
            all_of_it.archive(id, why=token)
        assert caught.value.code == "secret"
        assert all_of_it.archive(id, why=token, allow_secrets=True) == id


def test_a_transaction_is_for_one_with_statement(recorder):
    once = recorder.transaction()
    with once as all_of_it:
        pass
    with pytest.raises(stele.ConflictError), once:
        pass
    with pytest.raises(stele.ConflictError) as caught:
        all_of_it.fact("fyi", "Late")
    assert caught.value.code == "wrong_state"


def test_a_transaction_that_takes_too_long_is_taken_back_and_says_so(record, recorder):
    with pytest.raises(stele.BusyError) as caught, recorder.transaction() as all_of_it:
        all_of_it.fact("fyi", "Too slow")
        # Another recorder waits for the lock, which is taken away from the transaction.
        record.recorder(actor="ben").fact("fyi", "In time")
    assert caught.value.code == "transaction_timeout" and caught.value.retryable
    assert record.head == 1


FORK = """
import os, sys, stele
with stele.open(sys.argv[1]) as record:
    recorder = record.recorder(actor="ana")
    with recorder.transaction() as step:
        step.fact("fyi", "Of the parent")
        child = os.fork()
        if child == 0:
            try:
                step.fact("fyi", "Of the child")
            except stele.SteleError as error:
                print(error.code, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
    print(record.head)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked there")
def test_a_forked_child_has_no_part_in_a_transaction(tmp_path):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORK, str(tmp_path / ".stele")], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("forked\n1\n", "")
