"""Grades the mistakes in `fixtures/mistakes`, and returns what `verify` says about each."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml  # type: ignore[import-untyped]  # few calls, not worth stubs

from pipeline.bootstrap import ROOT
from verify.grading.model import Outcome
from verify.reporters.base import place
from verify.selftest.mutants import Overlay, files_below
from verify.selftest.shipped import the_course

if TYPE_CHECKING:
    from verify.grading.model import Exercise, Result

FINDINGS = "fixtures/mistakes/findings.txt"
_MISTAKES = os.path.join(ROOT, "fixtures", "mistakes", "mistakes.yaml")
_COURSE = the_course()


class Mistake(NamedTuple):
    """A solved submission of an exercise with one change."""

    name: str
    exercise: Exercise
    change: dict[str, Any]

    def __str__(self) -> str:
        """Return the heading of its findings."""
        return f"{self.exercise.name}: {self.name}"

    def failures(self) -> list[Result]:
        """Return what grading says is wrong, advice included."""
        report = _COURSE.grade(self.exercise, Overlay("mistake", self.files()))
        return [result for result in report.results if result.outcome is Outcome.FAIL]

    def files(self) -> dict[str, bytes]:
        """Return the files of the submission, with the change."""
        files = files_below(os.path.join(_COURSE.folder_of(self.exercise), "solved"))
        path = self.change.get("file") or self.exercise.paths[0]
        content = self._content(files.pop(path).decode())
        return {**files, self.change.get("to", path): content}

    def _content(self, text: str) -> bytes:
        text = self.change.get("text", text)
        for counted, most in (("replace", -1), ("first", 1)):
            for old, new in self.change.get(counted, {}).items():
                if old not in text:
                    raise LookupError(f"{self.name}: {old!r} is not in the document")
                text = text.replace(old, new, most)
        if "until" in self.change:
            text = text[: text.index(self.change["until"]) + len(self.change["until"])] + "\n"
        text = self.change.get("before", "") + text + self.change.get("after", "")
        return text.encode(self.change.get("encoding", "utf-8"))


def mistakes() -> list[Mistake]:
    """Return the mistakes of every exercise, as the file lists them."""
    with open(_MISTAKES, encoding="utf-8") as file:
        exercises = yaml.safe_load(file)
    by_name = {exercise.name: exercise for exercise in _COURSE.exercises}
    return [
        Mistake(name, by_name[exercise], change)
        for exercise, changes in exercises.items()
        for name, change in changes.items()
    ]


def lines_on(mistake: Mistake) -> list[str]:
    """Return the findings on a mistake, one a line."""
    return [
        f"{result.check.code} {place(finding)}: {finding.message} (expected {finding.expected}, "
        f"found {finding.found}). To do: {finding.action}"
        for result in mistake.failures()
        for finding in result.verdict.findings
    ]


def findings_page() -> str:
    """Return what `verify` says about every mistake."""
    parts = ["\n".join([f"== {mistake}", *lines_on(mistake)]) for mistake in mistakes()]
    return "\n\n".join(parts) + "\n"
