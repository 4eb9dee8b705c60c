"""How long a learner waits: whole processes, paired with `from pydantic import BaseModel`.

usage: python benchmarks/cold_start.py [--runs 20]

The commands are as a learner types them: by the Python that made `.venv`, the floor by `.venv`'s.
Prints, for each command, the median of the ratios of paired runs and the peak memory. The floor and
the command run in turn, so that a machine whose speed drifts slows both.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOLVED = "fixtures/submissions/practitioner/02-delegate/solved"
BROKEN = "fixtures/submissions/practitioner/02-delegate/broken-files-and-steps"
VERIFY = "docs/practitioner/tutorials/verify.py"
TYPED = os.path.realpath(sys.executable)
FLOOR = ("-c", "from pydantic import BaseModel")
COMMANDS = {
    "verify.py --exercise 02, solved (at most 0.8)": (
        VERIFY,
        "--exercise",
        "02",
        "--project",
        SOLVED,
    ),
    "verify.py --exercise 02, not begun (at most 0.9)": (VERIFY, "--exercise", "02"),
    "verify.py --exercise 02, broken": (VERIFY, "--exercise", "02", "--project", BROKEN),
    "schema.py --validate, valid (at most 1.3)": (
        "pipeline/schema.py",
        "--validate",
        f"{SOLVED}/sandbox/.pipeline/ISSUE-201/plan.json",
    ),
    "python -c pass, for comparison": ("-c", "pass"),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Cold starts against importing pydantic.")
    parser.add_argument("--runs", type=int, default=20, help="paired runs of each command")
    runs = parser.parse_args().runs
    print(f"{'command':<50}{'ratio':>7}{'ms':>7}{'floor ms':>10}{'peak MB':>9}")
    for name, arguments in COMMANDS.items():
        pairs = [(timed(arguments, TYPED), timed(FLOOR, sys.executable)) for _ in range(runs + 1)][
            1:
        ]
        ratio = statistics.median(run[0] / floor[0] for run, floor in pairs)
        ours = statistics.median(run[0] for run, _ in pairs) * 1000
        floor = statistics.median(floor[0] for _, floor in pairs) * 1000
        peak = max(run[1] for run, _ in pairs)
        print(f"{name:<50}{ratio:>7.2f}{ours:>7.0f}{floor:>10.0f}{peak:>9.1f}")


def timed(arguments: tuple[str, ...], python: str) -> tuple[float, float]:
    """Return the wall time in seconds and the peak memory in MB of one Python process."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [python, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, usage = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - start
    process.returncode = 0  # it has been waited for
    return elapsed, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
