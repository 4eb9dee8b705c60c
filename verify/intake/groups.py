"""Groups: who is in which, by an instructor's table or a platform's own export."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import listed, named, visible
from verify.intake.platforms.base import COLUMNS, FIRST, LAST
from verify.intake.spelling import bare, folded
from verify.intake.table import BadCharacter, Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from verify.gradebook.records import Learner
    from verify.intake.roster import Roster
    from verify.intake.table import Row

COLUMN = "submission groups"  # that a learner's groups add to the roster, one on each line
_SEVERAL = frozenset({"groups", "gruppen"})  # headings of cells such as `Team 1, Tutorial A`
_MARK = "#"  # before an id, in some exports
_SHOWN = 12
_FORMS = (folded, bare)  # of a name: as written, and only its letters


class Groups:
    """The groups of learners, by their keys; `left_out` says which rows of a table are not used."""

    def __init__(self, groups: Mapping[str, Collection[str]], left_out: str = "") -> None:
        self._of = {key: [*names] for key, names in groups.items() if names}
        self._left_out = left_out
        self._members: dict[str, list[str]] = {}
        self._named: dict[tuple[int, str], set[str]] = {}
        for key, names in self._of.items():
            for name in names:
                self._members.setdefault(name, []).append(key)
                for number, form in enumerate(_FORMS):
                    if text := form(name):
                        self._named.setdefault((number, text), set()).add(name)

    def __bool__(self) -> bool:
        """Return whether there is a group."""
        return bool(self._members)

    def called(self, text: str) -> list[str]:
        """Return the members of the one group with a name, as written, or else only its letters."""
        found = (self._named.get((number, form(text))) for number, form in enumerate(_FORMS))
        names = next(filter(None, found), set())
        return sorted(self._members[next(iter(names))]) if len(names) == 1 else []

    def has(self, key: str) -> bool:
        """Return whether a learner is in a group."""
        return key in self._of

    def added_to(
        self, rows: Iterable[tuple[str, str, str, str]]
    ) -> Iterator[tuple[str, str, str, str]]:
        """Yield the rows of a roster as the gradebook keeps them, with the groups of each."""
        for key, name, email, cells in rows:
            text = cells
            if key in self._of or COLUMN in cells:
                ids: dict[str, Any] = json.loads(cells)
                ids.pop(COLUMN, None)
                if key in self._of:
                    ids[COLUMN] = "\n".join(self._of[key])
                text = json.dumps(ids, ensure_ascii=False)
            yield key, name, email, text

    def lines(self, submitted: set[str]) -> Iterator[str]:
        """Yield what an instructor should know; `submitted` are whom a group's entry matches."""
        if self._left_out:
            yield self._left_out
        for key, names in self._of.items():
            if names[1:]:
                what = "is unresolved if several of them have submitted"
                yield f"{visible(key, 60)} is in {len(names)} groups ({listed(names)}), and {what}"
        for name, keys in self._members.items():
            if not submitted.issuperset(keys):
                yield f"the group {named(name)} has no submission: {listed(keys, _SHOWN)}"


def groups_of(learners: Iterable[Learner]) -> Groups:
    """Return the groups that a gradebook keeps with its roster."""
    return Groups(
        {who.key: who.ids.get(COLUMN, "").split("\n") for who in learners if COLUMN in who.ids}
    )


def read_groups(path: str, roster: Roster) -> Groups:
    """Return the groups in a table; raises `Unusable` if it has none, or no learners.

    A learner may be in several.
    """
    table = Table(path)
    heading = next((name for name in COLUMNS["group"] if name in table.headings), "")
    if not heading:
        what = f"none of the columns {listed(table.columns, 20)} has groups"
        raise table.wrong(1, f"{what} (expected a column group)")
    found: dict[str, dict[str, None]] = {}
    strangers: list[str] = []
    for row in table.rows():
        keys = set(_whose(table, row, roster))
        try:
            text = table.identity(row, table.headings[heading])
        except BadCharacter:  # members may choose it
            text, keys = "?", set()
        if len(keys) == 1:
            groups = re.split(" *, *", text) if heading in _SEVERAL else [text]
            found.setdefault(keys.pop(), {}).update(dict.fromkeys(filter(None, groups)))
        elif text:
            strangers.append(f"line {row[0]}")
    if not any(found.values()):
        raise table.wrong(1, "has no group of a learner on the roster")
    shown = ", ".join(strangers[:_SHOWN])
    more = f" and {len(strangers) - _SHOWN} more" if strangers[_SHOWN:] else ""
    why = "each row needs one learner on the roster, and a readable group"
    return Groups(found, f"{table.place}: left out {shown}{more}: {why}" if strangers else "")


def _whose(table: Table, row: Row, roster: Roster) -> Iterator[str]:
    """Yield the learners whom the ids in a row mean, or else its name."""
    ids = (*COLUMNS["key"], *COLUMNS["other id"])
    cells = [cell.removeprefix(_MARK) for cell in table.cells_of(row, *ids) if cell]
    numbers = filter(None, table.cells_of(row, *roster.export.numbers_in_groups))
    keys = [*map(roster.by_key, cells)]
    keys += [roster.by_number(roster.platform, number) for number in numbers]
    if not any(keys):
        whole = [cell for cell in table.cells_of(row, *COLUMNS["name"]) if cell]
        first, last = (
            next(filter(None, table.cells_of(row, *names)), "") for names in (FIRST, LAST)
        )
        keys = [roster.by_name(name) for name in (*whole, f"{first} {last}".strip())]
    yield from filter(None, keys)
