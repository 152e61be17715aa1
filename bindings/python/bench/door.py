"""What a retrieval takes through Python beside the Rust call, on one record in one run: at most 1.15 times it plus 50 us.

``python bench/door.py DOOR [FACTS ...]``, where DOOR is the program of ``cargo build --release -p stele-bench --bin door``. The
module must be a release build too (``maturin develop --release``), or both of another profile. Both sides take turns, prompt by prompt; each prompt counts with its best time.
"""

import statistics
import subprocess
import sys
import time

import stele

ROUNDS, PROMPTS = 15, 40


def ask(door: str, *words: str) -> str:
    return subprocess.run([door, *words], check=True, capture_output=True, text=True).stdout


def measure(door: str, folder: str) -> None:
    prompts = ask(door, "prompts", str(PROMPTS)).splitlines()
    rust = {prompt: [] for prompt in prompts}
    python = {prompt: [] for prompt in prompts}
    with stele.open(folder, read_only=True) as record:
        retriever = record.retriever()
        with subprocess.Popen([door, "time", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as other:
            for _ in range(ROUNDS):
                for prompt in prompts:
                    other.stdin.write(prompt + "\n")
                    rust[prompt].append(int(other.stdout.readline()) / 1e3)
                    began = time.perf_counter_ns()
                    found = retriever.retrieve(prompt)
                    python[prompt].append((time.perf_counter_ns() - began) / 1e3)
                    del found
            other.stdin.close()
    pairs = [(min(rust[prompt]), min(python[prompt])) for prompt in prompts]
    core, door_too = (statistics.median(times) for times in zip(*pairs))
    more = statistics.median(through - without for without, through in pairs)
    kept = sum(through <= 1.15 * without + 50 for without, through in pairs)
    print(f"{folder}: Rust {core:.0f} us, Python {door_too:.0f} us, the door {more:+.0f} us; {kept} of {len(pairs)} prompts within the bound")


if __name__ == "__main__":
    for facts in sys.argv[2:] or ["100", "10000"]:
        measure(sys.argv[1], ask(sys.argv[1], "record", facts).strip())
