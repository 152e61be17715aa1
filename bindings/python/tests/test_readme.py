"""The sample of the README is a file that runs, and prints what the README says."""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def fenced(path):
    """Every fenced block of a file."""
    return re.findall(r"^```\w*\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_sample_of_the_readme_runs_and_prints_what_the_rust_sample_prints():
    sample = HERE / "examples" / "quickstart.py"
    assert sample.read_text(encoding="utf-8") in fenced(HERE / "README.md")
    done = subprocess.run([sys.executable, "-X", "utf8", str(sample)], capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() in [block.strip() for block in fenced(HERE.parents[1] / "README.md")]
