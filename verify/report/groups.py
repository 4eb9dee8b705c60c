"""Groups of learners: those with the same failure, and those with the same artifact."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from verify.gradebook.values import CheckInfo, FoundPlace
    from verify.report.entry import Entry

_INDEX = re.compile(r"\d+")
_KINDS = 5_000  # a submission may provoke messages of its own: beyond these no new kind is kept
_Key = tuple[str, str, str]  # code, message, place


class Group(NamedTuple):
    """One failure that several learners share; `rows` are their entries' numbers, in order."""

    check: CheckInfo
    message: str
    place: str
    rows: list[int]


class Failures:
    """The failures of a cohort by check, message and place; indices in a place do not count."""

    def __init__(self) -> None:
        self.left_out = 0
        self._groups: dict[_Key, Group] = {}
        self._places: dict[str, str] = {}

    def add(self, entry: Entry) -> None:
        """Take note of one standing's failures, each kind once."""
        for mark in entry.marks:
            for result in mark.checks:
                if result.outcome == "fail":
                    for finding in result.findings:
                        self._add(entry.number, result.check, finding)

    def _add(self, number: int, check: CheckInfo, finding: FoundPlace) -> None:
        place = self._place(finding.path)
        key = check.code, finding.message, place
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= _KINDS:
                self.left_out += 1
                return
            group = self._groups[key] = Group(check, finding.message, place, [])
        if not group.rows or group.rows[-1] != number:
            group.rows.append(number)

    def _place(self, path: str) -> str:
        """Return a JSON path without its indices: the third step's fault is the fifth's too."""
        if path not in self._places:
            if len(self._places) >= _KINDS:
                self._places.clear()
            self._places[path] = _INDEX.sub("*", path)
        return self._places[path]

    def commonest(self, limit: int) -> list[Group]:
        """Return the groups of most learners, the largest first, those that cost nothing last."""
        order = sorted(self._groups.items(), key=_weight)
        return [group for _, group in order[:limit]]


def _weight(item: tuple[_Key, Group]) -> tuple[bool, int, _Key]:
    key, group = item
    return group.check.advisory, -len(group.rows), key


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
