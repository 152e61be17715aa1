"""The moments of a session."""

import threading
from pathlib import Path

import pytest
from conftest import fill

import stele

PROMPT = "Which DynamoDB table holds our sessions?"


def test_a_prompt_gets_rules_and_the_window_and_is_not_told_twice(record):
    fill(record).rule("Escape output", statement="Escape every value.", mandatory=True)
    session = record.session("s2")
    assert (session.name, session.mode, session.turn, session.tokens_left) == ("s2", "work", 0, None)
    context = session.on_prompt(PROMPT)
    assert [section.provider for section in context.sections] == ["obligations", "record"]
    assert "Escape every value." in context.sections[0].text and "PostgreSQL" in context.sections[1].text
    assert all(section.text in context.text for section in context.sections)
    assert (context.turn, context.warnings, context.chars, context.tokens) == (0, [], len(context.text), stele.tokens(context.text))
    assert context.obligations.entries[0].title == "Escape output" and context.methodology.entries == []
    assert context.record.status == "found" and context.record.entries[0].title == "Keep sessions in PostgreSQL"
    assert session.turn == 1
    again = record.session("s2").on_prompt(PROMPT)
    assert again.record.status == "served" and again.obligations.pointers[0].pointed == "shown"


def test_options_of_a_prompt_reach_the_core(record, recorder):
    recorder.rule("Tag first", statement="Tag before releasing.", action_triggers=["release"], methodology="skill")
    recorder.rule("Ask", statement="Ask before deleting.", always_on=True, points=["bash"])
    fill(record)
    session = record.session("s")
    context = session.on_prompt(PROMPT, turn=7, action="release", point="bash", max_entries=1, hops=0, deadline=60, now="2026-01-01", deliver=False)
    assert (context.turn, session.turn) == (7, 8)
    assert [entry.title for entry in context.methodology.entries] == ["Tag first"]
    assert [entry.title for entry in context.obligations.entries] == ["Ask"]
    assert len(context.record.entries) == 1 and context.record.now.year == 2026
    assert session.on_prompt(PROMPT, max_tokens=0, deliver=False).record.max_tokens == 0
    for wrong in ({"point": "lunch"}, {"max_entries": 21}, {"hops": 4}, {"turn": -1}, {"deadline": -1}):
        with pytest.raises(stele.InvalidError):
            session.on_prompt(PROMPT, **wrong)
    assert session.turn == 9


def test_nothing_is_served_before_it_is_said_to_be_delivered(record):
    fill(record)
    for give in (
        lambda session: session.on_prompt(PROMPT, deliver=False),
        lambda session: session.on_prompt(PROMPT, deliver=False).record,
        lambda session: record.retriever().retrieve(PROMPT),
    ):
        session = record.session(f"s{id(give)}")
        assert session.on_prompt(PROMPT, deliver=False).record.status == "found"
        what = give(session)
        assert session.on_prompt(PROMPT, deliver=False).record.status == "found"
        session.delivered(what)
        assert session.on_prompt(PROMPT, deliver=False).record.status == "served"
        session.compacted()
        assert session.on_prompt(PROMPT, deliver=False).record.status == "found"


def test_what_was_served_comes_again_with_a_phase_and_with_another_mode(record):
    fill(record)
    session = record.session("s")
    assert session.on_prompt(PROMPT).record.status == "found"
    session.new_phase()
    assert session.on_prompt(PROMPT).record.status == "found"
    session.set_mode("work")
    assert session.on_prompt(PROMPT).record.status == "served"
    session.set_mode("debug")
    assert session.on_prompt(PROMPT).record.status == "found"
    assert record.session("s").mode == "debug"
    assert record.session("s", mode="work").mode == "work"


def test_an_edit_tells_what_is_anchored_there_and_nudges_once(record, recorder, tmp_path):
    recorder.fact("decision", "Limits are a token bucket", anchors=[("src/auth.py", "Limiter")])
    risk = recorder.fact("risk", "The limiter is not fair", anchors=["src/auth.py"]).id
    session = record.session("s")
    moment = session.on_edit(Path("src") / "auth.py", symbol="Limiter")
    assert moment.kind == "edit" and moment.nudge and moment.nudge in moment.text
    assert [entry.id for entry in moment.callouts] == [risk]
    assert [entry.title for entry in moment.entries] == ["Limits are a token bucket"]
    assert moment.text and moment.tokens == stele.tokens(moment.text) and moment.gaps == []
    assert session.on_edit("src/auth.py", symbol="Counter").entries == []
    session.delivered(moment)
    again = session.on_edit("src/auth.py")
    assert (again.text, again.entries, again.callouts, again.nudge) == ("", [], [], None)
    elsewhere = record.session("other", root=tmp_path / "src")
    assert [entry.id for entry in elsewhere.on_edit(tmp_path / "src" / "src" / "auth.py").callouts] == [risk]
    with pytest.raises(stele.InvalidError) as caught:
        session.on_edit("../outside.py")
    assert caught.value.code == "bad_path"


def test_an_error_brings_the_lesson_with_its_words(record, recorder):
    lesson = recorder.fact("lesson", "Run the migration first", body="Otherwise it fails with `relation users does not exist`.").id
    session = record.session("s")
    moment = session.on_output("Traceback …\nERROR: relation users does not exist\n")
    assert (moment.kind, [entry.id for entry in moment.entries]) == ("output", [lesson])
    assert session.on_output("all is well").text == ""


def test_completion_lists_what_the_work_may_have_ended(record, recorder):
    task = recorder.task("Drop the old table").id
    fact = recorder.fact("gap", "The old table is still read", resolves_with=task).id
    session = record.session("s")
    moment = session.on_complete(task)
    assert moment.kind == "complete" and moment.nudge
    assert [entry.id for entry in moment.entries] == [fact]
    assert session.on_complete().nudge is None
    with pytest.raises(stele.NotFoundError):
        session.on_complete("TASK-99")


