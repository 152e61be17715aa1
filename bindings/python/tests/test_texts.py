"""Half of a surrogate pair, which a str of Python can hold and no other text can, in every place where a text goes in."""

import ast
import asyncio
import gc
import weakref
from pathlib import Path

import pytest

import stele
from stele import _native, aio

# Half of what no file name can be either.
HALF = "x\ud83d"
STUB = ast.parse(Path(stele.__file__).with_name("_native.pyi").read_text(encoding="utf-8"))
ALIASES = {
    item.targets[0].id: ast.unparse(item.value)
    for item in STUB.body
    if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name)
}
# What is no time is `bad_time`, whatever it holds.
NO_TEXTS = {"_Time", "_Length", "Union[int, _Time, None]"}


def whole(annotation):
    """An annotation with the names of the stub written out."""
    for _ in ALIASES:
        for name, means in ALIASES.items():
            if name not in NO_TEXTS:
                annotation = annotation.replace(name, means)
    return annotation


def halves(annotation):
    """What a caller may pass for a parameter with half of a character in it."""
    if annotation.startswith("Optional[") and annotation.endswith("]"):
        annotation = annotation[len("Optional[") : -1]
    if "Callable" in annotation or annotation in NO_TEXTS | {"Dict[str, Any]"}:
        return []
    if annotation == "Mapping[str, float]":
        return [{HALF: 1.0}]
    annotation = whole(annotation)
    if annotation.startswith(("Iterable[", "List[", "Union[bool, Iterable[")):
        if "Tuple[str, str]" in annotation:
            return [[("id", HALF)], [{"text": HALF}], [(HALF, "text")]]
        found = [[HALF]] if "str" in annotation else []
        return found + ([[{"path": HALF}], [("path", HALF)]] if "Mapping" in annotation else [])
    found = [HALF] if "str" in annotation or annotation.startswith("Literal[") else []
    if "Mapping" in annotation:
        found.append({("uri" if "Source" in annotation else "text"): HALF})
    if "Iterable[Union[str" in annotation:
        found.append([HALF])
    return found


def fitting(annotation, given):
    """Something that passes for a parameter that must be given."""
    if annotation == "RankingTable":
        return given.ranking
    if annotation.startswith(("Iterable", "List")):
        return []
    if annotation == "Dict[str, Any]":
        return {}
    if annotation == "int":
        return 1
    literal = ast.parse(whole(annotation), mode="eval").body
    if isinstance(literal, ast.Subscript) and ast.unparse(literal.value) == "Literal":
        first = literal.slice.elts[0] if isinstance(literal.slice, ast.Tuple) else literal.slice
        return ast.literal_eval(first)
    return None if annotation.startswith("Optional") else "x"


def parameters(function):
    """Names, annotations and whether they must be given."""
    arguments = function.args
    positional = arguments.posonlyargs + arguments.args
    must = len(positional) - len(arguments.defaults)
    for at, argument in enumerate(positional):
        if argument.arg not in ("self", "cls") and argument.annotation:
            yield argument.arg, ast.unparse(argument.annotation), at < must
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if argument.annotation:
            yield argument.arg, ast.unparse(argument.annotation), default is None


def functions():
    for item in STUB.body:
        if isinstance(item, ast.FunctionDef):
            yield None, item
        elif isinstance(item, ast.ClassDef) and not item.name.startswith("_"):
            for member in item.body:
                if isinstance(member, ast.FunctionDef) and member.name not in ("__eq__", "__ne__", "__exit__"):
                    yield item.name, member


def cases():
    for owner, function in functions():
        for name, annotation, _ in parameters(function):
            for half in halves(annotation):
                yield pytest.param(owner, function, name, half, id=f"{owner or 'stele'}.{function.name}-{name}-{type(half).__name__}")


def receiver(record, owner):
    """Something of a class, to call a method of."""
    if owner == "Recorder":
        return record.recorder(actor="tester")
    if owner == "Retriever":
        return record.retriever()
    if owner == "Session":
        return record.session("s")
    if owner == "Plan":
        return record.plan("Where does the barometer hang?", session=None)
    if owner == "Context":
        return record.assemble("Where does the barometer hang?", session=None)
    if owner == "Retrieval":
        return record.retriever().retrieve("Where does the barometer hang?")
    if owner == "Obligations":
        return record.retriever().rules()
    if owner == "Methodology":
        return record.retriever().methodology(mode="work")
    assert owner in ("Record", "RankingTable"), f"say here how one comes to a {owner}"
    return record if owner == "Record" else record.ranking


