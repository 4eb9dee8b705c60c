"""What lies before a commit: its ancestors, read only as far back as a question reaches."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from pipeline.reading import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.history.history import History

_SLACK = 86_400  # seconds by which clocks may disagree where dates alone are asked
_MAX_STEPS = 500_000  # commits that all questions about one past look at: a second or two


class Past:
    """The ancestors of a commit, itself among them, found from the latest to the earliest.

    Dates decide what is looked at first, and no answer of `holds`: whoever makes a commit writes
    them. Where a part of the history is lacking, `holds` says yes all the same to what it found
    before; a no would be a guess, and is refused.
    """

    def __init__(self, history: History, tip: str) -> None:
        self._history = history
        self._children: dict[str, list[str]] = {tip: []}
        self._waiting: list[tuple[int, str]] = []
        self._followed: set[str] = set()
        self._lacking: Unreadable | None = None
        self._steps = 0
        heappush(self._waiting, (-history.commit(tip).committed, tip))

    def holds(self, name: str) -> bool:
        """Tell whether a commit is among them.

        Raises:
            Unreadable: a part of the history is lacking or damaged.
            Beyond: it takes too long to tell.
        """
        if name not in self._children:
            self._look_for(name)
        return self._answer(name)

    def has_met(self, name: str) -> bool:
        """Tell whether a commit is among those that were found so far."""
        return name in self._children

    def seems_to_hold(self, name: str) -> bool:
        """Tell whether a commit is among them if the dates are true; a yes is certain.

        Raises:
            Unreadable: a part of the history is lacking or damaged.
        """
        if name not in self._children:
            self._go_back_to(name)
        return self._answer(name)

    def all_of(self) -> Iterator[str]:
        """Yield all of them, about from the latest to the earliest; raises as `holds`."""
        while self._waiting:
            self._step()
        if self._lacking is not None:
            raise self._lacking
        yield from self._children

    def through(self, name: str) -> set[str]:
        """Return the commits that have one as an ancestor, itself among them; raises as `holds`."""
        if not self.holds(name):
            return set()
        self._go_back_to(name)
        found, waiting = {name}, [name]
        while waiting:
            for child in self._children[waiting.pop()]:
                if child not in found:
                    found.add(child)
                    waiting.append(child)
        return found

    def _answer(self, name: str) -> bool:
        if name in self._children:
            return True
        if self._lacking is not None:
            raise self._lacking
        return False

    def _go_back_to(self, name: str) -> None:
        latest = _SLACK - self._history.commit(name).committed
        while self._waiting and self._waiting[0][0] <= latest:
            self._step()

    def _look_for(self, name: str) -> None:
        """Go back until a commit is found, or nothing that is left can lead to it.

        An ancestor of the commit cannot lead to it. So those are walked as well, and the search
        ends where all that is left is among them: where the two lines meet, in most histories.
        """
        other = Past(self._history, name)
        leading = self._leading(other)
        while leading and name not in self._children:
            if other._waiting and other._waiting[0] <= self._waiting[0]:
                other._step()
            else:
                self._step()
            self._count()
            if leading in self._followed or other.has_met(leading):
                leading = self._leading(other)

    def _leading(self, other: Past) -> str:
        """Return the earliest commit that may lead to where another past ends, empty for none."""
        left = [each for each in self._waiting if not other.has_met(each[1])]
        return max(left)[1] if left else ""

    def _count(self) -> None:
        from verify.history.history import Beyond  # which builds on this module

        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise Beyond("has lines of work that take too long to tell apart")

    def _step(self) -> None:
        """Follow the latest commit that waits to its parents; a fault in between undoes it."""
        waits = heappop(self._waiting)
        name = waits[1]
        try:
            for parent in self._history.commit(name).parents:
                self._add(parent, name)
        except BaseException:
            heappush(self._waiting, waits)
            raise
        self._followed.add(name)

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
        heappush(self._waiting, (-committed, parent))
        self._children[parent] = [child]


def own_line(history: History, tip: str) -> Iterator[str]:
    """Yield a branch's own line: a commit, its first parent, and so on; raises `Unreadable`."""
    name = tip
    while name:
        yield name
        name = next(iter(history.commit(name).parents), "")