def test_a_start_tells_what_is_held_where_it_stopped_and_what_happened(record):
    mine, others = record.recorder(actor="ana", session="s"), record.recorder(actor="ben", session="t")
    task = mine.task("Move the sessions").id
    wrote = mine.fact("fyi", "The old table has three readers").id
    mine.claim(task)
    session = record.session("s", actor="ana")
    session.on_prompt("Where do the sessions live?")
    new = others.fact("decision", "Sessions move on Monday").id
    moment = session.on_start()
    assert moment.kind == "start" and [entry.id for entry in moment.entries] == [task]
    assert moment.stopped.turn == 1 and wrote in [node.id for node in moment.stopped.wrote] and moment.stopped.at.tzinfo
    (happened,) = moment.happened
    assert (happened.node.id, happened.class_, happened.what, happened.actor) == (new, "decision", "new", "ben")
    assert happened.sequence == record.head and moment.happened_more == 0 and new in moment.text
    elsewhere = record.session("another", actor="ana").on_start()
    assert task in [entry.id for entry in elsewhere.entries]


def test_a_pause_keeps_all_but_the_obligations_still(record, recorder):
    fill(record)
    recorder.rule("Escape output", statement="Escape every value.", mandatory=True)
    recorder.fact("risk", "Careful", anchors=["a.py"])
    session = record.session("s")
    session.pause(2)
    assert session.on_edit("a.py").text == ""
    context = session.on_prompt(PROMPT)
    assert context.record.status == "paused" and "Escape every value." in context.text
    session.unpause()
    assert session.on_edit("a.py").text
    with pytest.raises(stele.InvalidError):
        session.pause(-1)


def test_a_quiet_session_gets_five_entries(record, recorder):
    for number in range(9):
        recorder.fact("fyi", f"Note {number} on the parser", anchors=["parser.py"])
    session = record.session("s")
    session.set_aggressiveness("quiet")
    assert len(session.on_edit("parser.py").entries) == 5
    session.set_aggressiveness("normal")
    assert len(session.on_edit("parser.py").entries) == 9
    with pytest.raises(stele.InvalidError) as caught:
        session.set_aggressiveness("loud")
    assert caught.value.code == "unknown_value"


def test_a_budget_is_spent_by_what_is_delivered(record):
    fill(record)
    session = record.session("s", token_budget=500)
    assert session.tokens_left == 500
    context = session.on_prompt(PROMPT)
    assert session.tokens_left < 500 and context.record.max_tokens == 500
    assert record.session("s").tokens_left == session.tokens_left


def test_a_session_is_refused_a_blank_name_and_a_closed_record(record):
    for wrong in ({"name": " "}, {"name": "s", "mode": ""}, {"name": "s", "actor": " "}, {"name": "s", "token_budget": -1}):
        with pytest.raises(stele.InvalidError):
            record.session(**wrong)
    session = record.session("s")
    record.close()
    for call in (
        session.on_start,
        lambda: session.on_prompt(PROMPT),
        lambda: session.on_edit("a.py"),
        lambda: session.on_output("text"),
        session.on_complete,
        session.compacted,
        session.new_phase,
        session.unpause,
        lambda: session.mode,
        lambda: session.turn,
        lambda: record.session("s"),
    ):
        with pytest.raises(stele.ClosedError):
            call()
    assert session.name == "s"


def test_results_outlive_the_record_and_cannot_be_changed(tmp_path):
    with stele.open(tmp_path / ".stele") as record:
        fill(record).fact("risk", "Careful", anchors=["a.py"])
        session = record.session("s")
        context, moment, start = session.on_prompt(PROMPT), session.on_edit("a.py"), session.on_start()
    assert context.record.entries[0].id == "KNOW-2" and context.record.render() == context.sections[-1].text
    assert moment.callouts[0].title == "Careful" and start.stopped.turn == 1
    for result in (context, moment, start, context.sections[0], start.stopped):
        name = type(result).__name__
        assert repr(result).startswith(f"{name}(")
        with pytest.raises(AttributeError):
            result.text = "changed"
    moment.callouts.clear()
    assert len(moment.callouts) == 1


def test_a_session_keeps_its_record_open(tmp_path):
    session = stele.open(tmp_path / ".stele").session("s")
    session.on_prompt("Anything about the sessions?")
    assert session.turn == 1


def test_each_thread_has_its_session_and_threads_share_one(record):
    fill(record)
    shared, failed, found = record.session("shared"), [], {}

    def work(name):
        try:
            own = record.session(name)
            found[name] = [own.on_prompt(PROMPT).record.status for _ in range(3)]
            shared.on_prompt("Tell me about billing and the table")
            assert own.turn == 3
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(f"s{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert set(map(tuple, found.values())) == {("found", "served", "served")} and len(found) == 6
    assert shared.turn == 6


def test_what_was_delivered_may_be_told_by_another_process_as_a_text(record):
    fill(record)
    session = record.session("s1")
    prompt = "Which DynamoDB table holds our sessions?"
    context = session.on_prompt(prompt, deliver=False)
    found = record.retriever().retrieve(prompt, session="s1")
    assert context.delivery and found.delivery and session.on_edit("billing/read.py").delivery
    record.session("s1").delivered(context.delivery)
    assert session.on_prompt(prompt).record.status == "served" and session.edited
    for wrong in ("words", "{}"):
        with pytest.raises(stele.InvalidError):
            session.delivered(wrong)
    with pytest.raises(TypeError):
        session.delivered(3)
