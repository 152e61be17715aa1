"""``python -m stele``: every command, in words and as JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import stele

SAMPLES = Path(__file__).resolve().parents[3] / "samples"


@pytest.fixture
def run(tmp_path):
    """Runs a command in the folder of a project, with nothing in its environment."""
    bare = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}

    def command(*arguments, code=0, given="", at=tmp_path):
        done = subprocess.run(
            [sys.executable, "-X", "utf8", "-m", "stele", *arguments], capture_output=True, encoding="utf-8", cwd=at, env=bare, input=given
        )
        assert done.returncode == code, done.stderr
        if code in (0, 1):
            assert done.stderr == ""
            return json.loads(done.stdout) if "--json" in arguments else done.stdout
        assert done.stdout == "" and done.stderr.count("\n") == 1
        return done.stderr

    return command


@pytest.fixture
def filled(run):
    run("init")
    run("add", "decision", "Use one queue", "--body", "It is simpler.", "--tag", "queue", "--anchor", "src/queue.py", "--alias", "ADR-1")
    run("add", "task", "Build the queue", "--actor", "ana")
    return run


def test_a_record_is_made_once_and_found_from_below(run, tmp_path):
    assert Path(run("init").strip()).samefile(tmp_path / ".stele")
    assert run("init", "--json")["head"] == 0
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert run("add", "fyi", "From below", at=below) == "KNOW-1\n"
    assert not (below / ".stele").exists()
    assert run("search", "below", "--record", str(tmp_path / ".stele"), at="/").startswith("FYI KNOW-1  From below")
    assert run("--record", str(tmp_path / ".stele"), "--json", "search", "below", at="/")[0]["id"] == "KNOW-1"


def test_what_was_added_is_found_shown_and_listed(filled):
    assert filled("search", "one", "queue", "--category", "decision") == "DECISION KNOW-1  Use one queue\n  It is simpler.\n"
    hit = filled("search", "queue", "--kind", "task", "--limit", "1", "--json")[0]
    assert (hit["id"], hit["title"]) == ("TASK-2", "Build the queue")
    with stele.open(cwd_record(filled)) as record:
        record.recorder(actor="ana").link("TASK-2", "fulfills", "KNOW-1")
    shown = filled("show", "ADR-1", "TASK-2", "--history")
    assert "DECISION KNOW-1  Use one queue\n  It is simpler.\n  aliases: ADR-1\n  tags: queue\n  by: cli\n  ← fulfills TASK-2 Build the queue" in shown
    assert "recorded by ana" in shown and "  fulfills → KNOW-1 Use one queue" in shown
    assert filled("show", "KNOW-1", "--json")[0]["node"]["anchors"] == [{"path": "src/queue.py", "symbol": None}]
    assert filled("ready") == "TASK-2  p2  Build the queue\n"
    assert [task["id"] for task in filled("ready", "--json")] == ["TASK-2"]


def cwd_record(run):
    """Where the commands of a fixture run."""
    return run("init", "--json")["path"]


def test_a_prompt_gets_its_context(filled):
    text = filled("prompt", "which", "queue", "do", "we", "use", "here?")
    assert "DECISION KNOW-1 ADR-1  Use one queue" in text
    assert filled("prompt", "-", given="which queue do we use here?") == text
    of_session = filled("prompt", "which queue do we use here?", "--session", "s1")
    assert "KNOW-1" in of_session
    # Looking serves nothing, so it comes again.
    assert filled("prompt", "which queue do we use here?", "--session", "s1", "--json")["text"].strip() == of_session.strip()


def test_health_says_by_its_code_whether_all_is_well(filled):
    assert "TASK-2" in filled("health")
    with stele.open(cwd_record(filled)) as record:
        recorder = record.recorder(actor="ana")
        newer = recorder.fact("decision", "Use two queues").id
        recorder.supersede(newer, "KNOW-1", reason="one was not enough", evidence="nowhere written", unverified=True)
    assert filled("health", "--full", "--json", code=1)["ok"] is False
    assert "error: " in filled("health", code=1)


def test_a_record_moves_by_export_and_import(filled, tmp_path):
    filled("export", "out.jsonl")
    assert filled("export", "log.jsonl", "--log", "--json")["operations"] == 2
    graph = json.loads(filled("export", "-"))
    assert [node["id"] for node in graph["nodes"]] == ["KNOW-1", "TASK-2"]
    filled("--record", "other", "init")
    assert filled("--record", "other", "import", "out.jsonl", "--actor", "ben") == "2 nodes, 0 revised, 0 edges, 0 unchanged\n"
    assert filled("--record", "other", "import", "out.jsonl", "--json")["unchanged"] == 2
    (tmp_path / "faulty.jsonl").write_text('{"type":"node","kind":"dream","title":"x"}\n', encoding="utf-8")
    faults = filled("import", "faulty.jsonl", code=1)
    assert faults.startswith("1: ") and faults.endswith("nothing written: 1 faults\n")
    assert filled("import", str(SAMPLES / "adr"), "--json")["applied"]


def test_the_tools_are_listed(filled):
    assert filled("tools", "--tier", "read").startswith("search (read)\n  ")
    assert {tool["tier"] for tool in filled("tools", "--json")} == {"read", "write"}


def test_what_cannot_be_done_is_one_line_with_what_to_do(filled, tmp_path):
    assert filled("show", "KNOW-77", code=2).endswith("; use an id or alias that the record holds\n")
    assert "use one of decision" in filled("add", "dream", "x", code=2)
    assert "open with create" in filled("health", "--record", str(tmp_path / "nowhere"), code=2)
    assert not (tmp_path / "nowhere").exists()
    assert "no such file" in filled("import", "nowhere.jsonl", code=2).lower()


def test_looking_changes_nothing(filled):
    path = Path(cwd_record(filled))
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file() and file.name == "record.db"}
    for command in (["search", "queue"], ["show", "KNOW-1"], ["ready"], ["health"], ["tools"], ["prompt", "which queue do we use?"]):
        filled(*command)
    assert before and all(file.read_bytes() == held for file, held in before.items())


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break differently there")
def test_a_reader_that_has_enough_is_no_error(filled):
    command = f"{sys.executable} -m stele --record {cwd_record(filled)} tools | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("search (read)\n0\n", "")
