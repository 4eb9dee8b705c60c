"""A class of 100 graded by us and by the graders that people use: the same four checks, whole runs.

usage: python benchmarks/peers.py [--quick] [--environments DIR] [--only PEER ...]

Of 100 plans 20 are broken, in five ways: no file, JSON cut short, a field missing, a file without a
step, a step for a file that is not listed. The checks: `plan.json` exists, is JSON, has its fields,
its files and steps agree. check50 and gatorgrade are started for each submission, as they know no
class; check-jsonschema takes all files at once, has three of the four checks, and cannot be given
the files that are missing. Each peer is installed, pinned, in an environment of its own. The
verdicts of each must be the true ones before its time counts. Ours is run in turn with each peer,
and writes its gradebook and all verdicts. `--quick` starts check50 and gatorgrade for 20
submissions and takes the time five times. Exits with 3 where a bound is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from benchmarks.measure import GRADER, MISSED
from benchmarks.peers_class import BLIND, FOLDER, PLAN, made_class, sample_of
from verify.course import catalog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PACKS = os.path.join(ROOT, "benchmarks", "peers")
EXERCISE = "basics/01"
CHECKS = (
    "plan.json is in the issue's folder",
    "plan.json is strict JSON",
    "plan.json has its required fields",
    "affected_files and steps name the same files",
)
EVERY = 10  # starts of a peer for one run of ours
ROUNDS = 10  # of a peer that takes all at once
OURS = "verify batch"


class Peer(NamedTuple):
    """A grader: what installs it, the bound, and its verdict on the submissions that it is given.

    `grade` returns those that passed. `blind` are the faults that it cannot see, `at_once` tells
    that it takes all submissions in one run.
    """

    requirement: str
    bound: float
    grade: Callable[[str, str, list[str]], set[str]]
    blind: frozenset[str] = frozenset()
    at_once: bool = False

    @property
    def name(self) -> str:
        """Return what it is called."""
        return self.requirement.partition("==")[0]


class Row(NamedTuple):
    """What was measured of a peer: seconds for the whole class, of it and of ours, in turn."""

    peer: Peer
    theirs: float
    ours: float
    graded: int


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description="A class of 100 against other graders.")
    parser.add_argument("--quick", action="store_true", help="20 starts of a peer in place of 100")
    parser.add_argument("--environments", help="where the peers' environments are kept")
    names = [peer.name for peer in PEERS]
    parser.add_argument("--only", choices=names, nargs="+", default=names)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        places = options.environments or os.path.join(folder, "environments")
        rows = [
            measured(peer, installed(peer, places), folder, quick=options.quick)
            for peer in PEERS
            if peer.name in options.only
        ]
    print(f"{'grader':<28}{'started for':>12}{'theirs s':>10}{'ours s':>8}{'ratio':>8}{'bound':>8}")
    for peer, theirs, ours, graded in rows:
        started = "all at once" if peer.at_once else f"{graded} of 100"
        print(f"{peer.requirement:<28}{started:>12}{theirs:>10.2f}{ours:>8.3f}", end="")
        print(f"{theirs / ours:>8.1f}{peer.bound:>8.1f}")
    return MISSED if any(row.theirs / row.ours <= row.peer.bound for row in rows) else 0


def measured(peer: Peer, place: str, folder: str, *, quick: bool) -> Row:
    """Let a peer and ourselves grade the class in turn, and compare all verdicts with the truth.

    Raises:
        SystemExit: a verdict is wrong.
    """
    truth = made_class(os.path.join(folder, "class"))
    course = made_course(os.path.join(folder, "course"))
    submissions = os.path.join(folder, "class")
    given = [name for name, fault in truth.items() if not (peer.at_once and fault in BLIND)]
    given = sample_of(truth) if quick and not peer.at_once else given
    right = {name for name in given if truth[name] in ("", *peer.blind)}
    good = {name for name, fault in truth.items() if not fault}
    step = len(given) if peer.at_once else EVERY
    pieces = [given[first : first + step] for first in range(0, len(given), step)]
    theirs, ours = [], []
    peer.grade(place, submissions, given[:1])  # the first start is slower: compiled files
    ours_timed(course, submissions, folder, good)
    for piece in pieces * ROUNDS if peer.at_once else pieces:
        start = time.perf_counter()
        passed = peer.grade(place, submissions, piece)
        theirs.append(time.perf_counter() - start)
        agree(peer.name, passed, right.intersection(piece))
        ours.append(ours_timed(course, submissions, folder, good))
    spent = median(theirs) if peer.at_once else sum(theirs) * len(truth) / len(given)
    return Row(peer, spent, median(ours), len(given))


def agree(name: str, passed: set[str], right: set[str]) -> None:
    """Compare verdicts with the truth.

    Raises:
        SystemExit: one is wrong.
    """
    if passed != right:
        raise SystemExit(f"{name}: wrong on {', '.join(sorted(passed ^ right))}")


def made_course(place: str) -> str:
    """Make a course as its author does, and make sure that it has the four checks and no other.

    Raises:
        SystemExit: it has others.
    """
    if not os.path.isdir(place):
        make = [*GRADER, "new-course", place]
        subprocess.run(make, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        os.unlink(os.path.join(place, "exercises", "basics", "ex02_retro.py"))  # these four only
    titles = tuple(check.title for check in catalog.find("basics", "01", place).checks)
    if titles != CHECKS:
        raise SystemExit(f"{EXERCISE} of a new course has other checks: {titles}")
    return place


def ours_timed(course: str, submissions: str, folder: str, good: set[str]) -> float:
    """Grade the class with ours and return the seconds; the verdicts must be the true ones."""
    gradebooks, verdicts = os.path.join(folder, "ours"), os.path.join(folder, "verdicts.jsonl")
    shutil.rmtree(gradebooks, ignore_errors=True)
    os.makedirs(gradebooks)
    words = ["batch", submissions, "--course", course, "--exercise", EXERCISE, "--quiet"]
    words += ["--gradebook", os.path.join(gradebooks, "gradebook.db"), "--jsonl", verdicts]
    start = time.perf_counter()
    code = subprocess.run([*GRADER, *words], cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
    spent = time.perf_counter() - start
    if code.returncode != 1:  # there are broken submissions
        raise SystemExit(f"{OURS} ended with {code.returncode}")
    with open(verdicts, encoding="utf-8") as file:
        message = [json.loads(line) for line in file]
    agree(
        OURS,
        {standing["learner"] for standing in message if standing["marks"][0]["outcome"] == "pass"},
        good,
    )
    return spent


def installed(peer: Peer, places: str) -> str:
    """Return the folder of a peer's programs; its environment is made where there is none."""
    place = os.path.join(places, peer.name)
    programs = os.path.join(place, "bin")
    if not os.path.exists(os.path.join(programs, peer.name)):
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        pip = [os.path.join(programs, "python"), "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", peer.requirement], check=True)
    return programs


