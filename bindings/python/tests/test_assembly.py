"""Context of many sources: providers of the host, how they end, and plans."""

import gc
import json
import subprocess
import sys
import threading
import time
import weakref

import pytest
from conftest import fill

import stele

PROMPT = "Which DynamoDB table holds our sessions?"


def outcomes(context):
    return {outcome.provider: outcome for outcome in context.outcomes}


def test_one_call_gives_record_and_providers_in_one_text_with_one_report(record):
    fill(record).rule("Money is integers", statement="Keep amounts in cents.", mandatory=True)
    asked = []

    def tickets(request):
        asked.append(request)
        assert not request.cancelled and 0 < request.remaining <= 2.0
        return [
            stele.ProviderEntry(
                "PAY-12 is open", source={"uri": "jira:PAY-12", "revision": "7"}, fetched_at="2026-05-06", review_at="2026-05-07"
            ),
            "PAY-13 is closed",
        ]

    providers = [stele.provider("tickets", tickets, position=1), stele.provider("branch", lambda request: "main", category="system")]
    context = record.assemble(PROMPT, session="s1", providers=providers, action="edit", now="2026-06-01")
    request = asked[0]
    assert (request.provider, request.prompt, request.session, request.turn) == ("tickets", PROMPT, "s1", 0)
    assert (request.mode, request.action, request.point, request.token_budget) == ("work", "edit", "prompt", 2000)
    assert "Keep amounts in cents." in context.text and "PAY-12 is open" in context.text and "ADR-7" in str(context.record.entries)
    found = outcomes(context)
    assert (found["tickets"].result, found["tickets"].entries, found["tickets"].category) == ("included", 2, "memory")
    assert found["tickets"].error is None and found["branch"].result == "included"
    assert [section.provider for section in context.sections if section.provider in ("tickets", "branch")] == ["tickets", "branch"]
    assert len(context.digest) == 64 and context.item_id is None and context.chars == len(context.text)
    assert context.render() == context.text
    told = json.loads(context.render("json"))
    assert told["text"] == context.text and [outcome["result"] for outcome in told["outcomes"]] == [outcome.result for outcome in context.outcomes]
    assert repr(context).startswith("Context(turn=0, text='")


def test_a_provider_that_raises_keeps_its_exception_and_takes_nothing_from_the_others(record):
    fault = RuntimeError("the tracker is away")

    def failing(request):
        raise fault

    providers = [stele.provider("failing", failing), stele.provider("well", lambda request: "all is well")]
    context = record.assemble(PROMPT, session=None, providers=providers)
    found = outcomes(context)
    assert (found["failing"].result, found["well"].result) == ("failed", "included")
    assert found["failing"].error is fault and "the tracker is away" in found["failing"].reason
    assert any("failing" in warning for warning in context.warnings)
    with pytest.raises(stele.ProviderError) as caught:
        record.assemble(PROMPT, session=None, providers=providers, strict=True)
    assert caught.value.__cause__ is fault
    assert (caught.value.code, caught.value.details["provider"]) == ("provider_failed", "failing")


def test_what_is_no_answer_is_a_fault_of_its_provider(record):
    def answers(value):
        return stele.provider("odd", lambda request: value)

    for value in (3, [3], b"bytes", {"text": "It rains."}, {"a": 1}.items()):
        outcome = outcomes(record.assemble(PROMPT, session=None, providers=[answers(value)]))["odd"]
        assert outcome.result == "failed" and isinstance(outcome.error, TypeError)
    for value in (None, "", []):
        assert outcomes(record.assemble(PROMPT, session=None, providers=[answers(value)]))["odd"].result == "empty"

    async def coroutine(request):
        return "late"

    outcome = outcomes(record.assemble(PROMPT, session=None, providers=[stele.provider("wrapped", lambda request: coroutine(request))]))["wrapped"]
    assert outcome.result == "failed" and "stele.aio" in outcome.reason


def test_an_object_that_keeps_a_provider_of_its_own_method_is_let_go(record):
    class Host:
        def __init__(self):
            self.provider = stele.provider("own", self.answer)

        def answer(self, request):
            return "mine"

    host = Host()
    assert "mine" in record.assemble(PROMPT, session=None, providers=[host.provider]).text
    gone = weakref.ref(host)
    del host
    gc.collect()
    assert gone() is None


def test_a_provider_that_hangs_is_told_and_not_waited_for(record):
    release, told = threading.Event(), threading.Event()

    def hanging(request):
        while not release.wait(0.01):
            if request.cancelled:
                told.set()
                break
        release.wait(30)
        return "too late"

    provider = stele.provider("hanging", hanging, timeout=0.2, turns="all")
    try:
        context = record.assemble(PROMPT, session=None, providers=[provider, stele.provider("well", lambda request: "well")])
        assert (outcomes(context)["hanging"].result, outcomes(context)["well"].result) == ("timed_out", "included")
        assert told.wait(30)
        again = outcomes(record.assemble(PROMPT, session=None, providers=[provider]))["hanging"]
        assert again.result == "failed" and "still running" in again.reason
    finally:
        release.set()


