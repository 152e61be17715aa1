"""An interrupt is raised, wherever it comes, and nothing is half done."""

import signal
import sys
import time

import pytest
from conftest import fill

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


def test_in_what_an_import_tells_it_is_raised_at_the_end(record, ending):
    end, raised = ending
    with pytest.raises(raised):
        record.import_jsonl([NODE % ("Good", "G-1")], actor="ana", progress=lambda progress: end())
    assert record.head == 1
