"""What holding a trace against its git history costs, in a warm process.

usage: python benchmarks/evidence.py [--repositories 200]

Makes repositories of 20 commits by git itself, packed as a clone is: twelve commits on the main
branch, eight of the work. Each is graded by expert/04 with its eight checks of the history, and
without them; the difference is what evidence costs. A bundle of the same histories is measured
after it. Exits with 3 where a submission with a packed `.git` takes more than 3 milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from typing import TYPE_CHECKING

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from benchmarks.measure import MISSED
from pipeline.terminal.programs import no_version
from verify.course import catalog
from verify.course.catalog import issue_text
from verify.grading.artifacts import Context
from verify.grading.runner import grade
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from verify.grading.model import Exercise

ROUNDS = 7
MOST = 3.0  # milliseconds for a submission of 20 commits
BEFORE, WORK = 12, 8  # commits
SOLVED = os.path.join(ROOT, "fixtures", "submissions", "expert", "04-evidence", "solved")
FOLDER = ".pipeline/ISSUE-305"


def main() -> int:
    """Measure and print; return 3 where the bound is missed."""
    parser = argparse.ArgumentParser(description="Evidence from git, per submission.")
    parser.add_argument("--repositories", type=int, default=200)
    count = parser.parse_args().repositories
    whole = catalog.find("expert", "04")
    plain = replace(whole, checks=tuple(check for check in whole.checks if not check.compares_git))
    with tempfile.TemporaryDirectory() as folder:
        cloned = [os.path.join(folder, f"learner-{index:04}") for index in range(count)]
        bundled = [f"{path}-bundle" for path in cloned]
        for number, (clone, bundle) in enumerate(zip(cloned, bundled, strict=True)):
            make(clone, bundle, number)
        costs = {
            "a packed .git": cost(whole, plain, cloned),
            "a bundle": cost(whole, plain, bundled),
        }
    for kind, milliseconds in costs.items():
        print(f"evidence from {kind} of {BEFORE + WORK} commits: {milliseconds:.2f} ms each")
    print(f"the bound is {MOST:.0f} ms, over {count} submissions")
    return MISSED if costs["a packed .git"] > MOST else 0


def cost(whole: Exercise, plain: Exercise, submissions: list[str]) -> float:
    """Return what the checks of the history add for each submission, in milliseconds."""
    graded(whole, submissions)  # warm
    pairs = [(graded(whole, submissions), graded(plain, submissions)) for _ in range(ROUNDS)]
    return statistics.median(with_it - without for with_it, without in pairs) / len(submissions)


def graded(exercise: Exercise, submissions: list[str]) -> float:
    """Grade each submission, which must pass, and return the milliseconds that it took."""
    issue, version_of = issue_text(exercise.issue), no_version
    start = time.perf_counter()
    for root in submissions:
        with open_folder(root) as submission:
            if not grade(Context(exercise, submission, issue, version_of), strict=True).passed:
                raise SystemExit(f"{root} does not pass {exercise.name}")
    return (time.perf_counter() - start) * 1e3


def make(clone: str, bundle: str, number: int) -> None:
    """Make a submission with a packed history, and one with a bundle of it."""
    shutil.copytree(SOLVED, clone, ignore=shutil.ignore_patterns("*.bundle"))
    paths = json.loads(_read(f"{clone}/{FOLDER}/plan.json"))["affected_files"]
    branch = json.loads(_read(f"{clone}/{FOLDER}/git-result.json"))["branch"]
    git(clone, "init", "--quiet", "--template=", "--initial-branch=main")
    for step in range(BEFORE):
        _write(f"{clone}/src/module-{step % 5}.js", f"// {number}, {step}\n" * 40)
        git(clone, "add", "--", "src")
        git(clone, "commit", "--quiet", "-m", f"chore: step {step}")
    git(clone, "switch", "--quiet", "-c", branch)
    for step, path in enumerate(paths[:WORK]):
        _write(f"{clone}/{path}", f"// {number}, {path}\n" * 40)
        git(clone, "add", "--", path)
        said = "feat: export and import notes" if step == WORK - 1 else f"feat: step {step}"
        git(clone, "commit", "--quiet", "-m", said)
    sha = git(clone, "rev-parse", "HEAD").strip()
    result = json.loads(_read(f"{clone}/{FOLDER}/git-result.json"))
    _write(f"{clone}/{FOLDER}/git-result.json", json.dumps({**result, "commit_sha": sha}))
    git(clone, "gc", "--quiet", "--prune=now")
    shutil.copytree(f"{clone}/.pipeline", f"{bundle}/.pipeline")
    git(clone, "bundle", "create", "--quiet", f"{bundle}/.pipeline/history.bundle", "--all")


def git(folder: str, *words: str) -> str:
    """Run git by nobody's settings; it must succeed."""
    who = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org"}
    who |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in who.items()}
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-C", folder, *words],  # noqa: S607  # the user's own git
        env={**os.environ, **who, **quiet},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    raise SystemExit(main())
