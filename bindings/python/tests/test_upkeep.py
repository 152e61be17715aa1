"""What keeps a record true and whole: sweeps, purges, copies."""

import pytest

import stele


@pytest.fixture
def buried(record, recorder):
    """A fact that was retired by one that only adds to it."""
    older = recorder.fact("decision", "Cache in Redis", body="Sessions are cached in Redis.").id
    newer = recorder.fact("decision", "Cache in memory", body="Hot sessions are also cached in memory.").id
    recorder.supersede(newer, older, reason="memory is used also", evidence="Hot sessions are also cached in memory.")
    return older, newer


def test_a_sweep_looks_and_only_applies_when_told(record, buried):
    older, newer = buried
    swept = record.sweep().judgements
    assert [(judged.newer, judged.older, judged.verdict, judged.demoted) for judged in swept] == [(newer, older, "fails", False)]
    assert record.retriever().get(older).state == "retired"
    with pytest.raises(stele.InvalidError):
        record.sweep(apply=True)
    assert record.sweep(apply=True, actor="keeper").judgements[0].demoted
    assert record.retriever().get(older).state == "live"


def test_a_hosts_judge_decides_and_what_it_raises_is_raised(record, buried):
    older, _ = buried
    asked = []

    def judge(retirement):
        asked.append(retirement)
        return "holds"

    assert record.sweep(judge, apply=True, actor="keeper").judgements[0].verdict == "holds"
    assert (asked[0].older.id, asked[0].verbatim, asked[0].reason) == (older, True, "memory is used also")

    fault = RuntimeError("the model is away")

    def failing(_):
        raise fault

    with pytest.raises(RuntimeError) as caught:
        record.sweep(failing, apply=True, actor="keeper")
    assert caught.value is fault
    with pytest.raises(stele.InvalidError):
        record.sweep(lambda _: "perhaps", apply=True, actor="keeper")
    assert record.retriever().get(older).state == "retired"


def test_a_purge_leaves_a_tombstone_and_a_whole_log(record, recorder):
    purged = recorder.fact("fyi", "The door code", body="It is zebra-4711-harbour.").id
    done = recorder.purge(purged, why="a secret", literals=["4711"])
    assert (done.id, done.complete, done.others) == (purged, True, []) and done.operations >= 1
    assert "zebra" not in record.retriever().get(purged).body
    assert record.verify_log() == record.verify_views() == record.head
    assert record.catch_up()
    assert record.compact()


def test_a_backup_and_a_log_are_the_record_again(record, recorder, tmp_path):
    recorder.fact("decision", "Use one queue", alias="ADR-1")
    record.backup(tmp_path / "copy")
    with stele.open(tmp_path / "copy") as copy:
        assert copy.head_hash == record.head_hash
    record.export_jsonl(tmp_path / "log.jsonl", log=True)
    with stele.open(tmp_path / "again") as again:
        assert again.import_log(tmp_path / "log.jsonl") == 1
        assert again.head_hash == record.head_hash
