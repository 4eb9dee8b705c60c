"""Measures what a run of the pipeline adds to the work itself: `pipeline demo`, local forge.

Each run takes ISSUE-202 to a pull request in a fresh copy of the sandbox. The floor does the same
by hand, with the same git: clone, apply the patch, make the branch, commit, push to a new bare
repository. The difference is the runner's own: start, checks between the stages,
snapshots, artifacts, the page. Whole processes, alternately; minimum and median are printed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

ARCHIVE = ROOT / "fixtures" / "sandbox.bundle"
PATCH = ROOT / "fixtures" / "solutions" / "ISSUE-202" / "changes.patch"
BOUND = 1.0  # seconds that the runner may add
ENVIRONMENT = {
    **os.environ,
    **{f"GIT_{who}_NAME": "A Learner" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "learner@example.org" for who in ("AUTHOR", "COMMITTER")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
FLOOR = f"""
set -e
git clone -q --branch=main '{ARCHIVE}' repository
cd repository
git apply '{PATCH}'
git switch -q -c feature/issue-202-page-through-the-list
git add sandbox
git commit -q -m 'feat: page through the list of notes'
git init -q --bare ../origin.git
git push -q ../origin.git main feature/issue-202-page-through-the-list
"""


def main() -> int:
    """Measure, print and return 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=7, help="of each (default: 7)")
    runs = parser.parse_args().runs
    run = [sys.executable, "-m", "pipeline", "demo", "ISSUE-202", "--to", "repository"]
    with tempfile.TemporaryDirectory() as folder:
        pairs = [
            (timed(Path(folder, f"run-{n}"), run), timed(Path(folder, f"floor-{n}"), FLOOR))
            for n in range(runs)
        ]
    whole, floor = ([pair[side] for pair in pairs] for side in (0, 1))
    added = [one - other for one, other in pairs]
    for name, seconds in (("pipeline demo", whole), ("by hand", floor), ("added", added)):
        print(f"{name:<14}min {min(seconds):.3f} s  median {statistics.median(seconds):.3f} s")
    print(f"ratio to the work by hand: {statistics.median(whole) / statistics.median(floor):.1f}")
    print(f"added by the runner, at most {BOUND:.1f} s: {statistics.median(added):.2f} s")
    return 0


def timed(folder: Path, command: list[str] | str) -> float:
    """Return how many seconds a command takes in a fresh folder."""
    folder.mkdir()
    words = command if isinstance(command, list) else ["sh", "-c", command]
    started = time.perf_counter()
    subprocess.run(
        words,
        cwd=folder,
        env={**ENVIRONMENT, "PYTHONPATH": str(ROOT)},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - started


if __name__ == "__main__":
    raise SystemExit(main())
