"""A submitted history: opened from a `.git` or a bundle, read as checks need it."""

from __future__ import annotations

import stat
from collections import deque
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from dulwich.bundle import read_bundle
from dulwich.diff_tree import CHANGE_RENAME, RenameDetector
from dulwich.objects import ObjectID
from dulwich.pack import MemoryPackIndex

from pipeline.files import DENIED, MAX_HISTORY, MISSING, NOT_REGULAR, Unreadable
from verify.submissions.history import refs
from verify.submissions.history.faults import BUNDLE, GIT, POINTER, BeyondLimits, once
from verify.submissions.history.objects import (
    MAX_READ,
    Entries,
    MemoryPack,
    ObjectStore,
    is_id,
    refusing,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.submissions.files import Files
    from verify.submissions.history.objects import Commit, Tree
    from verify.submissions.history.refs import Branches

MAX_COMMITS = 40_000  # that are read of one history
MAX_STEPS = 1_000_000  # from commits to their parents, in all walks through a history
MAX_TREES = 5_000
MAX_PACKED = 100_000  # objects of a bundle: each is unpacked to learn its id
MAX_UNPACKED = 256 << 20  # bytes that they unpack to; the course's own history takes 134 MiB
MAX_ENTRIES = 100_000  # of folders that are compared
MAX_CHANGED = 5_000  # files
_ALIKE, _MOST_RENAMED = 49, 60  # of 100, for more than half; files that are compared with others
_NAMES = ("utf-8", "surrogateescape")
_SPARE = 2_000  # commits near a work, which are read in any history
_SMALLEST = 9  # bytes of an object in a pack: an empty one, compressed
_MAX_HEAD = 1 << 20  # bytes of a bundle's head: its refs


def history_of(files: Files, root: str = "") -> History | None:
    """Return the history in a folder of `files`, None for none; raises `Unreadable`.

    A bundle is read if there is no `.git`, or if that lacks a part or cannot be read.
    """
    base = f"{root.rstrip('/')}/" if root else ""
    try:
        found = _of_folder(files, base)
        if found is not None and not (found.cut or found.branches.broken):
            return found
    except Unreadable:
        if not files.is_file(base + BUNDLE):
            raise
        found = None
    try:
        return of_bundle(files.read(base + BUNDLE, MAX_HISTORY))
    except Unreadable as error:
        if found is not None or error.reason == MISSING:
            return found
        text = str(error)
        raise Unreadable(error.reason, text if BUNDLE in text else f"{BUNDLE} {text}") from None


def _of_folder(files: Files, base: str) -> History | None:
    path = f"{base}{GIT}"
    if not files.is_file(f"{path}/HEAD"):
        _refuse_no_folder(files, path)
        return None
    with refusing("a pack or its index is damaged", GIT):
        repository = ObjectStore(files, f"{path}/")
        branches = refs.of_folder(repository)
        repository.load()
        return History(repository, branches)


def _refuse_no_folder(files: Files, path: str) -> None:
    """Refuse a `.git` or a HEAD of another kind: it must not count as no history."""
    if files.is_file(path):  # of a work tree, or of a submodule
        is_pointer = files.head(path).startswith(b"gitdir: ")
        raise Unreadable(NOT_REGULAR, POINTER if is_pointer else f"{path} is not a folder")
    place = path
    try:
        files.names(place, 1)
        place = f"{path}/HEAD"
        files.read(place, 1)
    except Unreadable as error:
        if error.reason != MISSING:
            raise Unreadable(error.reason, f"{place} {error}") from None


def of_bundle(data: bytes) -> History:
    """Return the history of a git bundle; raises `Unreadable`."""
    damaged = "it is damaged, or not a git bundle"
    with refusing(damaged, BUNDLE):
        end = data.index(b"\n\n", 0, _MAX_HEAD)
        with read_bundle(BytesIO(data)) as head:
            if head.capabilities not in ({}, {"object-format": "sha1"}):
                raise Unreadable(DENIED, "it lacks objects, or its object ids are not SHA-1")
            lacking = frozenset(name.decode() for name, _ in head.prerequisites)
            names = head.references.items()
            ids = {ref.decode("utf-8", "replace"): name.decode() for ref, name in names}
            branches = refs.of_bundle({ref: name for ref, name in ids.items() if is_id(name)})
        entries = Entries(data[end + 2 :])
        if len(entries) > len(data) // _SMALLEST:  # a count that is not true is no size
            raise Unreadable(DENIED, damaged)
        if len(entries) > MAX_PACKED:
            raise BeyondLimits(f"it has more than {MAX_PACKED:,} objects")
        repository = ObjectStore()
        repository.lacking = lacking
        entries.allow(MAX_UNPACKED)
        with refusing(
            "it has only part of the history; create it with --all" if lacking else damaged
        ):
            index = MemoryPackIndex.for_pack(entries)
        repository.packs.append(MemoryPack.from_objects(entries, index))
        repository.digest.update(data)
        entries.allow(MAX_READ)  # learning the ids does not count
        return History(repository, branches)


class FileChange(NamedTuple):
    """A file in which two commits differ."""

    old: tuple[int, str]  #: git's mode and the id, 0 and empty for none
    new: tuple[int, str]  #: likewise


class History:
    """Commits and trees, read once, when they are needed.

    `digest` differs where branches or stored objects differ. `cut` says why a part of the history
    is missing, empty where none is. All questions raise `Unreadable`, at the limits `BeyondLimits`.
    """

    def __init__(self, repository: ObjectStore, branches: Branches) -> None:
        self.branches = branches
        self.digest = repository.digest.hexdigest()
        self.cut = repository.cut()
        self._repository = repository
        self.answers: dict[tuple[object, ...], Any] = {}
        self._commits: dict[str, Commit] = {}
        self._trees: dict[str, Tree] = {}
        self._steps = 0

    @once
    def find(self, name: str) -> dict[str, str]:
        """Return the kind of each object whose id begins like this, by its id."""
        return self._repository.find(name.lower())

    def commit(self, name: str) -> Commit:
        """Return a commit by its full id, without the parents that a shallow clone lacks."""
        found = self._commits.get(name)
        if found is None:
            if len(self._commits) >= MAX_COMMITS + _SPARE:
                raise BeyondLimits(f"it has more than {MAX_COMMITS:,} commits")
            found = self._commits[name] = self._repository.commit(name)
        self._steps += 1 + len(found.parents)
        if self._steps > MAX_STEPS:
            raise BeyondLimits(f"reading its commits takes more than {MAX_STEPS:,} steps")
        return found

    @once
    def ancestors(self, tip: str) -> dict[str, list[str]]:
        """Return the ancestors of a commit, itself among them, each with its children there.

        The empty commit, before the first, has none.
        """
        found: dict[str, list[str]] = {tip: []} if tip else {}
        pending = deque(found)
        while pending:
            if len(found) > MAX_COMMITS:
                raise BeyondLimits(f"it has more than {MAX_COMMITS:,} commits")
            name = pending.popleft()
            for parent in self.commit(name).parents:
                if parent not in found:
                    found[parent] = []
                    pending.append(parent)
                found[parent].append(name)
        return found

    def between(self, name: str, tip: str) -> set[str]:
        """Return the commits from one to another, with both; empty if it is not an ancestor."""
        past = self.ancestors(tip)
        found = {name} & past.keys()
        pending = list(found)
        while pending:
            new = [name for name in past[pending.pop()] if name not in found]
            found.update(new)
            pending += new
        return found

    def first_parents(self, tip: str) -> Iterator[str]:
        """Yield the line of first parents: a commit, its first parent, and so on."""
        name = tip
        while name:
            yield name
            name = next(iter(self.commit(name).parents), "")

    def tree(self, name: str) -> Tree:
        """Return git's mode and the id of each entry of a tree, by its name."""
        if name not in self._trees:
            if len(self._trees) >= MAX_TREES:
                raise BeyondLimits(f"it has more than {MAX_TREES:,} folders")
            self._trees[name] = self._repository.tree(name)
        return self._trees[name]

    def tip_with(self, branch: str, commit: str) -> str:
        """Return the tip of the branch that has a commit, empty for none."""
        tips = self.branches.tips_of(branch)
        return next((tip for tip in tips if commit in self.ancestors(tip)), "")

    @once
    def changes(self, before: str, after: str, most: int = MAX_CHANGED) -> dict[str, FileChange]:
        """Return the files in which two commits differ, by path; `before` may be empty.

        A file that was renamed is two. As in git, a link is a file; a submodule is not. Of more
        than `most` files, those found so far are returned, more than `most` as well.
        """
        found: dict[bytes, FileChange] = {}
        trees = [self.commit(name).tree if name else "" for name in (before, after)]
        pending, looked = [(b"", trees)], 0
        while pending and len(found) <= most:
            folder, pair = pending.pop()
            old, new = (self.tree(name) if name else {} for name in pair)
            looked += len(old) + len(new)
            if looked > MAX_ENTRIES:
                raise BeyondLimits(f"it has changes in folders with over {MAX_ENTRIES:,} names")
            for name in sorted(old.keys() | new.keys()):
                sides = [tree.get(name, (0, "")) for tree in (old, new)]
                if sides[0] == sides[1]:
                    continue
                below = [of if stat.S_ISDIR(mode) else "" for mode, of in sides]
                if any(below):
                    pending.append((folder + name + b"/", below))
                if any(_is_file(mode) for mode, _ in sides):
                    files = (side if _is_file(side[0]) else (0, "") for side in sides)
                    found[folder + name] = FileChange(*files)
        return {path.decode(*_NAMES): found[path] for path in sorted(found)}

    def renamed(self, before: str, after: str) -> list[tuple[str, str]]:
        """Return the old and new paths of renamed files, as `git diff` does by default."""
        ids = [self.commit(name).tree.encode() for name in (before, after)]
        with refusing("its renamed files cannot be read"):
            found = RenameDetector(self._repository, _ALIKE, _MOST_RENAMED)  # type: ignore[arg-type]
            changes = found.changes_with_renames(ObjectID(ids[0]), ObjectID(ids[1]))
            pairs = [(c.old, c.new) for c in changes if c.type == CHANGE_RENAME]
            return [(o.path.decode(*_NAMES), n.path.decode(*_NAMES)) for o, n in pairs if o and n]

    def stores(self, name: str) -> bool:
        """Return whether there is an object with a full id."""
        return self._repository.stores(name)

    def blob(self, name: str) -> bytes:
        """Return a file's bytes by its id."""
        return self._repository.blob(name)

    def entry_at(self, commit: str, path: str) -> tuple[int, str]:
        """Return git's mode and the id of what a commit has at a path, 0 and empty for nothing."""
        mode, of = (stat.S_IFDIR, self.commit(commit).tree) if commit else (0, "")
        for name in path.encode(*_NAMES).split(b"/"):
            mode, of = self.tree(of).get(name, (0, "")) if stat.S_ISDIR(mode) else (0, "")
        return mode, of

    def has_file(self, commit: str, path: str) -> bool:
        """Return whether a commit has a file or a link at a path."""
        return _is_file(self.entry_at(commit, path)[0])


def _is_file(mode: int) -> bool:  # not a folder's or a submodule's
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)
