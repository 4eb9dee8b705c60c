"""`verify kit`: what a platform needs to grade the course, and copies of the course."""

from __future__ import annotations

import fnmatch
import json
import os
import shlex
import shutil
import tempfile
from itertools import chain
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from pipeline.files import reason_of
from pipeline.git import GitFault, Repository
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import deliver
from verify.commands.options import add_course, add_exercises
from verify.commands.workers import refuse_without_service
from verify.course import catalog
from verify.grading.ways import CONTAINER, JAIL, RUN_WORDS
from verify.learner.check import UsageError, command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.terminal.arguments import Arguments

_KITS = os.path.join(ROOT, "verify", "kit")
_GRADERS = ("gradescope", "classroom50", "moodle")  # of chosen exercises
_OWN = "own"  # the folder of an instructor's own course in the copy
_OF_AN_OWN_COURSE = ("artifacts", "docs", "exercises", "issues")
_KINDS = (*_GRADERS, "container", "course")
_EPILOG = """\
examples:
  python3 -m verify kit gradescope kit.zip --exercise foundation/01 --exercise foundation/02 --run
  python3 -m verify kit classroom50 ../classroom50/cs1/autograders/hw1 --exercise foundation/01
  python3 -m verify kit moodle ../hw1 --course my-course --exercise basics/01
  python3 -m verify kit container ../image
  python3 -m verify kit course ../for-learners --without-solutions

No kit contains a solution, except for a course without --without-solutions.
"""
_NEXT = {  # what to do with each kit
    "gradescope": "Upload it as the autograder ({points} points) for Ubuntu 22.04 or newer.",
    "classroom50": "Commit it to the repository classroom50 ({points} points).",
    "moodle": "Grade: python3 {target}/grade.py SUBMISSIONS.zip WORKSHEET.csv GRADES.csv",
    "container": "Build it: podman build --tag course {target}",
    "course": "Set it up: python3 {target}/start.py setup",
}


def add_options(parser: Arguments) -> None:
    """Add the options of `verify kit`."""
    parser.epilog = _EPILOG
    parser.set_defaults(command=kit)
    kind = "an autograder for a platform, an image (container), or a copy (course)"
    parser.add_argument("kind", choices=_KINDS, help=kind)
    target = "a new or empty folder; for gradescope also a new FILE.zip"
    parser.add_argument("target", metavar="DIR", help=target)
    add_course(parser, ", which the kit contains, too")
    add_exercises(parser, "an exercise that the autograder grades, such as expert/04")
    run = "let the autograder run the service of a submission, in the platform's own container"
    parser.add_argument("--run", action="store_true", help=run)
    without = "leave the solutions and all fixtures out of the course"
    parser.add_argument("--without-solutions", action="store_true", help=without)


@command
def kit(
    *,
    kind: str,
    target: str,
    exercises: Sequence[tuple[str, str]],
    course: str,
    run: bool,
    without_solutions: bool,
) -> int:
    """Write a kit; return 0, or 2 where it cannot be written or the options do not fit."""
    catalog.need_course()
    catalog.levels(course)  # an own course can be loaded
    if (kind in _GRADERS) != bool(exercises):
        few = f"kit {kind} needs the exercises to grade: add --exercise, such as expert/04"
        raise UsageError(few if kind in _GRADERS else f"kit {kind} takes no --exercise")
    if run and kind not in _GRADERS:
        raise UsageError(f"kit {kind} takes no --run: give it to the command that grades")
    if without_solutions and kind != "course":
        raise UsageError(f"kit {kind} never contains solutions: leave out --without-solutions")
    is_zip = kind == "gradescope" and target.lower().endswith(".zip")
    _refuse_changed_sandbox()
    points, options = _chosen(exercises, course, run=run)
    if run:
        options += RUN_WORDS[JAIL if kind == "moodle" else CONTAINER]
    with tempfile.TemporaryDirectory() as scratch:
        made = os.path.join(scratch, "kit")
        try:
            _refuse_existing(target, is_zip=is_zip)
            if kind == "course":
                _copy(made, "grading", "learning", *[] if without_solutions else ["solutions"])
            else:
                _fill(kind, made, options)
                _copy(os.path.join(made, "course"), "grading")
            if course:
                to = os.path.join(made, *([] if kind == "course" else ["course"]), _OWN)
                _copy_own(course, to, with_fixtures=kind == "course" and not without_solutions)
            _deliver(made, target, is_zip=is_zip)
        except OSError as error:
            what = f"{visible(target, 300)} cannot be written: {reason_of(error)}"
            raise UsageError(what) from None
    shown = visible(shlex.quote(target), 300)
    deliver(f"written: {shown}\n{_NEXT[kind].format(target=shown, points=points)}\n")
    return PASSED


