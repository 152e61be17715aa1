"""Every kind of error has its class, and the door maps each one."""

import pickle
import sqlite3
import subprocess
import sys

import pytest

import stele
from stele import _native, errors

def log_in(folder):
    """The path of the database that holds the log of a closed record."""
    (path,) = [path for path in folder.iterdir() if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3"]
    return path


BASES = {"invalid": ValueError, "not_found": LookupError, "io": OSError}


def test_there_is_one_class_for_each_kind_of_the_core():
    assert list(errors.BY_KIND) == _native.ERROR_KINDS
    assert {kind for _, kind in _native.ERROR_CODES} <= set(errors.BY_KIND)
    for kind, error in errors.BY_KIND.items():
        assert error.kind == kind
        assert issubclass(error, stele.SteleError)
        assert issubclass(error, BASES.get(kind, Exception))
        assert getattr(stele, error.__name__) is error


@pytest.mark.parametrize("error", errors.BY_KIND.values())
def test_an_error_keeps_what_it_says(error):
    raised = error("what happened", code="some_code", retryable=True, details={"field": "title"})
    assert (str(raised), raised.code, raised.retryable, raised.details) == ("what happened", "some_code", True, {"field": "title"})
    copied = pickle.loads(pickle.dumps(raised))
    assert (type(copied), str(copied), copied.code, copied.details) == (error, "what happened", "some_code", {"field": "title"})


def test_a_wrong_call_is_invalid_and_names_the_field(recorder):
    with pytest.raises(stele.InvalidError) as caught:
        recorder.fact("decision", "  ")
    assert (caught.value.kind, caught.value.code, caught.value.retryable) == ("invalid", "empty_title", False)
    with pytest.raises(ValueError) as caught:
        recorder.fact("opinion", "Tabs")
    assert (caught.value.code, caught.value.details["field"]) == ("unknown_category", "category")


def test_a_name_that_is_not_there_is_not_found_and_reads_as_a_sentence(record, tmp_path):
    with pytest.raises(stele.NotFoundError) as caught:
        record.retriever().get("KNOW-99")
    assert caught.value.code == "unknown_node"
    assert "KNOW-99" in str(caught.value) and not str(caught.value).startswith("'")
    with pytest.raises(LookupError) as caught:
        stele.open(tmp_path / "nowhere", create=False)
    assert caught.value.code == "no_record"


def test_a_circle_is_a_conflict(recorder):
    a, b = recorder.task("Build").id, recorder.task("Ship").id
    recorder.link(a, "blocks", b)
    with pytest.raises(stele.ConflictError) as caught:
        recorder.link(b, "blocks", a)
    assert caught.value.code == "cycle"


# Another process, because SQLite's locks do not hold between two copies of SQLite in one process.
HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_record_that_another_process_writes_to_is_busy(tmp_path):
    stele.open(tmp_path / ".stele").close()
    command = [sys.executable, "-c", HOLD, str(log_in(tmp_path / ".stele"))]
    with stele.open(tmp_path / ".stele", busy_timeout=0.0) as record:
        recorder = record.recorder(actor="ana")
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout.readline() == "held\n"
            with pytest.raises(stele.BusyError) as caught:
                recorder.fact("fyi", "The first")
        assert (caught.value.code, caught.value.retryable) == ("busy", True)
        assert recorder.fact("fyi", "The first").id == "KNOW-1"


def test_a_closed_record_says_so_everywhere(record, recorder):
    retriever = record.retriever()
    record.close()
    record.close()
    for call in (lambda: recorder.fact("fyi", "Late"), lambda: retriever.retrieve("Which database do we use?"), record.health, lambda: record.head):
        with pytest.raises(stele.ClosedError) as caught:
            call()
        assert caught.value.code == "closed"


def test_a_link_in_place_of_the_record_is_a_storage_error(tmp_path):
    stele.open(tmp_path / "real").close()
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    with pytest.raises(OSError) as caught:
        stele.open(tmp_path / "link")
    assert isinstance(caught.value, stele.StorageError)
    assert caught.value.code == "symlink_refused" and str(caught.value)


def test_a_damaged_log_is_corrupt(tmp_path):
    with stele.open(tmp_path / ".stele") as record:
        record.recorder(actor="ana").fact("fyi", "The first")
    path = log_in(tmp_path / ".stele")
    for beside in path.parent.glob(path.name + "-*"):
        beside.unlink()
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 8000)
    with pytest.raises(stele.CorruptError) as caught:
        stele.open(tmp_path / ".stele").verify_log()
    assert caught.value.kind == "corrupt"


def test_a_format_of_a_later_release_is_incompatible(tmp_path):
    with stele.open(tmp_path / ".stele") as record:
        record.recorder(actor="ana").fact("fyi", "The first")
    path = log_in(tmp_path / ".stele")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 1000000")
    connection.commit()
    connection.close()
    with pytest.raises(stele.IncompatibleError) as caught:
        stele.open(tmp_path / ".stele")
    assert caught.value.code == "newer_format"


def test_a_wrong_type_is_pythons_own_error(recorder):
    for call in (
        lambda: recorder.fact("fyi", 3),
        lambda: recorder.fact("fyi", "Tags are several", tags="one"),
        lambda: recorder.fact("fyi", "A time", created_at=3),
        lambda: recorder.fact("fyi", "A source", source={"url": "docs"}),
        lambda: recorder.fact("fyi"),
    ):
        with pytest.raises(TypeError):
            call()


def test_star_import_finds_every_public_name():
    done = subprocess.run([sys.executable, "-c", "from stele import *; open, Record, SteleError"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


FORK = """
import os, sys, stele
record = stele.open(sys.argv[1])
session = record.session("s")
plan = session.plan("Is this handle of use here?", providers=[stele.provider("own", None)])
child = os.fork()
if child == 0:
    for call in (lambda: session.on_prompt("Is this handle of use here?"), plan.finish):
        try:
            call()
        except stele.SteleError as error:
            print(error.code, flush=True)
    with stele.open(sys.argv[1]) as own:
        print(own.session("s").turn, flush=True)
    os._exit(0)
os.waitpid(child, 0)
plan.finish()
print(session.turn)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is forked there")
def test_a_forked_child_gets_an_error_and_its_parent_goes_on(tmp_path):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORK, str(tmp_path / ".stele")], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("forked\nforked\n0\n1\n", "")
