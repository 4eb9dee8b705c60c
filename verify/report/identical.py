"""Finds artifacts that several learners handed in byte for byte: a reason to look, no proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from verify.report.entry import Entry

MANY = 0.1  # of those who handed it in: what more than these share was handed out, or is common
FEW = 3  # that many may always be suspicious, however small the cohort


class Same(NamedTuple):
    """Learners whose artifacts at `paths` are identical, as the numbers of their entries."""

    paths: tuple[str, ...]
    rows: tuple[int, ...]


class Common(NamedTuple):
    """An artifact that so many share that it says nothing."""

    path: str
    learners: int


class Artifacts:
    """Who handed in which artifact, by the digest that grading took of it."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], int] = {}
        self._shared: dict[tuple[str, str], list[int]] = {}
        self._handed: dict[str, int] = {}  # learners, by path
        self._key = ""
        self._seen: set[tuple[str, str]] = set()

    def add(self, entry: Entry) -> None:
        """Take note of one standing's artifacts; a learner's own attempts may be alike."""
        if entry.learner.key != self._key:
            self._key, self._seen = entry.learner.key, set()
        for mark in entry.marks:
            for artifact in mark.artifacts:
                if artifact[1] and artifact not in self._seen:
                    self._seen.add(artifact)
                    self._add(entry.number, artifact)

    def _add(self, number: int, artifact: tuple[str, str]) -> None:
        self._handed[artifact[0]] = self._handed.get(artifact[0], 0) + 1
        first = self._first.setdefault(artifact, number)
        if first != number:
            self._shared.setdefault(artifact, [first]).append(number)

    @property
    def paths(self) -> list[str]:
        """Return the paths of what was compared."""
        return sorted(self._handed)

    def suspicious(self) -> list[Same]:
        """Return who shares what with few others, most artifacts first, then most learners."""
        together: dict[tuple[int, ...], list[str]] = {}
        for (path, _), rows in sorted(self._shared.items()):
            if len(rows) <= self._many(path):
                together.setdefault(tuple(rows), []).append(path)
        found = [Same(tuple(paths), rows) for rows, paths in together.items()]
        return sorted(found, key=lambda same: (-len(same.paths), -len(same.rows), same.rows))

    def common(self) -> list[Common]:
        """Return what too many share to be suspicious, by path."""
        return [
            Common(path, len(rows))
            for (path, _), rows in sorted(self._shared.items())
            if len(rows) > self._many(path)
        ]

    def _many(self, path: str) -> float:
        return max(FEW, MANY * self._handed[path])