def _refuse_existing(target: str, *, is_zip: bool) -> None:
    is_folder = not is_zip and os.path.isdir(target)
    if os.listdir(target) if is_folder else os.path.lexists(target):
        expected = "a new file" if is_zip else "a new or empty folder"
        raise UsageError(f"{visible(target, 300)} already exists (expected {expected})")


def _refuse_changed_sandbox() -> None:
    """Refuse to hand out what somebody has done in the sandbox; raises `UsageError`."""
    try:
        lines = Repository(ROOT).run("status", "--porcelain", "-uall", "--", "sandbox").splitlines()
    except GitFault:  # a copy without git
        return
    changed = [line[3:] for line in lines if "/.pipeline/" not in line]
    if changed:
        what = f"{visible(changed[0], 200)} has changes that are not committed"
        step = "put them aside (git stash -u -- sandbox), or commit what learners may have"
        raise UsageError(f"{what}, which may be a solution: {step}")


def _chosen(
    exercises: Sequence[tuple[str, str]], course: str, *, run: bool
) -> tuple[int, list[str]]:
    """Return how many points the exercises have, and the options of `verify batch`."""
    found = list(dict.fromkeys(catalog.find(*names, course) for names in exercises))
    names = [exercise.name for exercise in found]
    if run:
        refuse_without_service(found)
    checks = [check for exercise in found for check in catalog.asking(exercise, course).checks]
    points = sum(check.points for check in checks if run or not check.asks_service)
    return points, [word for name in names for word in ("--exercise", name)]


def _fill(kind: str, to: str, options: Sequence[str]) -> None:
    """Write the files of a kit, with the options in them."""
    shutil.copytree(os.path.join(_KITS, kind), to, ignore=shutil.ignore_patterns("__pycache__"))
    for name in os.listdir(to):
        path = os.path.join(to, name)
        with open(path, encoding="utf-8") as file:
            text = file.read().replace("@OPTIONS@", shlex.join(options))
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        if text.startswith("#!"):
            os.chmod(path, 0o755)  # noqa: S103  # a program, which the platform starts


def _copy(to: str, *kinds: str) -> None:
    """Copy what `verify/kit/parts.json` lists for these kinds of use.

    It also has patterns of names: `never` is not copied, and `work` only in fixtures.
    """
    with open(os.path.join(_KITS, "parts.json"), encoding="utf-8") as file:
        parts: dict[str, list[str]] = json.load(file)

    def left_out(folder: str, names: list[str]) -> set[str]:
        is_fixture = "fixtures" in os.path.relpath(folder, ROOT).split(os.sep)
        patterns = parts["never"] + parts["work"] * (not is_fixture)
        return {name for pattern in patterns for name in fnmatch.filter(names, pattern)}

    for path in chain(*(parts[kind] for kind in kinds)):
        source, target = os.path.join(ROOT, *path.split("/")), os.path.join(to, *path.split("/"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(source):
            shutil.copytree(source, target, symlinks=True, ignore=left_out, dirs_exist_ok=True)
        elif os.path.lexists(source):  # a copy has no fixtures to copy
            shutil.copy2(source, target)


def _copy_own(course: str, to: str, *, with_fixtures: bool) -> None:
    """Copy an own course: what the reference lists, and other folders that have Python files.

    What an instructor may keep beside it, such as a roster or a gradebook, stays there.
    """
    os.makedirs(to)
    for name in os.listdir(course):
        source, target = os.path.join(course, name), os.path.join(to, name)
        if os.path.isfile(source) and name.endswith((".py", ".md")):
            shutil.copy2(source, target)
        elif os.path.isdir(source):
            has_code = bool(fnmatch.filter(os.listdir(source), "*.py"))
            is_part = name in _OF_AN_OWN_COURSE or has_code
            if with_fixtures if name == "fixtures" else is_part:
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))


def _deliver(made: str, target: str, *, is_zip: bool) -> None:
    if is_zip:
        os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
        shutil.move(shutil.make_archive(made, "zip", made), target)
    else:
        shutil.copytree(made, target, symlinks=True, dirs_exist_ok=True)
