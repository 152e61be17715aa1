"""Opening, the record's own properties, export and health."""

import datetime

import pytest

import stele


def test_an_empty_record_is_there_at_once(tmp_path):
    with stele.open(tmp_path / ".stele") as record:
        assert record.path == tmp_path / ".stele"
        assert not record.read_only
        assert record.head == 0
        assert record.verify_log() == 0
        assert record.health().ok and record.health().findings == []


def test_the_head_counts_operations_and_its_hash_moves(record, recorder):
    before = record.head_hash
    recorder.fact("fyi", "One more thing")
    assert record.head == 1
    assert len(record.head_hash) == 64 and record.head_hash != before


def test_a_recorder_keeps_its_record_open(tmp_path):
    recorder = stele.open(tmp_path / ".stele").recorder(actor="ana")
    assert recorder.fact("fyi", "Still open").id == "KNOW-1"


def test_a_read_only_record_gives_no_recorder(tmp_path):
    stele.open(tmp_path / ".stele").close()
    with stele.open(tmp_path / ".stele", read_only=True) as record:
        assert record.read_only
        with pytest.raises(stele.InvalidError) as caught:
            record.recorder(actor="ana")
        assert caught.value.code == "read_only"


def test_options_are_checked_by_the_core(tmp_path):
    for wrong in ({"durability": "some"}, {"busy_timeout": -1.0}, {"busy_timeout": float("nan")}):
        with pytest.raises(stele.InvalidError):
            stele.open(tmp_path / ".stele", **wrong)
    stele.open(tmp_path / ".stele", durability="normal", busy_timeout=datetime.timedelta(seconds=1), embedder=False).close()


def test_what_is_exported_is_imported(record, recorder, tmp_path):
    recorder.fact("decision", "Use one queue", alias="ADR-1")
    written = record.export_jsonl(tmp_path / "out.jsonl")
    assert (written.nodes, written.edges) == (1, 0)
    with stele.open(tmp_path / "other") as other:
        assert other.import_jsonl(tmp_path / "out.jsonl", actor="ben").nodes == 1
        assert other.retriever().get("ADR-1").title == "Use one queue"
    assert record.export_jsonl(tmp_path / "log.jsonl", log=True).operations == 1


def test_health_names_a_retirement_that_nothing_shows(record, recorder):
    old, new = recorder.fact("decision", "Use a queue").id, recorder.fact("decision", "Use a table").id
    recorder.supersede(new, old, reason="The queue is gone", evidence="nowhere written", unverified=True)
    health = record.health()
    assert not health.ok
    assert [finding.severity for finding in health.findings][0] == "error"
    assert health.findings[0].check and health.findings[0].message and health.findings[0].remedy


def test_health_names_anchors_that_lead_to_no_file(record, recorder):
    recorder.fact("lesson", "The lamp flickers", anchors=["src/lamp.py"])
    dangling = lambda files: [finding.ids for finding in record.health(files=files).findings if finding.check == "dangling_anchor"]
    assert dangling(["src/lamp.py"]) == [] and dangling(None) == []
    assert dangling(iter(["src/bell.py"])) == [["KNOW-1"]]


def test_a_full_check_reads_the_log_and_the_indexes_can_be_made_anew(record, recorder):
    recorder.fact("decision", "Use one queue", review_at="2999-01-01")
    record.rebuild_indexes()
    assert [hit.id for hit in record.retriever().search("queue")] == ["KNOW-1"]
    assert record.health(full=True).ok


def test_a_record_of_this_release_needs_no_migration(tmp_path):
    stele.open(tmp_path / ".stele").close()
    assert stele.Record.migrate(tmp_path / ".stele") is False
    with pytest.raises(stele.NotFoundError) as caught:
        stele.Record.migrate(tmp_path / "nowhere")
    assert caught.value.code == "no_record"
