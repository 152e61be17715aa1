"""``python -m stele hook``, started as an agent starts it."""

import json
import subprocess
import sys

import pytest

import stele


@pytest.fixture
def project(tmp_path):
    with stele.open(tmp_path / ".stele") as record:
        record.recorder(actor="ana").fact("decision", "The rate limiter sits in front of auth, not behind it")
    return tmp_path


def run(folder, *words, event=b""):
    done = subprocess.run([sys.executable, "-m", "stele", "hook", *words], input=event, capture_output=True, cwd=folder, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def prompt(folder):
    event = {"session_id": "s1", "cwd": str(folder), "hook_event_name": "UserPromptSubmit", "prompt": "Where does the rate limiter sit in here?"}
    return json.dumps(event).encode()


def test_an_event_is_answered_in_the_form_of_its_agent(project):
    code, out, err = run(project, event=prompt(project))
    assert (code, err) == (0, "")
    answer = json.loads(out)["hookSpecificOutput"]
    assert answer["hookEventName"] == "UserPromptSubmit" and "KNOW-1" in answer["additionalContext"]


def test_where_there_is_no_record_nothing_is_said(tmp_path):
    assert run(tmp_path, event=prompt(tmp_path)) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("event", [b"", b"{", b"\xff\xfe", b"[]"])
def test_what_is_no_event_is_one_line_of_standard_error(project, event):
    code, out, err = run(project, event=event)
    assert (code, out, len(err.splitlines())) == (0, "", 1)


def test_it_is_installed_with_this_interpreter_and_taken_back(project):
    code, out, err = run(project, "install", "--agent", "claude-code")
    assert (code, err) == (0, "")
    settings = project / ".claude" / "settings.local.json"
    assert " -m stele hook --agent claude-code" in settings.read_text() and str(settings) in out
    assert " -m stele hook uninstall --agent claude-code` takes it back" in out
    assert run(project, "uninstall", "--agent", "claude-code")[0] == 0
    assert json.loads(settings.read_text()) == {}


def test_a_person_is_told_what_went_wrong(project):
    assert run(project, "dance")[0] == 2
    code, out, _ = run(project, "search", "rate", "limiter")
    assert code == 0 and "KNOW-1" in out


def test_it_ends_by_itself_where_nobody_reads_its_answer_or_ends_its_event(project):
    def start():
        command = [sys.executable, "-m", "stele", "hook"]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=project)

    with start() as unread:
        unread.stdout.close()
        unread.stdin.write(prompt(project))
        unread.stdin.close()
        assert len(unread.stderr.read().splitlines()) == 1 and unread.wait(60) == 0
    with start() as unended:
        unended.stdin.write(prompt(project))
        unended.stdin.flush()
        assert (unended.wait(60), unended.stdout.read(), len(unended.stderr.read().splitlines())) == (0, b"", 1)
