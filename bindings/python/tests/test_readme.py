"""The samples of the README are files that run, and print what a README says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1]
SAMPLES = sorted((HERE / "examples").glob("*.py"))
# Waits for a client; test_mcp.py is one.
SERVER = HERE / "examples" / "mcp_server.py"


def fenced(path):
    """Every fenced block of a file."""
    return re.findall(r"^```\w*\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_server_of_the_readme_is_the_one_that_is_tested():
    assert SERVER.read_text(encoding="utf-8") in fenced(HERE / "README.md")


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample != SERVER], ids=lambda sample: sample.name)
def test_a_sample_of_the_readme_runs_and_prints_what_a_readme_says(sample):
    assert sample.read_text(encoding="utf-8") in fenced(HERE / "README.md")
    done = subprocess.run([sys.executable, "-X", "utf8", str(sample)], capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    # The first sample prints what the one in Rust prints, which stands in the README of the whole.
    shown = fenced(HERE / "README.md") + fenced(HERE.parents[1] / "README.md")
    assert done.stdout.strip() in [block.strip() for block in shown]
