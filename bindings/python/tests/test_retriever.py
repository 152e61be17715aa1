"""The reading side: windows, hits and single nodes; results that stay as they are."""

import datetime
import json

import pytest

import stele
from conftest import fill

PROMPT = "Which DynamoDB table holds our sessions?"


def test_a_fixed_record_gives_the_same_bytes_each_time(tmp_path):
    now = datetime.datetime(2025, 6, 1, tzinfo=datetime.timezone.utc)
    texts = []
    for folder in ("one", "two"):
        with stele.open(tmp_path / folder) as record:
            fill(record)
            found = record.retriever().retrieve(PROMPT, now=now)
            texts.append((found.render(), found.render("json")))
    assert texts[0] == texts[1]
    assert texts[0][0].index("KNOW-2 ADR-7") < texts[0][0].index("KNOW-1 ADR-1")


def test_a_window_tells_what_ended_and_why(record):
    fill(record)
    found = record.retriever().retrieve(PROMPT)
    assert found.status == "found"
    first = next(entry for entry in found.entries if entry.id == "KNOW-2")
    assert (first.aliases, first.kind, first.category, first.state) == (["ADR-7"], "knowledge", "decision", "live")
    (old,) = first.replaces
    assert (old.id, old.title, old.unverified) == ("KNOW-1", "Keep sessions in DynamoDB", False)
    assert first.reason == old.reason == "The table that held the sessions is gone"
    assert first.evidence == "The DynamoDB table was deleted on 3 March"
    assert first.tokens > 0 and first.explain and first.created_at.year == 2025
    assert isinstance(first.score, float) and first.score_parts.category > 0
    walked = [entry for entry in found.entries + found.callouts if entry.from_ is not None]
    assert all(entry.via and entry.from_.id.startswith("KNOW-") for entry in walked)
    assert found.stats.head == record.head


def test_json_and_attributes_agree(record):
    fill(record)
    found = record.retriever().retrieve(PROMPT)
    written = json.loads(found.render("json"))
    for entry, form in zip(found.entries, written["entries"]):
        assert (entry.id, entry.title, entry.role, entry.tokens, entry.explain) == (
            form["id"], form["title"], form["role"], form["tokens"], form["explain"],
        )
        assert entry.score == pytest.approx(form["score"])
    with pytest.raises(stele.InvalidError):
        found.render("xml")


def test_how_a_lookup_ends_is_a_status_not_an_error(record):
    assert record.retriever().retrieve("Which database do we use?").status == "empty"
    fill(record)
    assert record.retriever().retrieve("ok").status == "too_short"
    assert record.retriever().retrieve(PROMPT, deadline=datetime.timedelta(0)).status in ("late", "found")


def test_a_session_is_not_served_twice(record):
    fill(record)
    retriever = record.retriever()
    assert retriever.retrieve(PROMPT, session="s1", deliver=True).status == "found"
    assert retriever.retrieve(PROMPT, session="s1").status == "served"


def test_results_are_frozen_and_outlive_the_record(tmp_path):
    with stele.open(tmp_path / ".stele") as record:
        recorder = fill(record)
        found = record.retriever().retrieve(PROMPT)
        hits = record.retriever().search("sessions")
        recorded = recorder.fact("fyi", "One more")
        node = record.retriever().get("ADR-1")
    for result in (found, found.entries[0], found.stats, hits[0], recorded, node):
        for name in [name for name in dir(result) if not name.startswith("_")]:
            with pytest.raises(AttributeError):
                setattr(result, name, None)
    found.entries.clear()
    assert found.entries and found.render()
    assert repr(recorded.advice) and repr(node).startswith("Node(id='KNOW-1', aliases=['ADR-1'], kind='knowledge'")
    assert repr(found).startswith("Retrieval(status='found', entries=[Entry(id='KNOW-")


def test_search_filters(record):
    recorder = fill(record)
    recorder.task("Move the sessions of the web application", tags=["web"])
    search = record.retriever().search
    assert {hit.kind for hit in search("sessions", kinds=["task"])} == {"task"}
    assert {hit.category for hit in search("sessions", categories={"risk"})} == {"risk"}
    assert [hit.id for hit in search("sessions", states=["retired"])] == ["KNOW-1"]
    assert [hit.kind for hit in search("sessions", tags=["web"])] == ["task"]
    assert len(search("sessions", limit=1)) == 1
    assert search("sessions", until="2020-01-01") == []
    (hit,) = search("sessions DynamoDB table deleted", limit=1, mode="text")
    assert hit.text_rank == 1 and hit.semantic_rank is None and hit.snippet and hit.title


def test_recall_looks_further(record):
    fill(record)
    briefing = record.retriever().recall("Where do sessions live?", seeds=5, depth=1)
    assert briefing.status == "found" and briefing.briefing


def test_a_node_tells_its_neighbours_history_and_reasons(record):
    fill(record)
    retriever = record.retriever()
    assert [found.id for found in retriever.neighbours("ADR-7", relations=["supersedes"], direction="out")] == ["KNOW-1"]
    items = retriever.history("ADR-1")
    assert items[0].action == "create" and items[0].actor == "ana" and items[0].session == "s1"
    assert [item.sequence for item in items] == sorted(item.sequence for item in items)
    why = retriever.why("ADR-7")
    assert why.node.id == "KNOW-2"
    assert [(origin.replacement.id, origin.by, origin.depth) for origin in why.replaced] == [("KNOW-1", "KNOW-2", 1)]
    assert retriever.conflicts() == []


def test_the_past_is_read_by_sequence_and_by_time(record):
    fill(record)
    assert record.retriever(as_of=1).get("KNOW-1").state == "live"
    assert record.retriever().get("KNOW-1").state == "retired"
    with pytest.raises(stele.NotFoundError):
        record.retriever(as_of="2001-01-01").get("KNOW-1")
    with pytest.raises(stele.NotFoundError):
        record.retriever(as_of=1).get("KNOW-2")
