"""Proves that who cheats gets no full points once the work is run, whatever they do instead."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import ROOT
from pipeline.files import read_file, write_whole
from pipeline.git import Repository
from pipeline.jail import JailLimits
from pipeline.terminal.programs import no_version
from verify.course import catalog
from verify.grading.artifacts import Context
from verify.grading.model import Outcome
from verify.grading.runner import grade
from verify.grading.ways import JAIL, Ran
from verify.running.criteria import ask, lacking
from verify.running.service import Bounds
from verify.running.sources import ARCHIVE
from verify.selftest.course import Defect
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from verify.grading.model import Exercise
    from verify.selftest.course import ProvenCourse

CHEATERS = "fixtures/cheaters"  # services that run in the place of the work
SAMPLE = 6  # that are tried where not all are asked for: a second each
_SOLUTIONS = os.path.join(ROOT, "fixtures", "solutions")
_WHO = {
    f"GIT_{who}_{name}": value
    for who in ("AUTHOR", "COMMITTER")
    for name, value in (("NAME", "A Learner"), ("EMAIL", "learner@example.org"))
}
_NO_SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_LONG_AGO = "2020-02-02T02:02:02Z"
_LIMITS = JailLimits(memory=300 << 20, processes=64, cpu_seconds=3, temporary=32 << 20)
_QUICK = Bounds(starting=4, answering=2, limits=_LIMITS)  # nothing honest is asked here
_SEED = 30


class UndoneWork(NamedTuple):
    """The solution of an issue in a repository, not committed yet, and the files it changes."""

    repository: Repository
    issue: str
    changed: list[str]  #: in the sandbox

    def path(self, name: str) -> str:
        """Return the path of a file of the sandbox."""
        return os.path.join(self.repository.root, "sandbox", *name.split("/"))

    def take_back(self, within: str = "") -> None:
        """Take back what the solution changes: who added a file leaves a comment in it."""
        for name in self.changed:
            known = self.repository.run("ls-files", "--", f"sandbox/{name}")
            if known and name.startswith(within):
                self.repository.run("restore", "--", f"sandbox/{name}")
            elif name.startswith(within):
                write_whole(self.path(name), b"// to do\n")


Change = Callable[[UndoneWork], None]


# --- kinds of cheaters --------------------------------------------------------------------------


def _fills(work: UndoneWork, text: bytes = b"x") -> None:
    for name in work.changed:
        write_whole(work.path(name), text)


def _links(work: UndoneWork) -> None:
    host = tempfile.mkdtemp(dir=os.path.dirname(work.repository.root))
    for number, name in enumerate(work.changed):
        os.rename(work.path(name), os.path.join(host, str(number)))
        os.symlink(os.path.join(host, str(number)), work.path(name))


def _removes(work: UndoneWork) -> None:
    for folder in ("src", "test"):
        shutil.rmtree(work.path(folder))


def _copies_another(work: UndoneWork) -> None:
    work.take_back()
    issue = "ISSUE-102" if work.issue == "ISSUE-101" else "ISSUE-101"
    _apply(work.repository, issue)


def _serves(path: str, work: UndoneWork) -> None:
    shutil.copy(work.path("src/server.js"), work.path("src/solution.js"))
    shutil.copy(path, work.path("src/server.js"))


_OTHERS: dict[str, Change] = {
    "artifacts-alone": _removes,
    "back-dated-filler": _fills,
    "comments": partial(_fills, text=b"// done\n"),
    "filler": _fills,
    "links-to-the-host": _links,
    "solution-of-another-issue": _copies_another,
    "tests-alone": partial(UndoneWork.take_back, within="src/"),
}


def kinds(root: str = ROOT) -> dict[str, Change]:
    """Return the kinds of cheaters by name, none where a checkout has no services of them."""
    folder = os.path.join(root, *CHEATERS.split("/"))
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    services = {name[:-3]: partial(_serves, os.path.join(folder, name)) for name in names}
    return {**services, **_OTHERS} if services else {}


# --- submissions --------------------------------------------------------------------------------


def _apply(repository: Repository, issue: str) -> str:
    """Apply the solution of an issue, and return the message of its commit."""
    about = json.loads(read_file(os.path.join(_SOLUTIONS, issue, "recording.json")))
    words = [] if about["project"] == "." else ["--directory=sandbox"]
    repository.run("apply", *words, os.path.join(_SOLUTIONS, issue, "changes.patch"))
    return str(about["message"])


def submit(exercise: Exercise, folder: str, change: Change, date: str = "") -> None:
    """Make a submission of the course's solutions, each after a change.

    Each issue has its branch and commit, of the date if one is given, where results are asked for.
    """
    parent = Repository(os.path.dirname(folder))
    parent.run("clone", "--quiet", "--branch=main", ARCHIVE, folder)
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
    repository = Repository(folder, {**_WHO, **_NO_SETTINGS, **dates}, hooks=False)
    for issue in dict.fromkeys(re.findall(r"ISSUE-[0-9]+", " ".join(exercise.paths))):
        artifacts = os.path.join(folder, exercise.target or ".", ".pipeline", issue)
        repository.run("switch", "--quiet", "main")
        message = _apply(repository, issue)
        shutil.copytree(os.path.join(_SOLUTIONS, issue), artifacts, ignore=_not_artifacts)
        worker = json.loads(read_file(os.path.join(artifacts, "worker-result.json")))
        changed = [path.removeprefix("sandbox/") for path in worker["files_changed"]]
        change(UndoneWork(repository, issue, changed))
        if any(path.endswith("git-result.json") for path in exercise.paths):
            result = _publish(repository, issue, message)
            write_whole(os.path.join(artifacts, "git-result.json"), json.dumps(result).encode())


def _not_artifacts(_: str, names: list[str]) -> set[str]:
    return {*names} - {"plan.json", "worker-result.json"}


def _publish(repository: Repository, issue: str, message: str) -> dict[str, str]:
    branch = f"feature/{issue.lower()}"
    repository.run("switch", "--quiet", "-c", branch)
    repository.run("add", "--all", "--", "sandbox/src", "sandbox/test", "sandbox/README.md")
    repository.run("commit", "--quiet", "--allow-empty", "-m", message)
    return {
        "branch": branch,
        "commit_sha": repository.commit("HEAD"),
        "commit_message": message,
        "pr_url": "https://git.example.org/course/sandbox/pull/7",
        "produced_by": "x-git",
    }


# --- what they get ------------------------------------------------------------------------------


class Tried(NamedTuple):
    """What became of the cheaters."""

    tried: int  #: how many
    there: int  #: of how many
    defects: tuple[Defect, ...]  #: those that get full points


def tried(course: ProvenCourse, *, is_whole: bool) -> Tried | str:
    """Return what becomes of the cheaters of a course, or of some, or why none can be run."""
    found = kinds(course.root)
    asked = [exercise for exercise in course.selected if exercise.asks and found]
    exercises = [catalog.asking(exercise, tests=False) for exercise in asked]
    if line := next(filter(None, (lacking(exercise, "", JAIL) for exercise in exercises)), ""):
        return line
    pairs = [(name, exercise) for name in found for exercise in exercises]
    step = 1 if is_whole else max(1, len(pairs) // SAMPLE)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda pair: _defects(pair[1], pair[0], found[pair[0]]), pairs[::step])
        defects = tuple(defect for of_pair in results for defect in of_pair)
    return Tried(len(pairs[::step]), len(pairs), defects)


def _defects(exercise: Exercise, kind: str, change: Change) -> list[Defect]:
    date = _LONG_AGO if kind.startswith("back-dated") else ""
    with tempfile.TemporaryDirectory(prefix="verify-cheater-", ignore_cleanup_errors=True) as home:
        folder = os.path.join(home, "work")
        submit(exercise, folder, change, date)
        with open_folder(folder) as submission:
            context = Context(exercise, submission, catalog.issue_of(exercise), no_version)
            ask(context, "", Ran(JAIL, _SEED), _QUICK)
            results = grade(context).results
    outcomes = {result.outcome for result in results if result.check.asks_service}
    if Outcome.FAIL in outcomes and Outcome.ERROR not in outcomes:
        return []
    what = "could not be run" if Outcome.ERROR in outcomes else "gets full points"
    to_do = "Add an exchange that it cannot answer to the acceptance criteria of the issue."
    return [Defect("cheaters", f"{exercise.name} {kind}", f"a cheater {what}", to_do)]
