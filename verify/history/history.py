"""A submitted history as checks ask it: commits, trees, and what comes before a commit."""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pipeline.reading import Unreadable
from verify.history.objects import Beyond

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.history.branches import Branches
    from verify.history.objects import Commit, Objects, TreeEntry

MAX_COMMITS = 10_000  # that are read of one history
MAX_STEPS = 600_000  # from commits to their parents, in all walks through a history
MAX_TREES = 5_000
_SHOWN_MATCHES = 8  # of an abbreviated id

T = TypeVar("T")


class Found(NamedTuple):
    """What an id that may be abbreviated fits: ids of commits, and the kinds of all objects."""

    commits: tuple[str, ...]
    kinds: tuple[str, ...]


class History:
    """Commits and trees, read once, when they are asked for.

    `seal` returns a text that differs where the stored objects differ. `is_cut` is whether a part
    of the history is missing. All questions raise `Unreadable`, and `Beyond` at the limits.
    """

    def __init__(
        self, objects: Objects, branches: Branches, *, is_cut: bool, seal: Callable[[], str]
    ) -> None:
        self.branches = branches
        self.is_cut = is_cut
        self._objects = objects
        self._seal = seal
        self._answers: dict[tuple[str, ...], Any] = {}
        self._commits: dict[str, Commit] = {}
        self._trees: dict[str, dict[bytes, TreeEntry]] = {}
        self._steps = 0

    @property
    def digest(self) -> str:
        """Return a text that differs for a history with other branches or objects."""
        refs = "".join(f"{ref} {name}\n" for ref, name in sorted(self.branches.refs.items()))
        parts = (self.branches.head, self.branches.main, self.is_cut, self._seal(), refs)
        return sha256("\n".join(map(str, parts)).encode("utf-8", "surrogateescape")).hexdigest()

    def once(self, question: tuple[str, ...], find: Callable[[], T]) -> T:
        """Return the answer to a question, found out the first time that it is asked."""
        if question not in self._answers:
            self._answers[question] = find()
        answer: T = self._answers[question]
        return answer

    def find(self, name: str) -> Found:
        """Return what an id fits, full or abbreviated, in hexadecimal digits."""
        return self.once(("find", name), partial(self._find, name))

    def _find(self, name: str) -> Found:
        matches = self._objects.matches(name.lower(), _SHOWN_MATCHES)
        kinds = {each: self._objects.read(each)[0] for each in matches}
        commits = tuple(each for each, kind in kinds.items() if kind == "commit")
        return Found(commits, tuple(kinds.values()))

    def commit(self, name: str) -> Commit:
        """Return a commit by its full id."""
        found = self._commits.get(name)
        if found is None:
            if len(self._commits) >= MAX_COMMITS:
                raise Beyond(f"it has more than {MAX_COMMITS:,} commits")
            found = self._commits[name] = self._objects.commit(name)
        self._steps += 1 + len(found.parents)
        if self._steps > MAX_STEPS:
            raise Beyond(f"its commits take more than {MAX_STEPS:,} steps")
        return found

    def past(self, tip: str) -> Past:
        """Return the ancestors of a commit."""
        return self.once(("past", tip), partial(Past, self, tip))

    def own_line(self, tip: str) -> Iterator[str]:
        """Yield a branch's own line: a commit, its first parent, and so on."""
        name = tip
        while name:
            yield name
            name = next(iter(self.commit(name).parents), "")

    def tree(self, name: str) -> dict[bytes, TreeEntry]:
        """Return the entries of a tree by their names."""
        if name not in self._trees:
            if len(self._trees) >= MAX_TREES:
                raise Beyond(f"it has more than {MAX_TREES:,} folders")
            self._trees[name] = self._objects.tree(name)
        return self._trees[name]


class Past:
    """The ancestors of a commit, itself among them, about from the latest to the earliest.

    `found` has their children, `missing` those that cannot be read. Dates give the order only, as
    the author of a commit writes them: no answer of `holds` depends on it.
    """

    def __init__(self, history: History, tip: str) -> None:
        self.missing: dict[str, Unreadable] = {}
        self._history = history
        self.found: dict[str, list[str]] = {tip: []}
        pending = [(-history.commit(tip).committed, tip)]
        while pending:
            name = heappop(pending)[1]
            for parent in history.commit(name).parents:
                if parent in self.found:
                    self.found[parent].append(name)
                elif parent not in self.missing:
                    try:
                        heappush(pending, (-history.commit(parent).committed, parent))
                        self.found[parent] = [name]
                    except Beyond:
                        raise
                    except Unreadable as error:
                        self.missing[parent] = error

    def __iter__(self) -> Iterator[str]:
        for error in self.missing.values():
            raise error
        return iter(self.found)

    def holds(self, name: str) -> bool:
        """Return whether a commit is among them; raises `Unreadable` where that is not known.

        A missing commit that is an ancestor of the one that is asked for cannot lead there.
        """
        if name in self.found:
            return True
        if self.missing:
            other = self._history.past(name)
            known = {*other.found, *other.missing}
            for error in (error for lost, error in self.missing.items() if lost not in known):
                raise error
        return False

    def through(self, name: str) -> set[str]:
        """Return the commits that have one as an ancestor, itself among them; raises as `holds`."""
        found = {name} if self.holds(name) else set()
        pending = list(found)
        while pending:
            new = [each for each in self.found[pending.pop()] if each not in found]
            found.update(new)
            pending += new
        return found
