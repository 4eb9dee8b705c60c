"""Groups of learners: those with the same failure, and those with the same artifacts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.gradebook.copies import Copies
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


class CopyGroup(NamedTuple):
    """Learners who submitted the same; `rows` are their entries' numbers, in order."""

    copies: Copies
    rows: list[int]

    @property
    def label(self) -> str:
        """Return what the table says of each of them."""
        if self.copies.shipped:
            return f"the shipped {self.copies.shipped}"
        others = self.copies.learners - 1
        return f"{others:,} other{'' if others == 1 else 's'}"


class CopyGroups:
    """The groups of a cohort that are copies of each other, or of what the course ships."""

    def __init__(self, copies: Iterable[Copies]) -> None:
        self.groups = [CopyGroup(each, []) for each in sorted(copies, key=_most_first)]
        self._of: dict[tuple[str, str], list[int]] = {}
        for number, group in enumerate(self.groups):
            for member in group.copies.members:
                self._of.setdefault(member, []).append(number)

    def add(self, entry: Entry) -> list[int]:
        """Take note of one standing; return the numbers of the groups that it is in."""
        found = self._of.get((entry.learner.key, entry.attempt), [])
        for number in found:
            self.groups[number].rows.append(entry.number)
        return found


def _most_first(copies: Copies) -> tuple[bool, int]:
    return not copies.shipped, -copies.learners
