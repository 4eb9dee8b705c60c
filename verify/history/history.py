"""A submitted history: opened from a `.git` or a bundle, read as checks need it."""

from __future__ import annotations

import re
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from dulwich.bundle import read_bundle
from dulwich.pack import MemoryPackIndex

from pipeline.files import DENIED, MAX_HISTORY, MISSING, NOT_REGULAR, Unreadable
from pipeline.terminal.display import named
from verify.history import BUNDLE, GIT
from verify.history.objects import (
    MAX_READ,
    BeyondLimits,
    Entries,
    MemoryPack,
    Objects,
    Repository,
    is_id,
    refusing,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verify.files import Files
    from verify.history.objects import Commit

MAX_COMMITS = 10_000  # that are read of one history
MAX_STEPS = 600_000  # from commits to their parents, in all walks through a history
MAX_TREES = 5_000
MAX_PACKED = 30_000  # objects of a bundle: each is unpacked to learn its id
_MAX_HEAD = 1 << 20  # bytes of a bundle's head: its refs
_MAX_DEPTH = 8  # folders of a branch's name
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_ORIGIN = f"{_REMOTES}origin/"
_USUAL = ("main", "master")
_POINTER = "ref: "
_PACKED = re.compile(r"^([0-9a-f]{40}|[0-9a-f]{64}) (\S.*?)\s*$", re.MULTILINE)
_SHA_256 = 64  # digits
_SHOWN_MATCHES = 8  # of an abbreviated id

Tree = dict[bytes, tuple[int, str]]


def history_of(files: Files, root: str = "") -> History | None:
    """Return the history in a folder of `files`, None for none; raises `Unreadable`."""
    base = f"{root.rstrip('/')}/" if root else ""
    if files.is_file(f"{base}{GIT}/HEAD"):
        with refusing("a pack or its index is damaged", GIT):
            return _of_repository(Repository(files, f"{base}{GIT}/"))
    try:
        data = files.read(base + BUNDLE, MAX_HISTORY)
    except Unreadable as error:
        if error.reason != MISSING:
            raise Unreadable(error.reason, f"{BUNDLE} {error}") from None
        _refuse_no_folder(files, f"{base}{GIT}")
        return None
    return of_bundle(data)


def _refuse_no_folder(files: Files, path: str) -> None:
    """Refuse a `.git` or a HEAD of another kind, so that it is not taken for no history."""
    if files.is_file(path):
        message = f"{path} is a file that points to another repository, which is not read"
        raise Unreadable(NOT_REGULAR, message)
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
    with refusing("it is damaged, or not a git bundle", BUNDLE):
        end = data.index(b"\n\n", 0, _MAX_HEAD)
        with read_bundle(BytesIO(data)) as head:
            if head.prerequisites:
                raise Unreadable(DENIED, "it holds only a part of the history: make it with --all")
            if head.capabilities not in ({}, {"object-format": "sha1"}):
                raise Unreadable(DENIED, "it lacks objects, or its ids are not SHA-1")
            names = head.references.items()
            refs = ((ref.decode("utf-8", "replace"), name.decode()) for ref, name in names)
            branches = Branches({r: name for r, name in refs if _is_branch(r) and is_id(name)})
        entries = Entries(data[end + 2 :])
        if len(entries) > MAX_PACKED:
            raise BeyondLimits(f"it has more than {MAX_PACKED:,} objects")
        pack = MemoryPack.from_objects(entries, MemoryPackIndex.for_pack(entries))
        entries.left = MAX_READ  # to learn the ids does not count
        return History(Objects([pack]), branches, sha256(data).hexdigest())


def _of_repository(repository: Repository) -> History:
    branches, packs = _branches(repository), repository.packs()
    roots = repository.text("shallow").split()
    for folder in repository.names("objects"):
        if len(folder) == 2:  # noqa: PLR2004  # digits
            repository.names(f"objects/{folder}")
    found = Objects(packs, repository)
    return History(
        found, branches, repository.digest.hexdigest(), repository.cut(), frozenset(roots)
    )


def _branches(repository: Repository) -> Branches:
    head = repository.text("HEAD")
    if head == f"{_POINTER}{_HEADS}.invalid" or repository.has("reftable/tables.list"):
        raise Unreadable(DENIED, "its refs are a reftable, which is not read")
    packed = _PACKED.findall(repository.text("packed-refs"))
    refs = {ref: name for name, ref in packed if _is_branch(ref)}
    main = ""
    paths = (path for folder in (_HEADS, _REMOTES) for path in _loose(repository, folder))
    for ref in paths:
        content = repository.text(ref)
        if content.startswith(_POINTER):
            if ref == f"{_ORIGIN}HEAD":
                main = content[len(_POINTER) :].strip().removeprefix(_ORIGIN)
        elif is_id(content) or len(content) == _SHA_256:
            refs[ref] = content
        else:
            raise Unreadable(DENIED, f"{named(ref, 60)} has neither an object's id nor a ref")
    if any(len(name) == _SHA_256 for name in refs.values()):
        raise Unreadable(DENIED, "its ids are SHA-256, which is not read")
    return Branches(refs, head.removeprefix(_POINTER) if head.startswith(_POINTER) else "", main)


def _is_branch(ref: str) -> bool:
    return ref.startswith((_HEADS, _REMOTES)) and not ref.endswith("/HEAD")


def _loose(repository: Repository, folder: str) -> Iterator[str]:
    """Yield the refs in files of their own; raises `Unreadable`."""
    for name in repository.names(folder.rstrip("/")):
        if repository.has(folder + name):
            yield folder + name
        elif folder.count("/") <= _MAX_DEPTH and not name.endswith(".lock"):
            yield from _loose(repository, f"{folder}{name}/")


class Branches(NamedTuple):
    """`refs` are ids by full names (`refs/heads/…`, `refs/remotes/…`).

    `head` is the full name of the branch that is checked out, `main` the short name of the remote's
    default branch; each may be empty.
    """

    refs: Mapping[str, str]
    head: str = ""
    main: str = ""

    def tips_of(self, name: str) -> list[str]:
        """Return the tips of a branch by its short name: the local one, `origin`'s, then others."""
        remote = (ref for ref in sorted(self.refs) if ref.startswith(_REMOTES))
        others = (ref for ref in remote if ref[len(_REMOTES) :].partition("/")[2] == name)
        refs = (_HEADS + name, _ORIGIN + name, *others)
        return list(dict.fromkeys(self.refs[ref] for ref in refs if ref in self.refs))

    def default(self) -> str:
        """Return the short name of the branch that others are merged into, empty for none.

        It is the remote's default branch, else `main`, else `master`.
        """
        return next((name for name in (self.main, *_USUAL) if name and self.tips_of(name)), "")


class History:
    """Commits and trees, read once, when they are needed.

    `digest` differs where branches or stored objects differ. `cut` says why a part of the history
    is missing, empty where none is; the commits before its `roots` are. `answers` keeps what was
    asked before. All questions raise `Unreadable`, and `BeyondLimits` at the limits.
    """

    def __init__(
        self,
        objects: Objects,
        branches: Branches,
        digest: str,
        cut: str = "",
        roots: frozenset[str] = frozenset(),
    ) -> None:
        self.branches = branches
        self.digest = digest
        self.cut = cut
        self._objects = objects
        self._roots = roots
        self.answers: dict[tuple[str, ...], Any] = {}
        self._found: dict[str, dict[str, str]] = {}
        self._ancestors: dict[str, dict[str, list[str]]] = {}
        self._commits: dict[str, Commit] = {}
        self._trees: dict[str, Tree] = {}
        self._steps = 0

    def find(self, name: str) -> dict[str, str]:
        """Return the kind of each object whose id begins so, by its id."""
        if name not in self._found:
            matches = self._objects.matches(name.lower(), _SHOWN_MATCHES)
            kinds = {each: self._objects.read(each).type_name.decode() for each in matches}
            self._found[name] = kinds
        return self._found[name]

    def commit(self, name: str) -> Commit:
        """Return a commit by its full id, without the parents that a shallow clone lacks."""
        found = self._commits.get(name)
        if found is None:
            if len(self._commits) >= MAX_COMMITS:
                raise BeyondLimits(f"it has more than {MAX_COMMITS:,} commits")
            found = self._objects.commit(name)
            found = found._replace(parents=()) if name in self._roots else found
            self._commits[name] = found
        self._steps += 1 + len(found.parents)
        if self._steps > MAX_STEPS:
            raise BeyondLimits(f"its commits take more than {MAX_STEPS:,} steps")
        return found

    def ancestors(self, tip: str) -> dict[str, list[str]]:
        """Return the ancestors of a commit, itself among them, each with its children there."""
        if tip in self._ancestors:
            return self._ancestors[tip]
        found: dict[str, list[str]] = {tip: []}
        pending = [tip]
        while pending:
            name = pending.pop()
            for parent in self.commit(name).parents:
                if parent not in found:
                    found[parent] = []
                    pending.append(parent)
                found[parent].append(name)
        self._ancestors[tip] = found
        return found

    def between(self, name: str, tip: str) -> set[str]:
        """Return the commits from one to another, with both; empty if it is not an ancestor."""
        past = self.ancestors(tip)
        found = {name} & past.keys()
        pending = list(found)
        while pending:
            new = [each for each in past[pending.pop()] if each not in found]
            found.update(new)
            pending += new
        return found

    def first_parents(self, tip: str) -> Iterator[str]:
        """Yield a branch's own line: a commit, its first parent, and so on."""
        name = tip
        while name:
            yield name
            name = next(iter(self.commit(name).parents), "")

    def tree(self, name: str) -> Tree:
        """Return git's mode and the id of each entry of a tree, by its name."""
        if name not in self._trees:
            if len(self._trees) >= MAX_TREES:
                raise BeyondLimits(f"it has more than {MAX_TREES:,} folders")
            self._trees[name] = self._objects.tree(name)
        return self._trees[name]
