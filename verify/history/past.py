"""What lies before a commit: its ancestors, read only as far back as a question reaches."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from pipeline.reading import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.history.history import History

_SLACK = 86_400  # seconds by which clocks may disagree before an ancestor is overlooked


class Past:
    """The ancestors of a commit, itself among them, found from the latest to the earliest.

    Where a part of the history is lacking, `holds` says yes all the same to what it found before;
    a no would be a guess, and is refused.
    """

    def __init__(self, history: History, tip: str) -> None:
        self._history = history
        self._children: dict[str, list[str]] = {tip: []}
        self._waiting: list[tuple[int, str]] = []
        self._lacking: Unreadable | None = None
        heappush(self._waiting, (-history.commit(tip).committed, tip))

    def holds(self, name: str) -> bool:
        """Tell whether a commit is among them; raises `Unreadable`."""
        if name not in self._children:
            self._reach(self._history.commit(name).committed - _SLACK)
        if name in self._children:
            return True
        if self._lacking is not None:
            raise self._lacking
        return False

    def through(self, name: str) -> set[str]:
        """Return the commits that have one as an ancestor, itself among them; raises as `holds`."""
        if not self.holds(name):
            return set()
        found, waiting = {name}, [name]
        while waiting:
            for child in self._children[waiting.pop()]:
                if child not in found:
                    found.add(child)
                    waiting.append(child)
        return found

    def _reach(self, earliest: int) -> None:
        """Go back to a time."""
        waiting, latest = self._waiting, -earliest
        while waiting and waiting[0][0] <= latest:
            name = heappop(waiting)[1]
            for parent in self._history.commit(name).parents:
                self._add(parent, name)

    def _add(self, parent: str, child: str) -> None:
        held = self._children.get(parent)
        if held is not None:
            held.append(child)
            return
        try:
            committed = self._history.commit(parent).committed
        except Unreadable as error:
            self._lacking = error
            return
        self._children[parent] = [child]
        heappush(self._waiting, (-committed, parent))


def own_line(history: History, tip: str) -> Iterator[str]:
    """Yield a branch's own line: a commit, its first parent, and so on; raises `Unreadable`."""
    name = tip
    while name:
        yield name
        name = next(iter(history.commit(name).parents), "")
