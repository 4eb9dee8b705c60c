"""What a learner asks for: what to grade, and how to show it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import ROOT, called, from_here
from verify.course import catalog
from verify.grading.ways import RUN_WORDS, Ran

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.grading.model import Exercise


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
