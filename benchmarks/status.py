"""What `pipeline status` costs over many issues, against reading and parsing the same files.

usage: python benchmarks/status.py [--issues 1000]

Makes a project of issues with three valid artifacts each, and measures in turn, each in a process
of its own: the whole command; a bare Python that opens the same files and calls `json.loads` on
each; and a Python that does nothing, which both contain. Exits with 3 where the command takes more
than the limit.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from benchmarks.limits import MISSED
from pipeline.protocol.layout import ARTIFACTS, artifact_folder

ROUNDS = 7
LIMIT = 1.0  # seconds for a thousand issues
SOLVED = os.path.join(ROOT, "fixtures", "submissions", "practitioner", "04-trace", "solved")
FLOOR = """
import json, os
for issue in os.listdir('.pipeline'):
    for name in ('plan.json', 'worker-result.json', 'git-result.json'):
        with open(f'.pipeline/{issue}/{name}', encoding='utf-8') as file:
            json.loads(file.read())
"""
COMMAND = (
    f"import sys; sys.path.insert(0, {ROOT!r}); from pipeline.console import main;"
    " raise SystemExit(main())"
)


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description="`pipeline status` against reading the files.")
    parser.add_argument("--issues", type=int, default=1000)
    count = parser.parse_args().issues
    with tempfile.TemporaryDirectory() as project:
        fill(project, count)
        works = (
            [sys.executable, "-c", COMMAND, "status"],
            [sys.executable, "-c", COMMAND, "status", "--json"],
            [sys.executable, "-c", FLOOR],
            [sys.executable, "-c", ""],
        )
        rounds = [[seconds(work, project) for work in works] for _ in range(ROUNDS)]
    table, document, floor, start = (statistics.median(each) for each in zip(*rounds, strict=True))
    ratio = statistics.median(each[0] / each[2] for each in rounds)
    net = statistics.median((each[0] - each[3]) / (each[2] - each[3]) for each in rounds)
    print(f"{'issues':>8}{'status s':>10}{'--json s':>10}{'floor s':>9}{'python s':>10}", end="")
    print(f"{'status/floor':>14}{'without start':>15}")
    print(f"{count:>8}{table:>10.3f}{document:>10.3f}{floor:>9.3f}{start:>10.3f}", end="")
    print(f"{ratio:>14.2f}{net:>15.2f}")
    return MISSED if max(table, document) > LIMIT * max(1, count / 1000) else 0


def fill(project: str, count: int) -> None:
    """Give a project that many issues, each with the artifacts of a finished run."""
    solved = os.path.join(SOLVED, artifact_folder(".", "ISSUE-202"))
    contents = {}
    for name in ARTIFACTS:
        with open(os.path.join(solved, name), "rb") as file:
            contents[name] = file.read()
    for number in range(1, count + 1):
        folder = os.path.join(project, artifact_folder(".", f"ISSUE-{number}"))
        os.makedirs(folder)
        for name, data in contents.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)


def seconds(command: list[str], project: str) -> float:
    """Return how long a command took in a project's folder; it must succeed."""
    begin = time.perf_counter()
    subprocess.run(command, cwd=project, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


if __name__ == "__main__":
    raise SystemExit(main())
