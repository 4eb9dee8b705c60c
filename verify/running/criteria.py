"""Asks a submission's running service the acceptance criteria of an issue, one at a time."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import ROOT, from_here
from pipeline.files import Unreadable, read_file
from pipeline.jail import missing
from pipeline.protocol.layout import GIT_RESULT
from pipeline.terminal.display import named, visible
from pipeline.terminal.fault import unusable
from pipeline.terminal.programs import installed_version
from verify.acceptance.evaluation import hold
from verify.acceptance.reading import ENDING, LISTEN, load
from verify.acceptance.service import NoAnswer, Request
from verify.course import catalog
from verify.grading.artifacts import ArtifactRef, Context
from verify.grading.model import Finding, Outcome, Verdict, failed, not_checked
from verify.grading.ways import JAIL, BrokenRun
from verify.running.own_tests import OwnTests
from verify.running.service import BOUNDS, NotStarted, Project, Starter
from verify.running.sources import INSTALLED, laid_over, published, shipped, sources_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from verify.acceptance.model import Acceptance
    from verify.acceptance.service import Service
    from verify.grading.model import Exercise
    from verify.grading.ways import Ran
    from verify.running.service import Bounds
    from verify.running.sources import Sources

_NODE = (20, 0)
_SEEDS = 1_000_000
_NEEDED = ("sh", "tar", "prlimit")
_LOCK = "package-lock.json"


class Place(NamedTuple):
    """Where a course keeps a service, and the criteria that it is asked."""

    folder: str  #: of the service, relative to the course
    course: str  #: empty for this project's

    def acceptance(self, issue: str) -> Acceptance:
        """Return the criteria of an issue; raises `Fault`."""
        text = catalog.issue_text(issue, self.course)
        labels = tuple(text.criteria) if text else ()
        folder = catalog.issues_in(self.course)
        return _acceptance(os.path.join(folder, f"{issue}{ENDING}"), labels)

    @property
    def service(self) -> str:
        """Return the folder of the service in the course."""
        return os.path.join(self.course or ROOT, *self.folder.split("/"))

    @property
    def installed(self) -> str:
        """Return the folder of the packages that the service needs, empty if it is missing."""
        path = os.path.join(self.service, INSTALLED)
        return path if os.path.isdir(path) else ""

    @property
    def files(self) -> Mapping[str, bytes]:
        """Return the sources that the course comes with."""
        return shipped(self.course, self.folder)

    def lacks(self, way: str, issue: str) -> str:
        """Return what this machine lacks to run the service, in one line; empty for nothing."""
        if not hasattr(socket, "AF_UNIX"):
            return "Unix sockets are missing here: use Linux or macOS"
        if way == JAIL and (line := missing()):
            return line
        command = self.acceptance(issue).start
        node = installed_version("node")
        if "node" in command[:1] and (node is None or node < _NODE):
            return "Node.js 20 or newer is not on PATH: install it (https://nodejs.org)"
        for program in (*_NEEDED[: 3 if way == JAIL else 2], *command[:1]):
            if shutil.which(program) is None:
                return f"{visible(program, 100)} is not on PATH: install it"
        if _LOCK in self.files and not self.installed:
            place = visible(from_here(self.service), 300)
            return f"the packages of the service are not installed: run npm ci in {place}"
        return ""


def new_seed() -> int:
    """Return a seed that cannot be known before."""
    return secrets.randbelow(_SEEDS)


def lacking(exercise: Exercise, course: str, way: str) -> str:
    """Return what this machine lacks to run an exercise's service, in one line, or nothing."""
    place = Place(exercise.service, course)
    return next(filter(None, (place.lacks(way, issue) for issue, _ in exercise.asks)), "")


def versions(exercises: Sequence[str], course: str) -> str:
    """Return what a run depends on beside the submission, the criteria and our own code."""
    found = (catalog.named(name, course) for name in exercises)
    files = [sorted(shipped(course, e.service).items()) for e in found if e.asks]
    return f"{installed_version('node')} {sha256(repr(files).encode()).hexdigest()}"


def ask(context: Context, course: str, ran: Ran, bounds: Bounds = BOUNDS) -> None:
    """Have the checks of a context ask the running service of its submission."""
    asking = Asking(context, Place(context.exercise.service, course), ran, bounds)
    context.ask, context.test = asking, asking.test


@cache
def _acceptance(path: str, labels: tuple[str, ...]) -> Acceptance:
    shown = visible(from_here(path), 300)
    try:
        return load(read_file(path).decode(), shown, labels)
    except (Unreadable, UnicodeDecodeError) as error:
        raise unusable(f"{shown} {error}") from None


