"""``python -m stele hook``: answers an agent's hook event, or installs the hook.

A shell around the native module, which decides everything. Whatever goes wrong with an event is one line of standard error;
the agent goes on.
"""

from __future__ import annotations

import os
import sys
from typing import List


def run(arguments: List[str]) -> int:
    # A hook stands in no agent's way, whatever happens: a module that does not load, a pipe that is closed.
    try:
        from ._native import hook, hook_reads_input

        stdout, stderr, code = hook(
            arguments,
            sys.stdin.buffer.read() if hook_reads_input(arguments) else b"",
            folder=os.getcwd(),
            home=os.path.expanduser("~"),
            project=os.environ.get("CLAUDE_PROJECT_DIR"),
            command=[sys.executable, "-m", "stele", "hook"],
        )
        sys.stderr.write(stderr)
        sys.stdout.buffer.write(stdout.encode())
        sys.stdout.flush()
        return code
    except Exception as fault:
        print(f"stele-hook: {fault}".splitlines()[0], file=sys.stderr)
        return 0
