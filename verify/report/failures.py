"""Groups what checks found, so that the commonest failures of a cohort come first."""

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
