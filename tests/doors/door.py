"""The scenarios' door in Python: each verb is called as a host would call it, and its result taken apart by its attributes."""

import json
import sys
from datetime import datetime, timezone

import stele

OWNERS = {verb["name"]: verb for verb in json.load(open(sys.argv[1]))["verbs"]}
TIMES = {"created_at", "expires_at", "review_at", "now", "since", "until"}
BOUND = {"record": (), "recorder": ("actor", "session"), "retriever": ("as_of",), "session": ("session", "actor", "root")}


def taken(name, value):
    if name in TIMES and isinstance(value, str):
        at = datetime.fromisoformat(value.replace("Z", "+00:00"))
        return at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    if name == "anchors":
        return [anchor["path"] if "symbol" not in anchor else (anchor["path"], anchor["symbol"]) for anchor in value]
    return value


def plain(value):
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    names = [name for name in dir(type(value)) if not name.startswith("_") and not callable(getattr(type(value), name))]
    fields = {name.rstrip("_"): plain(getattr(value, name)) for name in names}
    if hasattr(value, "render") and "text" not in fields:
        fields["text"] = value.render()
    return fields


def call(record, name, given):
    verb = OWNERS[name]
    bound = {key: given.pop(key) for key in BOUND[verb["owner"]] if key in given}
    if verb["owner"] == "recorder":
        handle = record.recorder(**bound)
    elif verb["owner"] == "retriever":
        handle = record.retriever(**bound)
    elif verb["owner"] == "session":
        handle = record.session(bound.pop("session"), **bound)
    else:
        handle = record
    if name == "transaction":
        with handle.transaction() as together:
            return [verb_of(together, step["verb"], step["arguments"]) for step in given["calls"]]
    return verb_of(handle, name, given)


def verb_of(handle, name, given):
    given = {"from_" if key == "from" else key: taken(key, value) for key, value in given.items()}
    verb = getattr(handle, name)
    return plain(verb(**given) if callable(verb) else verb)


def main():
    record = None
    for line in sys.stdin:
        word, *rest = line.rstrip("\n").split("\t")
        try:
            if word == "open":
                record, answer = stele.open(rest[0]), None
            elif word == "close":
                answer = record.close()
            else:
                answer = call(record, rest[0], json.loads(rest[1]))
            said = ["ok", json.dumps(answer)]
        except stele.SteleError as error:
            said = ["error", error.kind, error.code]
        print("\t".join(said), flush=True)


main()