def test_gates_and_options_are_the_cores(record):
    fill(record)
    providers = [
        stele.provider("first", lambda request: "first"),
        stele.provider("all", lambda request: "all", turns="all"),
        stele.provider("able", lambda request: "able", turns="all", requires=["browser"]),
        stele.provider("record", lambda request: "mine"),
    ]
    found = outcomes(record.assemble(PROMPT, session=None, turn=3, providers=providers))
    assert (found["first"].result, found["all"].result, found["able"].result) == ("turn_gated", "included", "capability_gated")
    assert "able" in record.assemble(PROMPT, session=None, turn=3, providers=providers, capabilities=["browser"]).text
    assert record.assemble(PROMPT, session=None, turn=3, providers=providers).item_id == "local:context:3"
    assert "record" not in outcomes(record.assemble(PROMPT, session=None, builtin=False))
    assert outcomes(record.assemble(PROMPT, session=None, builtin=["record"]))["record"].result == "included"
    assert "Python 3.9" in record.assemble(PROMPT, session=None, system=["Python 3.9"]).text
    for wrong in ({"point": "never"}, {"builtin": ["dreams"]}, {"max_entries": 21}, {"deadline": -1.0}):
        with pytest.raises(stele.InvalidError):
            record.assemble(PROMPT, session=None, **wrong)
    for wrong in ({"provider": ()}, {"providers": [len]}, {"providers": "tickets"}):
        with pytest.raises(TypeError):
            record.assemble(PROMPT, session=None, **wrong)
    with pytest.raises(TypeError):
        record.assemble(PROMPT)
    for wrong in ({"category": "dreams"}, {"turns": "some"}):
        with pytest.raises(stele.InvalidError):
            stele.provider("x", len, **wrong)
    with pytest.raises(TypeError):
        stele.provider("x", 3)


def test_a_prompt_of_a_session_takes_the_same_options(record):
    fill(record)
    session = record.session("s1")
    seen = []
    provider = stele.provider("turns", lambda request: seen.append(request.turn) or "seen", turns="all")
    assert outcomes(session.on_prompt(PROMPT, providers=[provider]))["record"].result == "included"
    again = session.on_prompt(PROMPT, providers=[provider])
    assert seen == [0, 1] and session.turn == 2 and again.item_id == "local:context:1"
    assert again.record.status == "served"


def test_a_plan_gives_its_requests_out_and_takes_answers_in_any_order(record):
    fill(record)
    fault = ValueError("no answer")
    providers = [
        stele.provider("one", None),
        stele.provider("two", None),
        stele.provider("three", None),
        stele.provider("four", None),
        stele.provider("called", lambda request: "called"),
    ]
    plan = record.plan(PROMPT, session=None, providers=providers)
    requests = list(plan)
    assert [request.provider for request in requests] == ["one", "two", "three", "four"] and plan.next() is None
    plan.supply("two", ["second"])
    plan.supply("one", "first")
    plan.fail("three", fault)
    with pytest.raises(stele.InvalidError):
        plan.supply("called", "not asked for")
    assert plan.wait(5)
    context = plan.finish()
    found = outcomes(context)
    assert [found[name].result for name in ("one", "two", "three", "four", "called")] == ["included", "included", "failed", "timed_out", "included"]
    assert found["three"].error is fault
    assert requests[3].cancelled
    with pytest.raises(stele.ConflictError):
        plan.finish()
    other = record.session("s1").plan(PROMPT, providers=[stele.provider("one", None)])
    request = other.next()
    other.drop()
    other.drop()
    assert record.session("s1").turn == 0 and request.provider == "one"


INTERRUPT = """
import os, signal, sys, threading, time, stele

told = threading.Event()
def hanging(request):
    os.kill(os.getpid(), signal.SIGINT)
    while not request.cancelled:
        time.sleep(0.01)
    told.set()

record = stele.open(sys.argv[1])
try:
    record.assemble("Which table holds our sessions?", session=None, providers=[stele.provider("hanging", hanging, timeout=60)], deadline=60)
except KeyboardInterrupt:
    print("interrupted", told.wait(30), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no process is sent an interrupt there")
def test_an_interrupt_ends_the_wait_and_tells_the_provider(tmp_path):
    done = subprocess.run([sys.executable, "-c", INTERRUPT, str(tmp_path / ".stele")], capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.stderr) == ("interrupted True\n", "")


def test_other_threads_run_while_it_waits(record):
    ran = []

    def waits(request):
        # Needs the interpreter's lock again and again, and so does the thread that assembles if it kept it.
        for _ in range(5):
            time.sleep(0.005)
            ran.append(threading.current_thread())
        return "done"

    record.assemble(PROMPT, session=None, providers=[stele.provider("waits", waits)])
    assert len(ran) == 5 and ran[0] is not threading.main_thread()


def test_a_turn_is_taken_up_again_without_a_second_context(record):
    fill(record)
    session = record.session("s1")
    provider = stele.provider("note", lambda request: f"note of turn {request.turn}", turns="all")
    first, second = session.on_prompt(PROMPT, providers=[provider]), session.on_prompt(PROMPT, providers=[provider])
    transcript = [{"id": "1", "role": "user", "text": first.text + PROMPT}, ("2", "an answer")]
    assert record.resume("s1", 0, transcript).action == "skip"
    lacking = record.resume("s1", 1, transcript)
    assert (lacking.action, lacking.text, lacking.item_id, lacking.digest) == ("append", second.text, second.item_id, second.digest)
    assert [outcome["provider"] for outcome in lacking.outcomes] == [outcome.provider for outcome in second.outcomes]
    assert record.resume("s1", 1, [*transcript, (second.item_id, second.text)]).action == "skip"
    assert record.resume("s1", 7, transcript).action == "run"
    for wrong in (["text"], [("1", 2)], [{"id": "1", "words": "x"}]):
        with pytest.raises(TypeError):
            record.resume("s1", 0, wrong)
