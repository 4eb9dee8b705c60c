"""The history that came with a submission, as checks ask it: commits, lines of work, changes."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.reading import TOO_LARGE, Unreadable
from verify.history.commits import Commit, parsed
from verify.history.deltas import DamagedObject
from verify.history.objects import damaged
from verify.history.past import Past

if TYPE_CHECKING:
    from verify.history.branches import Branches
    from verify.history.objects import Objects, TreeEntry

MAX_COMMITS = 10_000  # that are read of one history
MAX_STEPS = 600_000  # from commits to their parents, in all walks through a history
MAX_TREES = 5_000
MAX_READ = 32 << 20  # bytes of commits and trees
MAX_WORK = 800_000_000  # nanoseconds that packs may take, as they are reckoned
MAX_COMMIT = 256 << 10  # bytes of a commit: its message is in it
_SHOWN_MATCHES = 8  # of an abbreviated id
_HELD_ENTRIES = 100_000  # of trees
_OF_ENTRY = 64  # bytes of a tree that an entry takes, roughly


class Found(NamedTuple):
    """What an id that may be abbreviated stands for; `kinds` are those of all objects it fits.

    `commits` are the ids of the commits among them.
    """

    commits: tuple[str, ...]
    kinds: tuple[str, ...]


class Beyond(Unreadable):
    """A question that would take reading more of a history than is read."""

    def __init__(self, told: str) -> None:
        super().__init__(TOO_LARGE, told)


class History:
    """Commits and trees, read as they are asked for; what is asked twice is read once.

    `digest` tells histories apart: their branches, and which objects are there. `is_cut` tells
    whether the repository says that a part of its history is not in it.

    All questions raise `Unreadable` for what is damaged or lacking, and `Beyond` where the bounds
    of this module are reached: a line for people, in both cases.
    """

    def __init__(self, objects: Objects, branches: Branches, *, is_cut: bool, seal: str) -> None:
        self.branches = branches
        self.known: dict[tuple[str, ...], Any] = {}  # what was worked out of it, by the question
        self.is_cut = is_cut
        self._objects = objects
        self._seal = seal
        self._found: dict[str, Found] = {}
        self._pasts: dict[str, Past] = {}
        self._commits: dict[str, Commit] = {}
        self._trees: OrderedDict[str, dict[bytes, TreeEntry]] = OrderedDict()
        self._trees_read = 0
        self._steps = 0
        self._entries = 0  # of the trees that are held
        self._read = 0

    @property
    def digest(self) -> str:
        """Return a text that is another one for a history with other branches or objects."""
        refs = "".join(f"{ref} {name}\n" for ref, name in sorted(self.branches.refs.items()))
        said = f"{self.branches.head}\n{self.branches.main}\n{self.is_cut}\n{self._seal}\n{refs}"
        return sha256(said.encode("utf-8", "surrogateescape")).hexdigest()

    def close(self) -> None:
        """Release what is held open."""
        self._objects.close()

    def find(self, name: str) -> Found:
        """Return what an id stands for, full or abbreviated, in hexadecimal digits."""
        held = self._found.get(name)
        if held is None:
            matches = self._objects.matches(name.lower(), _SHOWN_MATCHES)
            kinds = {each: self._kind(each) for each in matches}
            commits = tuple(each for each, kind in kinds.items() if kind == "commit")
            held = self._found[name] = Found(commits, tuple(kinds.values()))
        return held

    def _kind(self, name: str) -> str:
        if name in self._commits:
            return "commit"
        self._refuse_beyond()
        kind, data = self._objects.read(name)
        self._read += len(data)
        return kind

    def commit(self, name: str) -> Commit:
        """Return a commit by its full id."""
        held = self._commits.get(name)
        if held is None:
            if len(self._commits) >= MAX_COMMITS:
                raise Beyond(f"has more than {MAX_COMMITS:,} commits to look through")
            self._refuse_beyond()
            kind, data = self._objects.read(name, MAX_COMMIT)
            self._read += len(data)
            if kind != "commit":
                raise damaged(name, "it is no commit")
            try:
                held = self._commits[name] = parsed(name, data)
            except DamagedObject as error:
                raise damaged(name, str(error)) from None
        self._steps += 1 + len(held.parents)
        if self._steps > MAX_STEPS:
            raise Beyond("has too many ways through its commits to look through")
        return held

    def past(self, tip: str) -> Past:
        """Return what lies before a commit, as far as it was looked at already."""
        held = self._pasts.get(tip)
        if held is None:
            held = self._pasts[tip] = Past(self, tip)
        return held

    def tree(self, name: str) -> dict[bytes, TreeEntry]:
        """Return the entries of a tree by their names; the latest trees are held."""
        held = self._trees.get(name)
        if held is None:
            self._trees_read += 1
            if self._trees_read > MAX_TREES:
                raise Beyond(f"has more than {MAX_TREES:,} folders to look through")
            self._refuse_beyond()
            held = self._trees[name] = self._objects.tree(name)
            self._read += _OF_ENTRY * len(held)
            self._entries += len(held)
            while self._entries > _HELD_ENTRIES and len(self._trees) > 1:
                self._entries -= len(self._trees.popitem(last=False)[1])
        return held

    def _refuse_beyond(self) -> None:
        if self._read > MAX_READ or self._objects.work > MAX_WORK:
            raise Beyond("is larger than what a grader reads through")
