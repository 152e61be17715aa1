"""The signatures of the published table, word for word, and the stub against the module."""

import ast
import inspect
from pathlib import Path

import pytest

import stele
from stele import _native

MORE = (
    "alias=None, tags=(), component=None, anchors=(), source=None, created_at=None, "
    "expires_at=None, resolves_with=None, review_at=None, allow_secrets=False"
)
RULE = (
    "title, *, statement, trigger='', mandatory=False, always_on=False, forbidden=(), instead='', domain=None, severity='medium', "
    "points=(), keywords=(), floor_modes=(), action_triggers=(), methodology=None, body='', "
)
ASSEMBLE = (
    "action=None, point='prompt', capabilities=(), providers=(), builtin=True, root=None, token_budget=8000, deadline=8.0, "
    "select_skills=(), now=None, strict=False, deliver=False, "
    "max_entries=20, max_tokens=None, hops=1, skill_folders=None, base_revision=None, rule_files=(), system=(), about=()"
)
SIGNATURES = {
    stele.open: "path='.stele', *, create=True, read_only=False, embedder=None, durability='full', busy_timeout=5.0, clock=None",
    stele.tokens: "text",
    stele.Record.recorder: "*, actor, session=None, may_promote=False",
    stele.Record.retriever: "*, as_of=None",
    stele.Record.import_jsonl: "path_or_lines, *, actor, partial=False, progress=None, session=None, allow_secrets=False",
    stele.Record.export_jsonl: "path, *, log=False",
    stele.Record.session: "name, *, mode='work', token_budget=None, actor=None, root=None",
    stele.Record.migrate: "path",
    stele.Record.health: "*, full=False, files=None",
    stele.Record.sweep: "judge=None, *, apply=False, actor=None",
    stele.Record.backup: "path",
    stele.Record.compact: "",
    stele.Record.export_graph: "",
    stele.Record.rebuild_indexes: "*, reembed=False",
    stele.Record.set_ranking: "table",
    stele.Record.set_token_counter: "counter",
    stele.Record.import_adr: "folder, *, actor, partial=False, progress=None, session=None, allow_secrets=False, prefix=None",
    stele.Record.import_beads: "path, *, actor, partial=False, progress=None, session=None, allow_secrets=False",
    stele.Record.resume: "session, turn, transcript",
    stele.Recorder.transaction: "",
    stele.Record.verify_log: "",
    stele.Record.tools: "*, tier='write'",
    stele.Record.call_tool: "name, arguments, *, actor, session=None, tier='write'",
    stele.Recorder.fact: "category, title, *, body='', " + MORE,
    stele.Recorder.task: "title, *, type='task', success_criteria='', body='', priority=None, " + MORE,
    stele.Recorder.rule: RULE + MORE,
    stele.Recorder.document: "title, *, body, " + MORE,
    stele.Recorder.diagram: "title, *, body, " + MORE,
    stele.Recorder.component: "title, *, parent=None, body='', " + MORE.replace("component=None, ", ""),
    stele.Recorder.link: "from_, relation, to, *, reason='', evidence='', allow_secrets=False",
    stele.Recorder.unlink: "from_, relation, to, *, why, allow_secrets=False",
    stele.Recorder.supersede: "newer, older, *, reason, evidence, source_text=None, unverified=False, allow_secrets=False",
    stele.Recorder.demote: "newer, older, *, why, allow_secrets=False",
    stele.Recorder.retag: "id, *, add=(), remove=()",
    stele.Recorder.move: "id, *, component",
    stele.Recorder.anchor: "id, *, add=(), remove=()",
    stele.Recorder.review: "id, *, note='', allow_secrets=False",
    stele.Recorder.archive: "id, *, why, allow_secrets=False",
    stele.Recorder.purge: "id, *, why, literals=()",
    stele.Recorder.claim: "task, *, lease=None, holder=None",
    stele.Recorder.claim_next: "*, lease=None, tags=(), component=None",
    stele.Recorder.release: "task",
    stele.Recorder.force_release: "task, *, why, allow_secrets=False",
    stele.Recorder.complete: "task, *, summary, allow_secrets=False",
    stele.Recorder.cancel: "task, *, why, allow_secrets=False",
    stele.Recorder.reopen: "task, *, why, allow_secrets=False",
    stele.Retriever.ready: "*, limit=20, tags=(), component=None",
    stele.Retriever.tasks: "*, holder=None, status=None",
    stele.Retriever.handoff: "task",
    stele.Retriever.retrieve: (
        "prompt, *, session=None, deadline=8.0, walk_budget=6.0, max_entries=20, max_tokens=None, hops=1, now=None, deliver=False"
    ),
    stele.Retriever.search: (
        "query, *, mode='hybrid', limit=10, kinds=None, categories=None, states=None, tags=None, component=None, since=None, until=None, deadline=None"
    ),
    stele.Retriever.recall: "question, *, seeds=10, depth=2, max_entries=30, deadline=8.0, now=None",
    stele.Retriever.get: "id",
    stele.Retriever.neighbours: "id, *, relations=None, direction='both', limit=50",
    stele.Retriever.history: "id",
    stele.Retriever.why: "id",
    stele.Session.on_start: "",
    stele.Session.on_prompt: "prompt, *, turn=None, mode=None, " + ASSEMBLE.replace("deliver=False", "deliver=True"),
    stele.Session.plan: "prompt, *, turn=None, mode=None, " + ASSEMBLE.replace("deliver=False", "deliver=True"),
    stele.Record.assemble: "prompt, *, session, turn=0, mode='work', " + ASSEMBLE,
    stele.Record.plan: "prompt, *, session, turn=0, mode='work', " + ASSEMBLE,
    stele.provider: (
        "name, fetch, *, category='memory', requires=(), turns='first', timeout=2.0, token_budget=2000, position=0"
    ),
    stele.ProviderEntry: "text, *, source=None, fetched_at=None, review_at=None, applies_to=None",
    stele.Session.on_edit: "path, *, symbol=None",
    stele.Session.on_output: "text",
    stele.Session.on_complete: "task=None",
    stele.Session.delivered: "what",
    stele.Session.pause: "turns",
    stele.Session.set_mode: "mode",
    stele.Session.set_aggressiveness: "value",
    stele.Recorder.propose: RULE + MORE,
    stele.Recorder.feedback: "rule, felt, *, key=None",
    stele.Recorder.promote: "rule, *, approval",
    stele.Retriever.rules: "*, point='prompt', mode='work', text='', cap=5000",
    stele.Retriever.methodology: "*, mode, action=None, text='', max_tokens=2000",
    stele.Retriever.feedback: "rule",
    stele.Obligations.render: "format='text'",
    stele.Methodology.render: "format='text'",
    stele.Retrieval.render: "format='text'",
}


