"""A file of a submission that is not JSON, such as a report in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipeline.files import MISSING, Unreadable
from pipeline.protocol.layout import in_target
from verify.course.checks.validity import TO_DO
from verify.grading.artifacts import actual_path, likely_path
from verify.grading.model import PASSED, Check, Finding, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.agents.definitions import Document
    from pipeline.protocol.problems import Problem
    from verify.grading.artifacts import Context
    from verify.grading.model import Exercise

_NOT_TEXT = "not-text"
_ACTIONS = {**TO_DO, _NOT_TEXT: "Save the file as UTF-8."}


class TextFile(NamedTuple):
    """A file that is not JSON, by its path in the target project; it has to be UTF-8 text."""

    path: str

    def located(self, exercise: Exercise) -> str:
        """Return its path relative to the submission's root."""
        return in_target(exercise.target or ".", self.path)

    def read(self, context: Context) -> str:
        """Return its text; raises `Unreadable`, as where it is missing, too large or not UTF-8."""
        place = actual_path(context.submission, self.located(context.exercise))
        data = context.submission.read(place)
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise Unreadable(_NOT_TEXT, f"is not UTF-8 text: see line {line}") from None

    def front_matter(self, context: Context) -> Document:
        """Return its `values` between two `---` lines, and its `body` below; raises `Unreadable`.

        A value has the type that YAML gives it. `spots` are the lines and columns of the values by
        their paths, such as `("owner",)`, and `problems` say why it could not be read.
        """
        from pipeline.agents.definitions import read_definition  # YAML: few checks need it

        return read_definition(self.read(context))

    def failed(self, context: Context, problems: Iterable[Problem]) -> Verdict:
        """Return a failure with these problems of the file; PASSED for none."""
        place = self.located(context.exercise)
        return failed(*(Finding.of(problem, place) for problem in problems))


def readable_text(code: str, file: TextFile, requires: tuple[str, ...] = ()) -> Check:
    """Return a check that a text file is there and can be read; other checks wait for it."""

    def is_readable(context: Context) -> Verdict:
        try:
            file.read(context)
        except Unreadable as error:
            return failed(_finding(context, file, error))
        return PASSED

    return Check(
        code=code,
        title=f"{file.path} can be read",
        run=is_readable,
        hint="Write the file to the path that the failure shows, as UTF-8 text.",
        look_at="The folder of the file, and the exact name of the file in it.",
        why="Only a file that can be read can be reviewed.",
        example=file.path,
        requires=requires,
    )


def _finding(context: Context, file: TextFile, error: Unreadable) -> Finding:
    place = file.located(context.exercise)
    if error.reason != MISSING:
        what = f"{file.path} {error}"
        return Finding(what, "a text file", file=place, action=_ACTIONS[error.reason])
    instead = likely_path(context.submission, place)
    action = f"Rename {instead} to {place}." if instead else f"Write the file to {place}."
    found = instead or "no such file"
    return Finding(f"{file.path} is missing", "the file", found, place, action=action)
