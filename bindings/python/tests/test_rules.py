"""Rules: obligations, methodology, and the life of a proposed rule."""

import json

import pytest

import stele


def test_obligations_carry_every_mandatory_rule(record, recorder):
    must = recorder.rule("Escape output", statement="Escape every value.", mandatory=True, points=["write"], severity="high")
    recorder.rule("Honest", statement="Say what was run.", forbidden=["Done!"], instead="Say what is left.")
    recorder.rule("Ordinary", statement="Prefer tabs.")
    retriever = record.retriever()
    given = retriever.rules(mode="conversation", text="hello", cap=1)
    assert [entry.title for entry in given.entries] == ["Honest"]
    assert [(entry.id, entry.pointed, entry.statement) for entry in given.pointers] == [(must.id, "not_here", "Escape every value.")]
    assert given.over_budget and given.tokens == sum(entry.tokens for entry in given.entries + given.pointers)
    assert "Escape every value." in given.render() and "OVER BUDGET" in given.render()
    assert json.loads(given.render("json"))["version"] == 1
    here = retriever.rules(point="write")
    assert [entry.title for entry in here.entries] == ["Escape output", "Honest"] and not here.over_budget
    with pytest.raises(stele.InvalidError):
        retriever.rules(point="lunch")


def test_methodology_says_which_channel_called(record, recorder):
    recorder.rule("Floor", statement="Plan first.", floor_modes=["debug"], methodology="playbook")
    recorder.rule("Push", statement="Tag first.", action_triggers=["release"], methodology="skill")
    recorder.rule("Pull", statement="Read the ABI notes.", keywords=["C++"], methodology="technique")
    called = record.retriever().methodology(mode="debug", action="release", text="a C++ file")
    assert [(entry.channel, entry.title) for entry in called.entries] == [("floor", "Floor"), ("push", "Push"), ("pull", "Pull")]
    assert called.entries[2].matched == 1 and called.left == 0 and not called.over_budget
    assert "Plan first." in called.render()
    assert record.retriever().methodology(mode="work").entries == []


def test_a_rule_is_proposed_observed_and_promoted(record, recorder):
    proposal = recorder.propose("Close sockets", statement="Every socket is closed in a finally block")
    assert proposal.accepted and proposal.refused == []
    again = recorder.propose("Close sockets", statement="Every socket is closed in a finally block", mandatory=True)
    assert not again.accepted and again.id is None
    assert [refusal.reason for refusal in again.refused] == ["duplicate", "unchecked"] and again.refused[0].ids == [proposal.id]
    assert recorder.feedback(proposal.id, "helped", key="run-1").counted
    assert not recorder.feedback(proposal.id, "hurt", key="run-1").counted
    for _ in range(49):
        counted = recorder.feedback(proposal.id, "helped")
    assert counted.ready and (counted.helped, counted.hurt) == (50, 0) and counted.lower_bound > 0.9
    with pytest.raises(stele.InvalidError) as refused:
        recorder.promote(proposal.id, approval="signed")
    assert refused.value.code == "not_permitted"
    host = record.recorder(actor="host", may_promote=True)
    assert host.promote(proposal.id, approval="signed") == proposal.id
    recorder.revise(proposal.id, statement="Every socket and file is closed in a finally block")
    assert record.retriever().feedback(proposal.id).helped == 0
    with pytest.raises(stele.InvalidError):
        recorder.feedback(proposal.id, "liked")
