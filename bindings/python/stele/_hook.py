"""``python -m stele hook``: answers an agent's hook event, or installs the hook.

A shell around the native module, which decides everything. Whatever goes wrong with an event is one line of standard error;
the agent goes on.
"""

from __future__ import annotations

import os
import sys
from typing import List


def put(descriptor: int, text: str) -> None:
    # Without a buffer, of which the interpreter would speak once more as it ends.
    left = memoryview(text.encode())
    while left:
        left = left[os.write(descriptor, left) :]


def run(arguments: List[str]) -> int:
    # A hook stands in no agent's way, whatever happens: a module that does not load, a pipe that is closed.
    try:
        from ._native import hook

        stdout, stderr, code = hook(
            arguments,
            folder=os.getcwd(),
            home=os.path.expanduser("~"),
            project=os.environ.get("CLAUDE_PROJECT_DIR"),
            user=os.geteuid() if hasattr(os, "geteuid") else None,
            command=[sys.executable, "-m", "stele", "hook"],
        )
        put(2, stderr)
        put(1, stdout)
        return code
    except Exception as fault:
        try:
            put(2, f"stele-hook: {' '.join(str(fault).split())}\n")
        except OSError:
            pass
        return 0