def by_check50(programs: str, submissions: str, names: Iterable[str]) -> set[str]:
    """Start check50 for each submission, and return those of which it says that all is well."""
    words = [os.path.join(programs, "check50"), "--dev", os.path.join(PACKS, "check50_checks")]
    passed = set()
    for name in names:
        message = json.loads(_output([*words, "-o", "json"], programs, submissions, name))
        results = [check["passed"] for check in message["results"]]
        if len(results) != len(CHECKS):
            raise SystemExit(f"check50 ran {len(results)} checks")
        if all(results):
            passed.add(name)
    return passed


def by_gatorgrade(programs: str, submissions: str, names: Iterable[str]) -> set[str]:
    """Start gatorgrade for each submission, and return those of which it says that all is well."""
    config = os.path.join(PACKS, "gatorgrade.yml")
    words = [os.path.join(programs, "gatorgrade"), "--config", config]
    passed = set()
    for name in names:
        message = _output(words, programs, submissions, name)
        if f"/{len(CHECKS)} (" not in message:
            raise SystemExit(f"gatorgrade did not end its checks: {message[-500:]}")
        if f"{len(CHECKS)}/{len(CHECKS)} (" in message:
            passed.add(name)
    return passed


def by_check_jsonschema(programs: str, submissions: str, names: Iterable[str]) -> set[str]:
    """Start check-jsonschema once for all files, and return those that it has nothing against."""
    files = {os.path.join(submissions, name, FOLDER, PLAN): name for name in names}
    schema = os.path.join(PACKS, "plan.schema.json")
    words = [os.path.join(programs, "check-jsonschema"), "--schemafile", schema, "-o", "JSON"]
    done = subprocess.run([*words, *files], capture_output=True, text=True, check=False)
    message = json.loads(done.stdout)
    wrong = [*message.get("errors", ()), *message.get("parse_errors", ())]
    return set(files.values()) - {files[error["filename"]] for error in wrong}


def _output(words: list[str], programs: str, submissions: str, name: str) -> str:
    """Return what a peer prints of a submission; its own Python is the one that it finds."""
    path = os.pathsep.join((programs, os.environ.get("PATH", "")))
    done = subprocess.run(
        words,
        cwd=os.path.join(submissions, name, FOLDER),
        env={**os.environ, "PATH": path, "PEER_CHECKS": PACKS},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return done.stdout


PEERS = (
    Peer("check50==3.5.0", 50.0, by_check50),
    Peer("gatorgrade==0.12.1", 50.0, by_gatorgrade),
    Peer(
        "check-jsonschema==0.39.0",
        1.0,
        by_check_jsonschema,
        blind=frozenset({"uncovered", "undeclared"}),
        at_once=True,
    ),
)

if __name__ == "__main__":
    raise SystemExit(main())
