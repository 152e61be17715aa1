"""The scenarios' door in Python: each verb is called as a host would call it, and its result taken apart by its attributes."""

import json
import sys
from datetime import datetime, timezone

import stele

OWNERS = {verb["name"]: verb["owner"] for verb in json.load(open(sys.argv[1]))["verbs"]}
TIMES = {"created_at", "expires_at", "review_at", "fetched_at", "now", "since", "until"}
BOUND = {"record": (), "recorder": ("actor", "session"), "retriever": ("as_of",), "session": ("session", "actor", "root")}
# What Python says otherwise.
RENAMED = {"rule_feedback": "feedback"}
HANDLES = {}


def taken(name, value):
    if name in TIMES and isinstance(value, str):
        at = datetime.fromisoformat(value.replace("Z", "+00:00"))
        return at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    if name == "providers":
        return [provider(given) for given in value]
    if name == "table":
        return stele.RankingTable(**value)
    return value


def provider(given):
    """A provider as a function that gives what the scenario says; one with a fault is answered for, since what a function raises
    is told with the name of its class."""
    declared = {key: value for key, value in given.items() if key not in ("entries", "fault")}

    def entry(given):
        return given if isinstance(given, str) else stele.ProviderEntry(**{key: taken(key, value) for key, value in given.items()})

    fetch = None if "fault" in given else lambda _request: [entry(each) for each in given["entries"]]
    return stele.provider(fetch=fetch, **declared)


def assembled(handle, name, given):
    faults = {given["name"]: given["fault"] for given in given.get("providers", ()) if "fault" in given}
    if not faults:
        return verb_of(handle, name, given)
    plan = handle.plan(**{key: taken(key, value) for key, value in given.items()})
    for request in plan:
        if request.provider in faults:
            plan.fail(request.provider, faults[request.provider])
    return plain(plan.finish())


def plain(value):
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, datetime):
        at = value.astimezone(timezone.utc)
        return at.isoformat(timespec="milliseconds" if at.microsecond else "seconds").replace("+00:00", "Z")
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    names = [name for name in dir(type(value)) if not name.startswith("_") and not callable(getattr(type(value), name))]
    fields = {name.rstrip("_"): plain(getattr(value, name)) for name in names if not isinstance(value, stele.Outcome) or name != "error"}
    if hasattr(value, "render") and "text" not in fields:
        fields["text"] = value.render()
    return fields


def call(record, name, given):
    owner = OWNERS[name]
    bound = {key: given.pop(key) for key in BOUND[owner] if key in given}
    if name == "promote" and given.pop("may_promote", False):
        bound["may_promote"] = True
    if owner == "recorder":
        handle = record.recorder(**bound)
    elif owner == "retriever":
        handle = record.retriever(**bound)
    elif owner == "session":
        handle = record.session(bound.pop("session"), mode=None, **bound)
    else:
        handle = record
    if name == "assemble":
        return assembled(handle, name, {"session": None, **given})
    if name == "session":
        session = record.session(**{"mode": None, **given})
        return {"name": session.name, "mode": session.mode, "turn": session.turn, "tokens_left": session.tokens_left}
    if name == "resume":
        given.setdefault("transcript", [])
    if name == "sweep" and given.get("verdicts") is not None:
        said = {(of["newer"], of["older"]): of["verdict"] for of in given.pop("verdicts")}
        given["judge"] = lambda retirement: said.get((retirement.newer.id, retirement.older.id), "unsure")
    if name == "tokens":
        return stele.tokens(given["text"])
    if name == "delivered":
        return handle.delivered(given["delivery"])
    if name == "transaction":
        with handle.transaction() as together:
            return [verb_of(together, step["verb"], step["arguments"]) for step in given["calls"]]
    return verb_of(handle, RENAMED.get(name, name), given)


def verb_of(handle, name, given):
    given = {"from_" if key == "from" else key: taken(key, value) for key, value in given.items()}
    verb = getattr(handle, name)
    return plain(verb(**given) if callable(verb) else verb)


def opened(handle, folder, options=""):
    words = options.split()
    embedder = False if "no_embedder" in words else None
    HANDLES[handle] = stele.open(folder, read_only="read_only" in words, create="no_create" not in words, embedder=embedder)


def closed(handle):
    if handle in HANDLES:
        HANDLES[handle].close()


def main():
    for line in sys.stdin:
        word, handle, *rest = line.rstrip("\n").split("\t")
        try:
            if word == "open":
                answer = opened(handle, *rest)
            elif word == "close":
                answer = closed(handle)
            else:
                answer = call(HANDLES[handle], rest[0], json.loads(rest[1]))
            said = ["ok", json.dumps(answer)]
        except stele.SteleError as error:
            details = {"kind": error.kind, "code": error.code, "retryable": error.retryable, "message": str(error), "details": error.details}
            said = ["error", json.dumps(details)]
        print("\t".join(said), flush=True)


main()