@pytest.mark.parametrize("call", SIGNATURES, ids=lambda call: call.__qualname__)
def test_a_signature_is_the_published_one(call):
    parameters = [parameter for name, parameter in inspect.signature(call).parameters.items() if name != "self"]
    shown = str(inspect.Signature([parameter for parameter in parameters]))[1:-1].replace(", /", "")
    assert shown == SIGNATURES[call]


SPECIAL = {"__next__", "__enter__", "__exit__", "__iter__", "__eq__", "__ne__"}


def names(of):
    """What a class or module shows to a reader."""
    return {name for name in vars(of) if not name.startswith("_") or name in SPECIAL & vars(of).keys()}


def test_the_stub_names_what_the_module_holds_and_nothing_else():
    stub = ast.parse(Path(stele.__file__).with_name("_native.pyi").read_text(encoding="utf-8"))
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}
    assert set(classes) == {name for name in names(_native) if isinstance(getattr(_native, name), type)}
    for name, node in classes.items():
        members = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        members |= {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
        members = {member for member in members if not member.startswith("_") or member in SPECIAL}
        assert members == names(getattr(_native, name)), name


def documented(node, of):
    """Pairs of what the stub and the module say, for a class or function and for what it holds."""
    of = getattr(of, "__func__", of)
    yield getattr(of, "__name__", node.name), ast.get_docstring(node), inspect.cleandoc(of.__doc__) if of.__doc__ else None
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            yield from documented(item, vars(of)[item.name])


def test_the_stub_says_what_the_module_says():
    stub = ast.parse(Path(stele.__file__).with_name("_native.pyi").read_text(encoding="utf-8"))
    for node in stub.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            for name, says, should in documented(node, getattr(_native, node.name)):
                assert says == should, f"{node.name}: {name}"


def test_the_package_exports_every_class():
    assert set(stele.__all__) >= {name for name in names(_native) if isinstance(getattr(_native, name), type)}
    assert all(hasattr(stele, name) for name in stele.__all__)
