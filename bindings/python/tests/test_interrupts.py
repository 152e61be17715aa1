"""An interrupt is raised, wherever it comes, and nothing is half done."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import fill

import stele

NODE = '{"type":"node","kind":"knowledge","category":"fyi","title":"%s","alias":"%s"}'


def interrupt():
    """The signal that Ctrl-C sends; it is raised within the wait."""
    signal.raise_signal(signal.SIGINT)
    time.sleep(60)


def leave():
    sys.exit(3)


@pytest.fixture(params=[(interrupt, KeyboardInterrupt), (leave, SystemExit)], ids=["interrupt", "exit"])
def ending(request):
    return request.param


def test_in_a_judge_it_ends_the_sweep_and_nothing_is_applied(record, ending):
    end, raised = ending
    fill(record)
    before = record.head
    with pytest.raises(raised):
        record.sweep(lambda retirement: end() or "fails", apply=True, actor="ana")
    assert record.head == before and record.retriever().get("ADR-1").state == "retired"


def test_in_the_lines_of_an_import_it_leaves_nothing(record, ending):
    end, raised = ending

    def lines():
        yield NODE % ("Good", "G-1")
        end()

    with pytest.raises(raised):
        record.import_jsonl(lines(), actor="ana")
    assert record.head == 0


@pytest.mark.parametrize("phase", ["reading", "checking", "appending", "done"])
def test_in_what_an_import_tells_it_leaves_nothing_unless_it_is_over(record, ending, phase):
    end, raised = ending
    with pytest.raises(raised):
        record.import_jsonl([NODE % ("Good", "G-1")], actor="ana", progress=lambda progress: end() if progress.phase == phase else None)
    assert record.head == (1 if phase == "done" else 0)


def test_in_an_embedder_that_a_writer_asks_it_is_raised_when_the_write_is_done(tmp_path, ending):
    end, raised = ending

    class Ending:
        name, dimensions = "ending", 2

        def embed(self, texts):
            end()

    with stele.open(tmp_path / ".stele", embedder=Ending()) as record:
        with pytest.raises(raised):
            record.recorder(actor="ana").fact("fyi", "Written")
        assert record.head == 1


LOOKS = {
    "retrieve": "record.retriever().retrieve('why do the ships wait for so long?')",
    "search": "record.retriever().search('why do the ships wait for so long?')",
    "on_prompt": "record.session('s').on_prompt('why do the ships wait for so long?')",
    "call_tool": "record.call_tool('search', {'query': 'why do the ships wait for so long?'}, actor='ana')",
    "rebuild_indexes": "record.rebuild_indexes(reembed=True)",
}
HANGING = """
import os, signal, sys, threading, time, stele

class Hanging:
    name, dimensions, hang = "hanging", 2, False
    def embed(self, texts):
        if self.hang:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
        return [[1.0, 0.0] for _ in texts]

embedder = Hanging()
record = stele.open(sys.argv[1], embedder=embedder)
record.recorder(actor="ana").fact("fyi", "Ships wait for the tide")
embedder.hang = True
try:
    LOOK
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no process is sent an interrupt there")
@pytest.mark.parametrize("look", LOOKS.values(), ids=list(LOOKS))
def test_a_lookup_that_waits_for_an_embedder_is_left_at_once(tmp_path, look):
    done = subprocess.run([sys.executable, "-c", HANGING.replace("LOOK", look), str(tmp_path / ".stele")], capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="no process is sent an interrupt there")
@pytest.mark.parametrize("source", ["file", "lines"])
def test_an_import_is_stopped_while_it_runs(record, tmp_path, source):
    count = 60_000
    text = "".join((NODE % ("Barometer %d" % n, "B-%d" % n)) + "\n" for n in range(count))
    (tmp_path / "many.jsonl").write_text(text, encoding="utf-8")
    given = tmp_path / "many.jsonl" if source == "file" else text.splitlines()
    told = threading.Event()

    def kill():
        told.wait()
        os.kill(os.getpid(), signal.SIGINT)

    def tell(progress):
        if progress.phase == "appending":
            told.set()

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            record.import_jsonl(given, actor="ana", progress=tell)
            # The interrupt of an import that was faster comes here.
            time.sleep(60)
    finally:
        told.set()
        killer.join()
    assert record.head in (0, count)
    assert record.recorder(actor="ana").fact("fyi", "The lock is free").id
