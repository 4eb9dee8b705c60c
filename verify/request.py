"""A grading request: what to grade, where, and how to report it; its options on a command line."""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT, called, from_here
from pipeline.protocol.layout import is_issue_id
from pipeline.protocol.patterns import PATH
from pipeline.terminal.display import visible
from verify.reporters.registry import FORMATS

if TYPE_CHECKING:
    from verify.model import Exercise


class UsageError(Exception):
    """A request that cannot be carried out; the message says what is expected."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What to grade: one exercise of a level, or all of them where `number` is None.

    An empty level means all levels, for their overview. `hint` is how many hints are asked for.

    `console` says whether `verify` was called or a level's own script. A report suggests `verify`
    where it was called and the shell finds it, else the script, which works everywhere.

    `provenance` has the records of agents' clients looked for, `witness_key` also the envelopes
    that are signed by the key of this file.
    """

    level: str
    number: str | None = None
    project: str | None = None
    target: str | None = None
    issue: str | None = None
    format: str = "table"
    strict: bool = False
    hint: int = 0
    verbose: bool = False
    watch: bool = False
    console: bool = False
    course: str = ""
    provenance: bool = False
    witness_key: str = ""

    @property
    def is_own(self) -> bool:
        """Tell whether the learner's own work is graded: the course's repository, as it stands."""
        return self.project is None and not self.target and not self.issue

    def words_for(self, level: str, exercise: Exercise | None) -> list[str]:
        """Return the command line that grades an exercise of a level, or lists the level.

        It repeats this request's options, so that the same submission is graded; `--target` and
        `--issue` only for the exercise that they were given for.
        """
        command = called("verify") if self.console else []
        if command and (self.course or not exercise or len(command) == 1):
            selection = [exercise.name] if exercise else ["list", *([level] if level else [])]
            words = [*command, *selection]
        else:
            script = os.path.join(ROOT, "docs", level, "tutorials", "verify.py")
            words = ["python3", from_here(script)]
            words += ["--exercise", f"{exercise.number:02}"] if exercise else []
        given = {"--course": self.course or None, "--project": self.project}
        given["--witness-key"] = self.witness_key or None
        if exercise and self.number and (level, exercise.number) == (self.level, int(self.number)):
            given |= {"--target": self.target, "--issue": self.issue}
        for option, value in given.items():
            words += [option, value] if value is not None else []
        words += ["--provenance"] if self.provenance else []
        return [*words, "--strict"] if self.strict else words


def add_options(parser: argparse.ArgumentParser, *, one_exercise: bool) -> None:
    """Add the options of a grading command; some make sense for one exercise only."""
    where = parser.add_argument_group("what to grade")
    add_project(where)
    if one_exercise:
        where.add_argument(
            "--target",
            metavar="DIR",
            type=folder_within,
            help="another target project, relative to the submission; . is its root",
        )
        where.add_argument(
            "--issue",
            metavar="ID",
            type=issue_id,
            help="another issue, such as ISSUE-7; its criteria count if the course has them",
        )
    how = parser.add_argument_group("how to report")
    how.add_argument(
        "--format",
        metavar="F",
        choices=FORMATS,
        default="table",
        help=f"one of {', '.join(FORMATS)} (default: table)",
    )
    how.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="show each skipped check, the notes and the provenance in full",
    )
    how.add_argument("--strict", action="store_true", help="advisory checks count as well")
    add_provenance(how)
    if one_exercise:
        how.add_argument(
            "--hint",
            action="count",
            default=0,
            help="a hint at the first failure; given twice or three times, more of them",
        )
        how.add_argument(
            "--watch",
            action="store_true",
            help="grade again whenever a file of the exercise changes",
        )


def add_project(parser: argparse._ActionsContainer) -> None:
    """Add the option that names the submission."""
    parser.add_argument(
        "--project",
        metavar="PATH",
        help="the submission, a folder or an archive (default: the repository of the course)",
    )


def add_course(parser: argparse._ActionsContainer) -> None:
    """Add the option that names a course of one's own."""
    parser.add_argument(
        "--course",
        metavar="DIR",
        default="",
        help="the folder of a course of your own (default: the one that comes with the project)",
    )


def add_format(parser: argparse._ActionsContainer) -> None:
    """Add the option for what is shown: a table, or JSON for programs."""
    parser.add_argument(
        "--format",
        dest="format_",
        metavar="F",
        choices=("table", "json"),
        default="table",
        help="one of table, json (default: table)",
    )


def add_provenance(parser: argparse._ActionsContainer) -> None:
    """Add the options that have more looked for than the mark needs."""
    parser.add_argument(
        "--provenance",
        action="store_true",
        help="show how far the artifacts can be traced, with the records of agents' clients",
    )
    parser.add_argument(
        "--witness-key",
        metavar="FILE",
        default="",
        help="the same, with what a run witnessed: the public key that it is signed with, in PEM",
    )


def folder_within(text: str) -> str:
    """Return a folder within the submission; argparse tells what is none."""
    path = "." if text == "./" else text.removeprefix("./")
    path = path.removesuffix("/")  # as a shell completes it
    if path == "." or re.fullmatch(PATH.pattern, path):
        return path
    raise argparse.ArgumentTypeError(
        f"{visible(text)} is not a folder within the submission (expected a path without ..)"
    )


def issue_id(text: str) -> str:
    """Return an issue's id; argparse tells what is none."""
    if is_issue_id(text):
        return text
    raise argparse.ArgumentTypeError(
        f"{visible(text)} is not an issue id (expected <PROJECT>-<NN>, such as ISSUE-7)"
    )