class Asking:
    """Asks the service of one submission; its sources are read when the first question comes.

    The same seed draws the same values. Raises `Unresolved`: its sources are too large.
    """

    def __init__(self, context: Context, place: Place, ran: Ran, bounds: Bounds) -> None:
        self._context, self._place, self._bounds = context, place, bounds
        self._way, self._seed = ran.way, ran.seed or 0
        self._starters: dict[str, Starter] = {}
        self._tests: dict[str, OwnTests] = {}
        self._stopped: dict[tuple[str, str], str] = {}
        self._env: Mapping[str, str] = {}

    def __call__(self, code: str, issue: str, label: str) -> Verdict:
        """Return whether a criterion holds, which a check of this code asks.

        Raises `BrokenRun` where it cannot be asked by our fault.
        """
        acceptance = self._place.acceptance(issue)
        criterion = acceptance.criteria[label]
        if not criterion.exchanges:
            return not_checked(f"cannot be asked over HTTP: {criterion.not_over_http}")
        key = issue, repr(criterion.env)
        if key in self._stopped:
            return Verdict(Outcome.SKIP, waits_for=self._stopped[key])
        starter = self._starter(issue, acceptance.start)
        try:
            return self._held(acceptance, label, starter)
        except NotStarted as error:
            stops = error.is_limit or self._stops(starter)
            if stops:
                self._stopped[key] = code
            return failed(self._finding(error, stops=stops))

    def _held(self, acceptance: Acceptance, label: str, starter: Starter) -> Verdict:
        def start(env: Mapping[str, str]) -> AbstractContextManager[Service]:
            self._env = env
            return starter(env)

        verdict = hold(acceptance, label, start, self._seed)
        if verdict.outcome is not Outcome.FAIL:
            return verdict
        again = f"--run --seed {self._seed} asks the same again."
        return verdict._replace(
            findings=tuple(
                f._replace(action=f"{f.action} {again}", file=f.file or self._place.folder)
                for f in verdict.findings
            )
        )

    def test(self, issue: str, question: str) -> Verdict:
        """Return the answer to a question about the submission's tests; raises `BrokenRun`."""
        if issue not in self._tests:
            acceptance = self._place.acceptance(issue)
            if not acceptance.start:
                return not_checked("the issue has no service")
            project = self._starter(issue, acceptance.start).project
            self._tests[issue] = OwnTests(project, self._place.files, self._way, self._seed, issue)
        return self._tests[issue].answer(question)

    def _starter(self, issue: str, command: tuple[str, ...]) -> Starter:
        if issue not in self._starters:
            place = self._place
            sources = self._sources(issue)
            self._left_out = sources.left_out
            words = [LISTEN if word == "{listen}" else word for word in command]
            project = Project(
                folder=os.path.basename(place.service),
                files=laid_over(place.files, sources.files),
                command=words,
                installed=place.installed,
                tools=(LISTEN,),
            )
            self._starters[issue] = Starter(project, self._way, self._bounds)
        return self._starters[issue]

    def _sources(self, issue: str) -> Sources:
        """Return the sources of the commit that the issue's git result names, else the files."""
        context = self._context
        for source in context.exercise.artifacts:
            if not (isinstance(source, ArtifactRef) and source.name == GIT_RESULT):
                continue
            if source.issue_in(context.exercise) == issue:
                result = context.artifact(source)
                commit = "" if result.problems or not result.value else result.value["commit_sha"]
                if commit and (
                    sources := published(context.submission, commit, self._place.folder)
                ):
                    return sources
        return sources_in(context.submission, self._place.folder)

    def _stops(self, starter: Starter) -> bool:
        """Return whether the service does not start at all.

        Raises `BrokenRun` if that of the course does not either.
        """
        if not _fails(starter, self._env):
            return False
        shipped = self._place.files
        if shipped:
            course = Starter(starter.project._replace(files=shipped), self._way, self._bounds)
            if why := _fails(course, self._env):
                raise BrokenRun(f"the service of the course does not start either: {why}")
        return True

    def _finding(self, error: NotStarted, *, stops: bool) -> Finding:
        left = next(iter(self._left_out.items()), None)
        note = "" if left is None else f" Left out: {named(left[0])} {left[1]}."
        what = "does not start" if stops else "does not answer its first request"
        return Finding(
            f"the service {what}: {error}",
            expected="a service that starts and answers",
            file=error.path or self._place.folder,
            line=error.line,
            column=1 if error.line else 0,
            action=f"Start the service in {named(self._place.folder)}, and fix this error.{note}",
        )


def _fails(starter: Starter, env: Mapping[str, str]) -> str:
    """Return why a service does not start, empty if it does."""
    try:
        with starter(env) as service:
            service.send(Request(method="GET", target="/"))
    except NotStarted as error:
        return str(error)
    except NoAnswer:
        pass
    return ""
