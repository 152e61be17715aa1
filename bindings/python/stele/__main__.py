"""``python -m stele``: looks into a record, and writes the little that one writes by hand.

Every command is one verb of the record; ``--json`` prints what that verb gives, with the same fields as in every language.
Exit codes: 0 done; 1 what was looked at is not well (health, the faults of an import); 2 not done, and one line says why and
what to do; 130 interrupted.
"""

# pyright: reportPrivateUsage=false
# The JSON calls are the package's own.

from __future__ import annotations

import sys

if __name__ == "__main__" and sys.argv[1:2] == ["hook"]:
    # A hook starts at every event: nothing is loaded that it does not need.
    from stele._hook import run as hook

    sys.exit(hook(sys.argv[2:]))

import argparse
import io
import json
import os
from pathlib import Path

import stele

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence

HABIT = ".stele"
NOT_WELL, NOT_DONE, INTERRUPTED = 1, 2, 130


def found(given: Optional[Path]) -> Path:
    """The record that was given, or the nearest one from the current folder upwards."""
    if given is not None:
        return given
    here = Path.cwd()
    return next((place / HABIT for place in (here, *here.parents) if (place / HABIT).is_dir()), here / HABIT)


def call(record: stele.Record, verb: str, **arguments: Any) -> Any:
    # What is not given has the default of the verb.
    given = {name: value for name, value in arguments.items() if value is not None}
    return json.loads(record._call(verb, json.dumps(given)))


def titled(node: Dict[str, Any]) -> str:
    kind = node.get("category") or node.get("kind") or node["id"].split("-")[0].lower()
    state = node.get("state", "live")
    return f"{kind.upper()} {node['id']}  {node['title']}" + (f"  ({state})" if state != "live" else "")


def indented(text: str) -> List[str]:
    return [f"  {line}".rstrip() for line in text.splitlines()]


def show_hits(hits: Any) -> str:
    return "\n".join(line for hit in hits for line in [titled(hit), *indented(hit["snippet"])])


def show_nodes(shown: Any) -> str:
    lines: List[str] = []
    for each in shown:
        node = each["node"]
        lines += [titled(node), *indented(node["body"])]
        about = {"aliases": node["aliases"], "tags": node["tags"], "component": node["component"], "by": node["actor"]}
        lines += [f"  {name}: {value if isinstance(value, str) else ', '.join(value)}" for name, value in about.items() if value]
        lines += [f"  {way(edge)} {edge['id']} {edge['title']}" for edge in each["neighbours"]]
        lines += [f"  {item['at']}  {item['what']} by {item['actor']}" for item in each["history"]]
    return "\n".join(lines)


def way(edge: Dict[str, Any]) -> str:
    return f"{edge['relation']} →" if edge["outgoing"] else f"← {edge['relation']}"


def show_tasks(tasks: Any) -> str:
    return "\n".join(f"{task['id']}  p{task['priority']}  {task['title']}" for task in tasks)


def show_health(health: Any) -> str:
    lines = [f"{of['severity']}: {of['message']} [{', '.join(of['ids'])}] {of['remedy']}" for of in health["findings"]]
    return "\n".join(lines) or "well"


def show_import(report: Any) -> str:
    faults = [f"{fault['path'] or ''}:{fault['line']}: {fault['code']}: {fault['message']}".lstrip(":") for fault in report["errors"]]
    counts = ", ".join(f"{report[name]} {name}" for name in ("nodes", "revised", "edges", "unchanged"))
    return "\n".join([*faults, counts if report["applied"] else f"nothing written: {report['error_count']} faults"])


def show_tools(tools: Any) -> str:
    return "\n".join(f"{tool['name']} ({tool['tier']})\n  {tool['description']}" for tool in tools)


def init(record: stele.Record, _: argparse.Namespace) -> Any:
    return {"path": str(record.path), "head": record.head}


def add(record: stele.Record, of: argparse.Namespace) -> Any:
    more = {"body": of.body, "alias": of.alias, "tags": of.tag, "anchors": of.anchor and [{"path": path} for path in of.anchor]}
    if of.kind in ("task", "document", "diagram", "component"):
        return call(record, of.kind, title=of.title, actor=of.actor, **more)
    return call(record, "fact", category=of.kind, title=of.title, actor=of.actor, **more)


def search(record: stele.Record, of: argparse.Namespace) -> Any:
    filters = {"kinds": of.kind, "categories": of.category, "states": of.state, "tags": of.tag, "since": of.since, "until": of.until}
    return call(record, "search", query=" ".join(of.query), mode=of.mode, limit=of.limit, **filters)


def prompt(record: stele.Record, of: argparse.Namespace) -> Any:
    words = sys.stdin.read() if of.prompt == ["-"] else " ".join(of.prompt)
    return call(record, "assemble", prompt=words, session=of.session, mode=of.mode, turn=of.turn, token_budget=of.token_budget)


def show(record: stele.Record, of: argparse.Namespace) -> Any:
    def one(id: str) -> Any:
        history: Any = call(record, "history", id=id) if of.history else []
        return {"node": call(record, "get", id=id), "neighbours": call(record, "neighbours", id=id), "history": history}

    return [one(id) for id in of.id]


def ready(record: stele.Record, of: argparse.Namespace) -> Any:
    return call(record, "ready", limit=of.limit, tags=of.tag, component=of.component)


def health(record: stele.Record, of: argparse.Namespace) -> Any:
    return call(record, "health", full=of.full)