def call_of(record, owner, function):
    if owner is None:
        return getattr(_native, function.name)
    if function.name == "__new__":
        return getattr(_native, owner)
    return getattr(receiver(record, owner), function.name)


def test_there_is_a_place_for_texts_in_nearly_every_verb():
    found = {(owner, function.name) for owner, function, *_ in (case.values for case in cases())}
    assert len(found) > 60 and len(list(cases())) > 300, (len(found), len(list(cases())))


@pytest.mark.parametrize("owner, function, name, half", list(cases()))
def test_half_of_a_character_is_refused_by_name_and_nothing_is_written(record, owner, function, name, half):
    given = {other: fitting(annotation, record) for other, annotation, must in parameters(function) if must}
    head = record.head
    with pytest.raises(stele.InvalidError) as caught:
        call_of(record, owner, function)(**{**given, name: half})
    # A word of an enumeration may be refused as such.
    error = caught.value
    assert (error.code, error.details.get("field")) == ("bad_text", name), (error.code, error.details)
    assert f"{name} holds half of a surrogate pair at character" in str(error) and "send UTF-8" in str(error), str(error)
    assert not isinstance(error, UnicodeError) and not hasattr(error, "__notes__")
    assert record.head == head


def test_a_line_with_half_of_a_character_ends_an_import_that_writes_nothing(record):
    with pytest.raises(stele.InvalidError) as caught:
        record.import_jsonl(['{"type":"node","kind":"fact","title":"x"}\n', f'{{"title":"{HALF}"}}\n'], actor="tester")
    assert (caught.value.code, caught.value.details["field"], record.head) == ("bad_text", "path_or_lines", 0)


def test_what_an_agent_sends_with_half_of_a_character_is_taken_with_a_mark_in_its_place(record):
    told = record.call_tool("record_fact", {"category": "fyi", "title": f"Barometer {HALF}"}, actor="model")
    assert record.retriever().get(told["id"]).title == "Barometer x\ufffd"


def test_it_is_the_same_beside_an_event_loop(tmp_path):
    async def main():
        async with await aio.open(tmp_path / ".stele") as record:
            recorder, retriever = record.recorder(actor="tester"), record.retriever()
            for call, name in [
                (lambda: recorder.fact("fyi", HALF), "title"),
                (lambda: recorder.fact("fyi", "x", tags=[HALF]), "tags"),
                (lambda: retriever.search(HALF), "query"),
                (lambda: retriever.retrieve("x", session=HALF), "session"),
                (lambda: record.assemble(HALF, session=None), "prompt"),
                (lambda: record.session(HALF), "name"),
            ]:
                with pytest.raises(stele.InvalidError) as caught:
                    waited = call()
                    if hasattr(waited, "__await__"):
                        await waited
                assert (caught.value.code, caught.value.details["field"]) == ("bad_text", name)

    asyncio.run(main())


class Owner:
    """A host that brings along methods of its own and keeps all that it was given."""

    name, dimensions = "owner", 16

    def __init__(self, path):
        self.record = stele.open(path, embedder=self, clock=self.now)
        self.record.set_token_counter(self.count)
        self.recorder, self.retriever = self.record.recorder(actor="tester"), self.record.retriever()
        self.session, self.transaction = self.record.session("s"), self.recorder.transaction()

    def embed(self, texts):
        return [[1.0] * 16 for _ in texts]

    def now(self):
        return "2026-01-01T00:00:00Z"

    def count(self, text):
        return len(text)


def test_a_host_that_keeps_the_record_that_calls_it_is_collected(tmp_path):
    owner = Owner(tmp_path / ".stele")
    owner.recorder.fact("fyi", "The barometer hangs in the hall")
    assert owner.retriever.search("barometer")
    gc.collect()
    assert owner.retriever.search("barometer"), "what is in use stays"
    gone, retriever = weakref.ref(owner), owner.retriever
    del owner
    gc.collect()
    assert gone() is not None and retriever.search("barometer"), "one part keeps the whole"
    del retriever
    gc.collect()
    assert gone() is None
    stele.open(tmp_path / ".stele").close()
