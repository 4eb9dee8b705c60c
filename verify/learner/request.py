"""What a learner asks for: what to grade, and how to show it."""

from __future__ import annotations

import os
import re
import shlex
import sys
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import ROOT, called, from_here
from pipeline.files import is_inside
from pipeline.terminal.display import inert, visible
from pipeline.terminal.streams import can_show, columns
from verify.course import catalog
from verify.grading.ways import RUN_WORDS, Ran
from verify.reporters import REPORTERS
from verify.reporters.base import View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.grading.model import Exercise
    from verify.reporters.base import GradedRun, Rendered, Reporter


class GradingRequest(NamedTuple):
    """What to grade, and how to show it: plain values, which are sent to another process.

    A report suggests `verify` if `verify` was called and the shell finds it, else the level's own
    script, which works everywhere.
    """

    level: str  #: empty for all levels
    number: str | None = None  #: None for all exercises of a level
    project: str | None = None  #: the submission; None for the learner's own repository, its root
    target: str | None = None  #: the target project, in place of the exercise's own
    issue: str | None = None  #: the issue, in place of the exercise's own
    format: str = "table"
    strict: bool = False
    hint: int = 0  #: how many hints are asked for
    verbose: bool = False
    watch: bool = False
    console: bool = False  #: whether `verify` was called, not a level's own script
    course: str = ""  #: the folder of an instructor's own course
    provenance: bool = False  #: whether the records of agents' clients are read
    witness_key: str = ""  #: the file of the key whose envelopes are read
    run: str = ""  #: the way in which the submission's service is run, empty for not at all
    jail: str = ""  #: the way instead of a jail
    run_tests: bool = False  #: whether the submission's own tests are run, too
    seed: int | None = None  #: draws the values that the service is sent, None for any

    @property
    def root(self) -> str:
        """Return the path of the submission."""
        if self.project is not None:
            return self.project
        catalog.need_course()
        return ROOT

    @property
    def is_own(self) -> bool:
        """Return whether the learner's own work is graded: the course's repository as it is."""
        return self.project is None and not self.target and not self.issue

    @property
    def ran(self) -> Ran:
        """Return how the submission's service is run."""
        return Ran(self.jail or self.run, self.seed or 0, self.run_tests)

    def exercise(self) -> Exercise:
        """Return the exercise that is asked for; raises `UnknownExercise`."""
        number = self.number or ""
        found = catalog.find(self.level, number, self.course, target=self.target, issue=self.issue)
        return catalog.asking(found, self.course, tests=self.run_tests)

    def words_for(self, level: str, exercise: Exercise | None) -> list[str]:
        """Return the command line that grades an exercise of a level, or lists the level.

        It repeats this request's options, so that the same submission is graded; `--target` and
        `--issue` only for the exercise that they were given for.
        """
        command = called("verify") if self.console else []
        if command and (self.course or not exercise or len(command) == 1):
            selection = [exercise.name] if exercise else ["list", *filter(None, [level])]
            words = [*command, *selection]
        else:
            script = os.path.join(ROOT, "docs", level, "tutorials", "verify.py")
            words = ["python3", from_here(script)]
            words += ["--exercise", f"{exercise.number:02}"] if exercise else []
        options = {"--course": self.course, "--project": self.project}
        options["--witness-key"] = self.witness_key
        if exercise and self.number and (level, exercise.number) == (self.level, int(self.number)):
            options |= {"--target": self.target, "--issue": self.issue}
        words += option_words(options)
        words += ["--provenance"] if self.provenance else []
        if exercise and exercise.asks:
            words += [*RUN_WORDS[self.ran.way], *(["--run-tests"] if self.run_tests else [])]
        return [*words, "--strict"] if self.strict else words


def option_words(options: Mapping[str, str | None]) -> list[str]:
    """Return the options that have a value, as words of a command line."""
    return [word for option, value in options.items() if value for word in (option, value)]


def rendered(
    request: GradingRequest, run: GradedRun, *, rows: int = 0, keys: bool = False
) -> Rendered:
    """Return a run in the format of its request; `rows` and `keys` are as in `View`."""
    last = run.reports[-1]
    following = catalog.following(last.exercise, request.course) if last.passed else None
    view = view_of(request)._replace(following=following, rows=rows, keys=keys)
    return reporter(request.format)(run, view)


def view_of(request: GradingRequest) -> View:
    """Return how stdout shows what a request is answered by."""
    out = sys.stdout
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    course = ["--course", request.course] if request.course else []
    return View(
        command=lambda *selection: shown(request.words_for(*selection)),
        explain=lambda code: shown([*called("verify"), "explain", code, *course]),
        width=columns(out),
        colour=out.isatty() and not plain,
        symbols=can_show(out, "✓✗\u2013"),
        hints=request.hint,
        verbose=request.verbose,
        provenance=request.verbose or request.provenance or bool(request.witness_key),
        solution=lambda exercise: _solution(exercise.solution, request.course),
        prefix=_prefix(request),
    )


def reporter(name: str) -> Reporter:
    """Return the reporter of a format of `REPORTERS`, which is imported for that."""
    render: Reporter = import_module(f"verify.reporters.{REPORTERS[name]}").render
    return render


def shown(words: list[str]) -> str:
    """Return a command line as it may be shown and typed."""
    return " ".join(map(_typed, words))


def _typed(word: str) -> str:
    """Return a word for a shell; what cannot be shown as it is becomes escapes within $'…'."""
    text = shlex.quote(word)
    if visible(text, len(text)) == text == inert(text):
        return text
    kept = (c if re.fullmatch("[ -~]", c) and c not in "'\\#:" else _bytes(c) for c in word)
    return f"$'{''.join(kept)}'"


def _bytes(character: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))


def in_course(path: str, course: str = "") -> str:
    """Return a path in the course as the reader can open it, empty for none."""
    return from_here(os.path.join(course or ROOT, *path.split("/"))) if path else ""


def _solution(path: str, course: str) -> str:
    """Return the path of a solution, empty for none: a learner's copy may be without."""
    found = in_course(path, course)
    return found if os.path.lexists(found) else ""


def _prefix(request: GradingRequest) -> str:
    """Return what leads from the workspace to the submission, empty where it is elsewhere."""
    workspace = os.environ.get("GITHUB_WORKSPACE") or os.curdir
    try:
        root, workspace = os.path.abspath(request.root), os.path.abspath(workspace)
    except OSError:  # the working directory is gone
        return ""
    below = root.removeprefix(workspace).strip(os.sep) if is_inside(root, workspace) else ""
    return f"{below.replace(os.sep, '/')}/" if below else ""
