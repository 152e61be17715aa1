"""The scenarios that every door runs, through this door's own methods."""

import datetime
import tomllib

import pytest
from test_table import CASES, RENAMED, TABLE, word

import stele

SCENARIOS = [case for path in sorted(CASES.glob("*.toml")) for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]]
OWNERS = {verb["name"]: verb["owner"] for verb in TABLE["verbs"]}


def plain(value):
    """A result as its JSON has it."""
    if isinstance(value, datetime.datetime):
        text = value.strftime("%Y-%m-%dT%H:%M:%S.%f").rstrip("0").rstrip(".")
        return text + "Z"
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    fields = TABLE["results"].get(type(value).__name__)
    if fields is None or isinstance(value, dict):
        return value
    shown = {field: plain(getattr(value, word(field))) for field in fields if hasattr(value, word(field))}
    if "text" in fields and "text" not in shown and hasattr(value, "render"):
        shown["text"] = value.render()
    return shown


def run(record, verb, arguments):
    """Calls a verb on the handle that it belongs to."""
    owner = OWNERS[verb]
    bound = {argument["name"] for argument in TABLE["bound"][owner]} & arguments.keys()
    own = {name: arguments[name] for name in bound}
    # A retriever may be asked for a session; a session is known by its name.
    arguments = {word(name): value for name, value in arguments.items() if name not in bound or owner == "record"}
    if verb == "tokens":
        return stele.tokens(**arguments)
    if owner == "record":
        of = record
    elif owner == "session":
        of = record.session(own.pop("session"), **own)
    elif verb == "promote":
        of = record.recorder(may_promote=arguments.pop("may_promote", False), **own)
    else:
        of = getattr(record, owner)(**own)
    if verb == "transaction":
        with of.transaction() as step:
            return [plain(getattr(step, call["verb"])(**{word(name): value for name, value in call.get("arguments", {}).items()})) for call in arguments["calls"]]
    format = arguments.pop("format", None)
    member = getattr(of, RENAMED.get((owner, verb), verb))
    given = member(**arguments) if callable(member) else member
    return {**plain(given), "text": given.render(format)} if format else plain(given)


def filled(value, kept):
    """A value with what was kept in place of its names: `{name}` as a whole text."""
    if isinstance(value, str):
        return kept.get(value[1:-1], value) if value.startswith("{") and value.endswith("}") else value
    if isinstance(value, list):
        return [filled(member, kept) for member in value]
    if isinstance(value, dict):
        return {name: filled(member, kept) for name, member in value.items()}
    return value


def holds(given, wanted):
    """True if a result holds what a case names. An empty text also stands for nothing, which TOML has no word for."""
    if isinstance(wanted, dict):
        return isinstance(given, dict) and all(holds(given.get(name), member) for name, member in wanted.items())
    if isinstance(wanted, list):
        return isinstance(given, list) and len(given) == len(wanted) and all(map(holds, given, wanted))
    return given == wanted or (given is None and wanted == "")


def refusal(error):
    """The kind and code of an error. What is no argument of a verb is Python's own error here."""
    return ("invalid", "bad_argument") if isinstance(error, TypeError) else (error.kind, error.code)


@pytest.mark.parametrize("case", SCENARIOS, ids=lambda case: case["name"])
def test_a_scenario_goes_as_through_every_door(record, case):
    kept = {}
    for step in case["step"]:
        arguments = filled(step.get("with", {}), kept)
        if "fails" in step:
            with pytest.raises((stele.SteleError, TypeError)) as caught:
                run(record, step["call"], arguments)
            assert refusal(caught.value) == (step["fails"]["kind"], step["fails"]["code"])
            continue
        given = run(record, step["call"], arguments)
        text = given["text"] if isinstance(given, dict) and "text" in given else given
        if "gives" in step:
            assert holds(given, filled(step["gives"], kept)), (given, step["gives"])
        if "text" in step:
            assert text == step["text"]
        for part in step.get("holds", []):
            assert part in text
        for part in step.get("lacks", []):
            assert part not in text
        if "keep" in step:
            kept[step["keep"]] = given[step.get("keep_field", "id")]
