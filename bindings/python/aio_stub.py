"""Writes ``stele/aio.pyi`` from ``stele/_native.pyi``: the same signatures as coroutines. ``--check`` only compares."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent / "stele"
MIRRORED = ("Record", "Recorder", "Retriever", "Session", "Transaction")
# As stele/aio.py has them: at hand, or as quick without a thread.
AT_HAND = {"actor", "defaults", "name", "path", "ranking", "read_only", "session"}
QUICK = {"recorder", "retriever", "set_ranking", "set_token_counter", "tools", "transaction"}
AWAITABLE = {"Recorder", "Retriever"}

HEAD = '''"""The same names as coroutines. Written by ``aio_stub.py`` from the stub of the package; do not edit."""
# pyright: reportPrivateUsage=false

{modules}from types import TracebackType
from typing import {typing}

from ._native import (
{names}
)

__all__ = ["Record", "Recorder", "Retriever", "Session", "Transaction", "open"]
THREADS: Final[int]

'''
OPENING = '''class _Opening:
    """A record that is about to be opened, for ``await`` and for ``async with``."""
    def __init__(self, open: Callable[[], Coroutine[Any, Any, Record]]) -> None: ...
    def __await__(self) -> Generator[Any, None, Record]: ...
    async def __aenter__(self) -> Record: ...
    async def __aexit__(self, *error: Any) -> None: ...
'''


def is_property(item: ast.stmt) -> bool:
    return isinstance(item, ast.FunctionDef) and any(ast.unparse(mark) == "property" for mark in item.decorator_list)


def is_private(item: ast.stmt) -> bool:
    return isinstance(item, ast.FunctionDef) and item.name.startswith("_") and not item.name.startswith("__")


def coroutine(item: ast.FunctionDef) -> ast.stmt:
    return ast.AsyncFunctionDef(**{field: getattr(item, field, None) for field in ast.AsyncFunctionDef._fields}, lineno=0)


def mirrored(item: ast.stmt) -> ast.stmt:
    if not isinstance(item, ast.FunctionDef):
        return item
    if is_property(item):
        if item.name not in AT_HAND:
            item.returns = ast.parse(f"Awaitable[{ast.unparse(item.returns)}]", mode="eval").body
        return item
    if item.name in ("__enter__", "__exit__"):
        item.name = item.name.replace("__", "__a", 1)
        return coroutine(item)
    return item if item.name in QUICK else coroutine(item)


def stub() -> str:
    tree = ast.parse((HERE / "_native.pyi").read_text(encoding="utf-8"))
    parts = [OPENING]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "open":
            node.returns = ast.Name("_Opening")
            parts.append(ast.unparse(node) + "\n")
        if isinstance(node, ast.ClassDef) and node.name in MIRRORED:
            node.body = [mirrored(item) for item in node.body if not is_private(item)]
            node.decorator_list = []
            if node.name in AWAITABLE:
                node.body.append(ast.parse(f"def __await__(self) -> Generator[Any, None, {node.name}]: ...").body[0])
            parts.append(ast.unparse(node) + "\n")
    text = "".join(parts)
    words = set(re.findall(r"[A-Za-z_]\w*", re.sub(r'""".*?"""', "", text, flags=re.S)))
    defined = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    defined |= {ast.unparse(node.targets[0]) for node in tree.body if isinstance(node, ast.Assign)}
    names = sorted((words & defined) - set(MIRRORED) - {"open", "provider", "tokens"})
    imported = next(node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "typing")
    typing = sorted((words & {alias.name for alias in imported.names}) | {"Any", "Awaitable", "Coroutine", "Final", "Generator"})
    modules = "".join(f"import {name}\n" for name in ("datetime", "os") if name in words)
    return HEAD.format(modules=modules, typing=", ".join(typing), names="\n".join(f"    {name}," for name in names)) + text


if __name__ == "__main__":
    written = HERE / "aio.pyi"
    if "--check" not in sys.argv[1:]:
        written.write_bytes(stub().encode())
    elif written.read_text(encoding="utf-8") != stub():
        sys.exit("stele/aio.pyi is not what aio_stub.py writes: run it")
