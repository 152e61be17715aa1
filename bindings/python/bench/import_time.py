"""How much longer an interpreter takes that imports stele: at most 3 ms. Whole processes in turn, the best and the median of each."""

import statistics
import subprocess
import sys
import time

ROUNDS = 60
CODES = {"bare": "pass", "import stele": "import stele", "import stele.aio": "import stele.aio", "import asyncio": "import asyncio"}


def once(code: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return (time.perf_counter() - began) * 1e3


def main() -> None:
    taken = {name: [] for name in CODES}
    for _ in range(ROUNDS):
        for name, code in CODES.items():
            taken[name].append(once(code))
    bare = taken["bare"]
    for name, times in taken.items():
        best, middle = min(times) - min(bare), statistics.median(times) - statistics.median(bare)
        print(f"{name:18} best {min(times):6.2f} ms, median {statistics.median(times):6.2f} ms; over bare {best:5.2f} and {middle:5.2f} ms")


if __name__ == "__main__":
    main()
