"""This door beside the table that all doors are compared with: verbs, arguments and defaults, results, errors, numbers."""

import ast
import inspect
import json
from pathlib import Path

import pytest

import stele
from stele import _native

CASES = Path(__file__).resolve().parents[3] / "tests" / "cases"
TABLE = json.loads((CASES / "table.json").read_text(encoding="utf-8"))
OWNERS = {"record": stele.Record, "recorder": stele.Recorder, "retriever": stele.Retriever, "session": stele.Session}
# What Python says otherwise: words of its own, functions of the host where JSON has none, handles instead of names.
RENAMED = {("retriever", "rule_feedback"): "feedback"}
WORDS = {"from": "from_", "class": "class_"}
# Rendered by a method instead of an argument; the right to promote is the recorder's; a with-statement has no calls; a
# judge is a function, so nobody has to ask for the retirements and send verdicts.
LEFT_OUT = {"format", "may_promote", "calls", "delivery", "verdicts"}
VERBS = [verb for verb in TABLE["verbs"] if verb["name"] != "retirements"]
# `render()` gives them.
RENDERED = {("Retrieval", "text"), ("Obligations", "text"), ("Methodology", "text"), ("RuleEntry", "text")}


def word(name):
    return WORDS.get(name, name)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: f"{verb['owner']}.{verb['name']}")
def test_a_verb_takes_the_same_arguments_with_the_same_defaults(verb):
    of = stele if verb["name"] == "tokens" else OWNERS[verb["owner"]]
    member = inspect.getattr_static(of, RENAMED.get((verb["owner"], verb["name"]), verb["name"]))
    if inspect.isgetsetdescriptor(member):
        assert verb["arguments"] == []
        return
    parameters = inspect.signature(member).parameters
    for argument in verb["arguments"]:
        if argument["name"] in LEFT_OUT:
            continue
        parameter = parameters[word(argument["name"])]
        if "default" not in argument:
            assert parameter.default is inspect.Parameter.empty, argument
            continue
        default, written = argument["default"], parameter.default
        # A call of its own is of turn 0 and mode work where nothing says otherwise; `move` must say where to, be it None.
        if written in (0, "work") and default is None and verb["name"] in ("assemble", "session", "rules"):
            continue
        if verb["name"] == "move" or (verb["name"], argument["name"]) == ("assemble", "session"):
            continue
        # Who says nothing of a transcript has not looked.
        if written is ... or (verb["name"], argument["name"]) == ("resume", "transcript"):
            continue
        written = list(written) if isinstance(written, tuple) else written
        assert (written or None) == (default or None) if default in ([], "", None) else written == default, argument


@pytest.mark.parametrize("name", TABLE["results"])
def test_a_result_has_the_same_fields(name):
    if name == "SessionState":
        of = stele.Session
    else:
        of = getattr(stele, name)
    missing = {field for field in TABLE["results"][name] if not hasattr(of, word(field)) and (name, field) not in RENDERED}
    assert missing == set()


def test_errors_and_numbers_are_the_same(record):
    assert dict(_native.ERROR_CODES) == TABLE["errors"]
    assert TABLE["defaults"].items() <= record.defaults.items()


def listed_words():
    """Every list of words that the stub gives as a type."""
    stub = ast.parse(Path(stele.__file__).with_name("_native.pyi").read_text(encoding="utf-8"))
    subscripts = [node for node in ast.walk(stub) if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "Literal"]
    return [{word.value for word in ast.walk(subscript.slice) if isinstance(word, ast.Constant)} for subscript in subscripts]


# The kinds of errors are classes here.
@pytest.mark.parametrize("name", sorted(TABLE["enumerations"].keys() - {"error_kind"}))
def test_an_enumeration_is_in_the_stub_word_for_word(name):
    assert set(TABLE["enumerations"][name]) in listed_words()
