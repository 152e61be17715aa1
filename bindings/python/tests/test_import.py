"""Imports: files, folders and lines; what the host's code raises comes back as it was."""

from pathlib import Path

import pytest

import stele

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
NODE = '{"type":"node","kind":"knowledge","category":"fyi","title":"%s","alias":"%s"}'


def test_the_sample_is_imported_once_and_stays(record):
    lines = (SAMPLES / "lighthouse.jsonl").read_text(encoding="utf-8").splitlines()
    told = []
    report = record.import_jsonl(SAMPLES / "lighthouse.jsonl", actor="import", progress=told.append)
    assert report.applied and report.errors == [] and report.error_count == 0
    assert (report.nodes, report.edges) == (sum('"type":"node"' in line for line in lines), sum('"type":"edge"' in line for line in lines))
    assert [progress.phase for progress in told][-1] == "done"
    again = record.import_jsonl(str(SAMPLES / "lighthouse.jsonl"), actor="import")
    assert (again.nodes, again.edges, again.revised) == (0, 0, 0)
    assert again.unchanged == report.nodes + report.edges
    assert record.retriever().get("planner").kind == "component"


def test_lines_come_from_any_iterable(record):
    report = record.import_jsonl((NODE % (f"Fact {n}", f"F-{n}") for n in range(3)), actor="import")
    assert report.nodes == 3
    assert record.import_jsonl([(NODE % ("Fact 4", "F-4")).encode()], actor="import").nodes == 1


def test_faults_are_told_by_line_and_nothing_is_written_unless_partial(record):
    lines = [NODE % ("Good", "G-1"), "{", NODE % ("", "E-1")]
    report = record.import_jsonl(lines, actor="import")
    assert not report.applied and record.head == 0
    assert [(line, code) for line, code, message in report.errors] == [(2, "bad_line"), (3, "empty_title")]
    assert report.errors[0].line == 2 and report.errors[0].message
    report = record.import_jsonl(lines, actor="import", partial=True)
    assert report.applied and report.nodes == 1 and report.error_count == 2


def test_a_folder_of_decisions_is_imported(record):
    report = record.import_adr(SAMPLES / "adr", actor="import", prefix="DEC")
    assert report.applied and report.nodes == len(list((SAMPLES / "adr").glob("0*.md")))
    assert record.retriever().get("DEC-0001").category == "decision"


def test_issues_of_beads_are_imported(record, tmp_path):
    path = tmp_path / "issues.jsonl"
    path.write_text('{"id":"bd-1","title":"Fix the door","status":"open","priority":1,"issue_type":"task","created_at":"2025-01-02T00:00:00Z"}\n')
    assert record.import_beads(path, actor="import").nodes == 1


def test_what_the_lines_raise_is_the_same_object_and_nothing_is_written(record):
    failure = RuntimeError("the source broke")

    def lines():
        yield NODE % ("Good", "G-1")
        raise failure

    with pytest.raises(RuntimeError) as caught:
        record.import_jsonl(lines(), actor="import")
    assert caught.value is failure
    assert record.head == 0
    with pytest.raises(TypeError):
        record.import_jsonl([3], actor="import")


def test_what_progress_raises_is_the_same_object_and_nothing_is_written(record):
    failure = RuntimeError("nobody listens")

    def tell(progress):
        raise failure

    with pytest.raises(RuntimeError) as caught:
        record.import_jsonl([NODE % ("Good", "G-1")], actor="import", progress=tell)
    assert caught.value is failure
    assert record.import_jsonl([NODE % ("Good", "G-1")], actor="import").nodes == 1


def test_a_file_that_is_not_there_is_not_found(record, tmp_path):
    with pytest.raises(stele.NotFoundError) as caught:
        record.import_jsonl(tmp_path / "nowhere.jsonl", actor="import")
    assert caught.value.code == "no_such_path"