def import_(record: stele.Record, of: argparse.Namespace) -> Any:
    form = of.form or ("adr" if Path(of.path).is_dir() else "jsonl")
    where = {"jsonl": "path_or_lines", "adr": "folder", "beads": "path"}[form]
    return call(record, f"import_{form}", actor=of.actor, partial=of.partial, **{where: of.path})


def export(record: stele.Record, of: argparse.Namespace) -> Any:
    return call(record, "export_graph") if of.path == "-" else call(record, "export_jsonl", path=of.path, log=of.log)


def tools(record: stele.Record, of: argparse.Namespace) -> Any:
    return call(record, "tools", tier=of.tier)


def parser() -> argparse.ArgumentParser:
    def everywhere(of: argparse.ArgumentParser, record: Any, as_json: Any) -> argparse.ArgumentParser:
        of.add_argument(
            "--record", type=Path, metavar="FOLDER", default=record, help="the record; by default the nearest .stele from here upwards"
        )
        of.add_argument("--json", action="store_true", default=as_json, help="print what the verb gives as JSON")
        return of

    # They may stand before the command and after it; after it, what is not given must not undo what stood before.
    every = everywhere(argparse.ArgumentParser(add_help=False), argparse.SUPPRESS, argparse.SUPPRESS)
    writing = argparse.ArgumentParser(add_help=False)
    writing.add_argument("--actor", default="cli", help="who writes; cli by default")
    top = argparse.ArgumentParser(prog="python -m stele", description="Looks into the record of a project.", epilog="`python -m stele hook --help` says how a coding agent is given it.")
    everywhere(top, None, False)
    top.add_argument("--version", action="version", version=stele.__version__)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def always(_: Any) -> bool:
        return True

    def command(
        name: str,
        run: Callable[..., Any],
        text: Callable[[Any], str],
        help: str,
        writes: bool = False,
        well: Callable[[Any], bool] = always,
        parents: Sequence[argparse.ArgumentParser] = (),
    ) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=help, description=help, parents=[every, *parents])
        one.set_defaults(run=run, text=text, writes=writes, well=well)
        return one

    command("init", init, lambda said: said["path"], "make a record, or find that there is one", writes=True)
    one = command("add", add, lambda said: said["id"], "record something and print its id", writes=True, parents=[writing])
    one.add_argument("kind", help="a category, such as decision or risk, or task, document, diagram, component")
    one.add_argument("title")
    one.add_argument("--body")
    one.add_argument("--alias")
    one.add_argument("--tag", action="append")
    one.add_argument("--anchor", action="append", metavar="PATH")
    one = command("search", search, show_hits, "find nodes; any text is a query")
    one.add_argument("query", nargs="+")
    one.add_argument("--mode", choices=["hybrid", "text", "semantic"])
    one.add_argument("--limit", type=int)
    for name in ("kind", "category", "state", "tag"):
        one.add_argument(f"--{name}", action="append")
    one.add_argument("--since", metavar="TIME")
    one.add_argument("--until", metavar="TIME")
    one = command("prompt", prompt, lambda said: said["text"], "print the context that a prompt would get; - reads it from standard input")
    one.add_argument("prompt", nargs="+")
    one.add_argument("--session", help="leave out what this session was served; nothing is marked as served")
    one.add_argument("--mode")
    one.add_argument("--turn", type=int)
    one.add_argument("--token-budget", type=int)
    one = command("show", show, show_nodes, "print nodes with what they are joined to")
    one.add_argument("id", nargs="+")
    one.add_argument("--history", action="store_true", help="and every operation on them")
    one = command("ready", ready, show_tasks, "list the tasks that can be taken up")
    one.add_argument("--limit", type=int)
    one.add_argument("--tag", action="append")
    one.add_argument("--component")
    one = command("health", health, show_health, "say what needs a look, and what to do about it", well=lambda said: said["ok"])
    one.add_argument("--full", action="store_true", help="read every byte of the log and of the indexes")
    one = command(
        "import",
        import_,
        show_import,
        "import JSON Lines, a folder of decision records, or beads",
        writes=True,
        well=lambda said: said["applied"],
        parents=[writing],
    )
    one.add_argument("path")
    one.add_argument("--form", choices=["jsonl", "adr", "beads"], help="by default adr for a folder and jsonl for a file")
    one.add_argument("--partial", action="store_true", help="leave out what has a fault instead of writing nothing")
    one = command("export", export, lambda said: json.dumps(said, ensure_ascii=False), "write JSON Lines to a file; - prints the record as one graph")
    one.add_argument("path")
    one.add_argument("--log", action="store_true", help="write the operations themselves")
    one = command("tools", tools, show_tools, "list the tools that a model may call")
    one.add_argument("--tier", choices=["read", "write", "destructive"])
    return top


def run(arguments: Optional[Sequence[str]] = None) -> int:
    of = parser().parse_args(arguments)
    place = of.record or (Path(HABIT) if of.command == "init" else found(None))
    with stele.open(place, create=of.command == "init", read_only=not of.writes) as record:
        said = of.run(record, of)
    text = json.dumps(said, ensure_ascii=False) if of.json else of.text(said)
    if text:
        print(text.rstrip("\n"))
    return 0 if of.well(said) else NOT_WELL


def main() -> int:
    # What a terminal cannot show must not keep the rest from being shown.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = run()
        sys.stdout.flush()
        return code
    except stele.SteleError as error:
        print(f"stele: {' '.join(str(error).split())}", file=sys.stderr)
        return NOT_DONE
    except BrokenPipeError:
        # Whoever read has enough; what is still held must not be written at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
