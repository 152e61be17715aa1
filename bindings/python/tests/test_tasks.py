"""Tasks through the door: claims as results, tokens, lists, handing over."""

import datetime

import pytest

import stele


def test_losing_a_claim_is_a_result_that_says_who_has_it(record, recorder):
    task = recorder.task("Ship it").id
    won = recorder.claim(task, lease=60)
    assert (won.task, won.granted, won.holder, won.taken_from, won.token) == (task, True, "ana", None, record.head)
    assert won.until - won.since == datetime.timedelta(seconds=60)
    lost = record.recorder(actor="bo", session="s1").claim(task)
    assert (lost.granted, lost.holder, lost.since, lost.until, lost.token) == (False, "ana", won.since, won.until, None)
    node = record.retriever().get(task)
    assert (node.status, node.claim.holder, node.claim.until) == ("claimed", "ana", won.until)
    with pytest.raises(stele.ConflictError) as caught:
        record.recorder(actor="bo").complete(task, summary="Mine now")
    assert caught.value.code == "not_holder"


def test_a_claim_stands_for_its_task_until_it_was_renewed(recorder):
    task = recorder.task("Ship it").id
    stale = recorder.claim(task, lease=datetime.timedelta(minutes=1), holder="the pool")
    fresh = recorder.claim(stale)
    assert (fresh.holder, fresh.since, fresh.token > stale.token) == ("the pool", stale.since, True)
    for call in (lambda: recorder.release(stale), lambda: recorder.complete(stale, summary="Done"), lambda: recorder.claim(stale)):
        with pytest.raises(stele.ConflictError) as caught:
            call()
        assert caught.value.code == "not_holder"
    assert recorder.complete(fresh, summary="Done").status == "completed"


def test_facts_end_with_their_task_and_come_back_with_it(record, recorder):
    task = recorder.task("Ship it").id
    fact = recorder.fact("risk", "The old one may break", resolves_with=task).id
    done = recorder.complete(task, summary="Shipped")
    assert (done.task, done.status, done.resolved, done.hanging, done.revived) == (task, "completed", [fact], [], [])
    assert record.retriever().get(fact).state == "resolved"
    assert recorder.reopen(task, why="It came back").revived == [fact]
    assert recorder.cancel(task, why="No need").hanging == [fact]
    assert record.retriever().get(fact).state == "live"


def test_the_next_task_is_taken_and_given_back(record, recorder):
    part = recorder.component("engine").id
    recorder.task("Any")
    greased = recorder.task("Grease", tags=["oil"], component=part, priority=4).id
    assert [task.title for task in record.retriever().ready()] == ["Any", "Grease"]
    assert [task.id for task in record.retriever().ready(limit=1, tags=["oil"], component=part)] == [greased]
    claim = recorder.claim_next(tags=("oil",), component=part, lease=60)
    assert (claim.task, claim.granted) == (greased, True)
    assert recorder.claim_next(tags=["oil"]) is None
    assert recorder.release(claim) == greased
    recorder.claim(greased)
    assert record.recorder(actor="bo").force_release(greased, why="Ana is away") == greased
    assert record.retriever().get(greased).claim is None


def test_lists_say_who_does_what_and_how_far_it_is(record, recorder):
    epic = recorder.task("All of it", type="epic").id
    first, then = recorder.task("First", alias="T-1").id, recorder.task("Then").id
    for task in (first, then):
        recorder.link(task, "blocks", epic)
    recorder.link(first, "blocks", then)
    record.recorder(actor="ana", session="s1").claim(first)
    (held,) = record.retriever().tasks(holder="ana", status="claimed")
    assert (held.id, held.aliases, held.type, held.priority, held.claim.holder) == (first, ["T-1"], "task", 2, "ana/s1")
    everything = {task.id: task for task in record.retriever().tasks()}
    assert everything[then].blocked_by == [first]
    assert (everything[epic].progress.completed, everything[epic].progress.total) == (0, 2)
    with pytest.raises(stele.InvalidError) as caught:
        record.retriever().tasks(status="blocked")
    assert caught.value.code == "unknown_value"


def test_a_handoff_is_a_text_and_can_be_had_as_it_was(record, recorder):
    task = recorder.task("Ship it", body="By Friday.").id
    before = record.head
    recorder.complete(task, summary="Shipped on Thursday")
    text = record.retriever().handoff(task)
    assert f"{task}  completed" in text and "By Friday." in text and "completed: Shipped on Thursday" in text
    assert f"{task}  open" in record.retriever(as_of=before).handoff(task)


def test_a_container_says_how_far_its_tasks_are(record, recorder):
    epic = recorder.task("Payments", type="epic").id
    for title in ("Refunds", "Invoices"):
        recorder.link(recorder.task(title).id, "blocks", epic)
    recorder.claim("TASK-2")
    recorder.complete("TASK-2", summary="done")
    far = record.retriever().progress(epic)
    assert (far.completed, far.total) == (1, 2)
