"""A submitted history: opened from a `.git` or a bundle, read as checks need it."""

from __future__ import annotations

import re
import stat
from functools import wraps
from io import BytesIO
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from dulwich.bundle import read_bundle
from dulwich.pack import MemoryPackIndex

from pipeline.files import DENIED, MAX_HISTORY, MISSING, NOT_REGULAR, Unreadable
from pipeline.terminal.display import named
from verify.history import BUNDLE, GIT, BeyondLimits
from verify.history.objects import MAX_READ, Entries, MemoryPack, Repository, is_id, refusing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from verify.files import Files
    from verify.history.objects import Commit, Tree

MAX_COMMITS = 10_000  # that are read of one history
MAX_STEPS = 600_000  # from commits to their parents, in all walks through a history
MAX_TREES = 5_000
MAX_PACKED = 30_000  # objects of a bundle: each is unpacked to learn its id
MAX_BASES = 100  # commits at which work may begin
MAX_ENTRIES = 100_000  # of folders that are compared
MAX_CHANGED = 5_000  # files
_MAX_HEAD = 1 << 20  # bytes of a bundle's head: its refs
_MAX_DEPTH = 8  # folders of a branch's name
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_ORIGIN = f"{_REMOTES}origin/"
_USUAL = ("main", "master")
_POINTER = "ref: "
_PACKED = re.compile(r"^([0-9a-f]{40}|[0-9a-f]{64}) (\S.*?)\s*$", re.MULTILINE)
_SHA_256 = 64  # digits
_MOVED = "git cannot tell where the work begins, because {} already contains all or part of it"
_LOST = (
    "git cannot show what happened to the commit, because no branch has it (it may have been"
    " squashed or rebased)"
)

F = TypeVar("F", bound="Callable[..., Any]")


def history_of(files: Files, root: str = "") -> History | None:
    """Return the history in a folder of `files`, None for none; raises `Unreadable`."""
    base = f"{root.rstrip('/')}/" if root else ""
    if files.is_file(f"{base}{GIT}/HEAD"):
        with refusing("a pack or its index is damaged", GIT):
            repository = Repository(files, f"{base}{GIT}/")
            branches = _branches(repository)
            repository.load()
            return History(repository, branches)
    try:
        data = files.read(base + BUNDLE, MAX_HISTORY)
    except Unreadable as error:
        if error.reason != MISSING:
            raise Unreadable(error.reason, f"{BUNDLE} {error}") from None
        _refuse_no_folder(files, f"{base}{GIT}")
        return None
    return of_bundle(data)


def _refuse_no_folder(files: Files, path: str) -> None:
    """Refuse a `.git` or a HEAD of another kind: it must not count as no history."""
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
                raise Unreadable(DENIED, "it has only part of the history; create it with --all")
            if head.capabilities not in ({}, {"object-format": "sha1"}):
                raise Unreadable(DENIED, "it lacks objects, or its object ids are not SHA-1")
            names = head.references.items()
            refs = ((ref.decode("utf-8", "replace"), name.decode()) for ref, name in names)
            branches = Branches({r: name for r, name in refs if _is_branch(r) and is_id(name)})
        entries = Entries(data[end + 2 :])
        if len(entries) > MAX_PACKED:
            raise BeyondLimits(f"it has more than {MAX_PACKED:,} objects")
        repository = Repository()
        index = MemoryPackIndex.for_pack(entries)
        repository.packs.append(MemoryPack.from_objects(entries, index))
        repository.digest.update(data)
        entries.left = MAX_READ  # learning the ids does not count
        return History(repository, branches)


def _branches(repository: Repository) -> Branches:
    head = repository.text("HEAD")
    if head == f"{_POINTER}{_HEADS}.invalid" or repository.has("reftable/tables.list"):
        raise Unreadable(DENIED, "its refs are in the reftable format, which is not supported")
    packed = _PACKED.findall(repository.text("packed-refs"))
    refs = {ref: name for name, ref in packed if _is_branch(ref)}
    main = repository.text(f"{_ORIGIN}HEAD").removeprefix(_POINTER).strip().removeprefix(_ORIGIN)
    paths = (path for folder in (_HEADS, _REMOTES) for path in _loose(repository, folder))
    for ref in paths:
        content = repository.text(ref)
        if is_id(content) or len(content) == _SHA_256:
            refs[ref] = content
        elif not content.startswith(_POINTER):
            raise Unreadable(DENIED, f"{named(ref, 60)} contains neither an object id nor a ref")
    if any(len(name) == _SHA_256 for name in refs.values()):
        raise Unreadable(DENIED, "its object ids are SHA-256, which is not supported")
    return Branches(refs, head.removeprefix(_POINTER) if head.startswith(_POINTER) else "", main)


def _is_branch(ref: str) -> bool:
    return ref.startswith((_HEADS, _REMOTES)) and not ref.endswith("/HEAD")


def _loose(repository: Repository, folder: str) -> Iterator[str]:
    """Yield the refs that have their own files; raises `Unreadable`."""
    for name in repository.names(folder.rstrip("/")):
        if repository.has(folder + name):
            yield folder + name
        elif folder.count("/") <= _MAX_DEPTH and not name.endswith(".lock"):
            yield from _loose(repository, f"{folder}{name}/")


class Branches(NamedTuple):
    """The ids of branches by full names (`refs/heads/…`, `refs/remotes/…`).

    `head` is the full name of the one that is checked out, `main` the short name of the remote's
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
        """Return the short name of the remote's default branch, else `main`, `master` or none."""
        return next((name for name in (self.main, *_USUAL) if name and self.tips_of(name)), "")


class Work(NamedTuple):
    """The commits of a branch up to `tip`; `main` is the default branch, if a branch has the work.

    `bases` are the commits after which they may begin, the empty one for before the first: one if
    git can tell, none for too many or an unknown tip. `merge` is the commit that merged the work,
    empty for none. `doubt` says what git cannot tell.
    """

    tip: str
    main: str
    bases: tuple[str, ...]
    merge: str = ""
    doubt: str = ""


def _once(ask: F) -> F:
    """Keep the answer to a question as long as its history."""

    @wraps(ask)
    def kept(self: History, *args: str) -> Any:
        question = (ask.__name__, *args)
        if question not in self._answers:
            self._answers[question] = ask(self, *args)
        return self._answers[question]

    return cast("F", kept)


class History:
    """Commits and trees, read once, when they are needed.

    `digest` differs where branches or stored objects differ. `cut` says why a part of the history
    is missing, empty where none is. All questions raise `Unreadable`, at the limits `BeyondLimits`.
    """

    def __init__(self, repository: Repository, branches: Branches) -> None:
        self.branches = branches
        self.digest = repository.digest.hexdigest()
        self.cut = repository.cut()
        self._repository = repository
        self._answers: dict[tuple[object, ...], Any] = {}
        self._commits: dict[str, Commit] = {}
        self._trees: dict[str, Tree] = {}
        self._steps = 0

    @_once
    def find(self, name: str) -> dict[str, str]:
        """Return the kind of each object whose id begins like this, by its id."""
        return self._repository.find(name.lower())

    def commit(self, name: str) -> Commit:
        """Return a commit by its full id, without the parents that a shallow clone lacks."""
        found = self._commits.get(name)
        if found is None:
            if len(self._commits) >= MAX_COMMITS:
                raise BeyondLimits(f"it has more than {MAX_COMMITS:,} commits")
            found = self._commits[name] = self._repository.commit(name)
        self._steps += 1 + len(found.parents)
        if self._steps > MAX_STEPS:
            raise BeyondLimits(f"reading its commits takes more than {MAX_STEPS:,} steps")
        return found

    @_once
    def ancestors(self, tip: str) -> dict[str, list[str]]:
        """Return the ancestors of a commit, itself among them, each with its children there.

        The empty commit, before the first, has none.
        """
        found: dict[str, list[str]] = {tip: []} if tip else {}
        pending = list(found)
        while pending:
            name = pending.pop()
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
            new = [each for each in past[pending.pop()] if each not in found]
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

    @_once
    def work_on(self, branch: str, commit: str) -> Work | None:
        """Return the work on a branch that a commit belongs to, None where the branch lacks it.

        Where no branch has the name, it counts as merged and deleted if the commit is on the main
        branch, and as squashed away if it is on none.
        """
        tip, main = self.tip_with(branch, commit), self.branches.default()
        if not tip and self.branches.tips_of(branch):
            return None
        heads = self.branches.tips_of(main)
        if not heads:
            raise Unreadable(MISSING, "it has no default branch (origin/HEAD, main or master)")
        if not tip:
            heads = [head for head in heads if commit in self.ancestors(head)]
            if not heads:
                tips = {*self.branches.refs.values()}
                is_elsewhere = any(commit in self.ancestors(each) for each in tips)
                return None if is_elsewhere else Work(commit, "", (), doubt=_LOST)
        found = [self._against(head, tip, commit)._replace(main=main) for head in heads]
        apart = [work for work in found if work.bases]
        work = max(apart, key=lambda each: len(self.ancestors(each.bases[0])), default=found[0])
        if len(apart) < len(found):
            bases = self._before(tip, "".join(work.bases[:1])) if tip else ()
            work = work._replace(bases=bases)
        return work if len(work.bases) == 1 else work._replace(doubt=_MOVED.format(named(main, 60)))

    def tip_with(self, branch: str, commit: str) -> str:
        """Return the tip of the branch that has a commit, empty for none."""
        tips = self.branches.tips_of(branch)
        return next((tip for tip in tips if commit in self.ancestors(tip)), "")

    def commits_of(self, work: Work) -> list[str]:
        """Return the commits of a work, the last one only where its beginning is not clear."""
        if len(work.bases) != 1:
            return [work.tip]
        before = self.ancestors(work.bases[0])
        return [each for each in self.ancestors(work.tip) if each not in before]

    @_once
    def changed(self, before: str, after: str) -> tuple[str, ...]:
        """Return the sorted paths of the files in which two commits differ; `before` may be empty.

        A file that was renamed is two. As in git, a link is a file; a submodule is not.
        """
        found: list[bytes] = []
        trees = [self.commit(each).tree if each else "" for each in (before, after)]
        pending, looked = [(b"", trees)], 0
        while pending:
            folder, pair = pending.pop()
            old, new = (self.tree(each) if each else {} for each in pair)
            looked += len(old) + len(new)
            for name in old.keys() | new.keys():
                sides = [tree.get(name, (0, "")) for tree in (old, new)]
                if sides[0] == sides[1]:
                    continue
                below = [of if stat.S_ISDIR(mode) else "" for mode, of in sides]
                if any(below):
                    pending.append((folder + name + b"/", below))
                if any(_is_file(mode) for mode, _ in sides):
                    found.append(folder + name)
            if looked > MAX_ENTRIES or len(found) > MAX_CHANGED:
                most = (
                    f"{MAX_CHANGED:,} files, or in folders with over {MAX_ENTRIES:,} names in total"
                )
                raise BeyondLimits(f"it has changes in more than {most}")
        return tuple(path.decode("utf-8", "surrogateescape") for path in sorted(found))

    def mode_at(self, commit: str, path: str) -> int:
        """Return git's mode of what a commit has at a path, 0 for nothing."""
        mode, of = stat.S_IFDIR, self.commit(commit).tree
        for name in path.encode("utf-8", "replace").split(b"/"):
            mode, of = self.tree(of).get(name, (0, "")) if stat.S_ISDIR(mode) else (0, "")
        return mode

    def has_file(self, commit: str, path: str) -> bool:
        """Return whether a commit has a file or a link at a path."""
        return _is_file(self.mode_at(commit, path))

    def _against(self, head: str, tip: str, commit: str) -> Work:
        """Return the work compared with one main branch, without bases where it moved along it.

        A branch that was deleted has no `tip`: the merge of `commit` shows where it ended.
        """
        merged = self.between(tip or commit, head)
        merge = "".join(list(takewhile(merged.__contains__, self.first_parents(head)))[-1:])
        if merge == (tip or commit):
            return Work(merge, "", ())
        if not tip:
            sides = self.commit(merge).parents[1:]
            tip = next((side for side in sides if commit in self.ancestors(side)), commit)
        before = next(iter(self.commit(merge).parents), "") if merge else head
        return Work(tip, "", self._bases(before, tip), merge)

    def _bases(self, before: str, tip: str) -> tuple[str, ...]:
        """Return where a branch began: at the last commit of the main one's own line that it has.

        What it shares with the main branch after that came there by a merge, of others' work or of
        its own first part: git cannot tell.
        """
        past, other = self.ancestors(tip), self.ancestors(before)
        line = islice(filter(past.__contains__, self.first_parents(before)), 1)
        last = [each for each in past if each in other and other.keys().isdisjoint(past[each])]
        if not last and self.cut:
            raise Unreadable(
                DENIED, f"it does not include the beginning of the work, because {self.cut}"
            )
        return tuple(dict.fromkeys([*line, *last])) or ("",)

    def _before(self, tip: str, first: str) -> tuple[str, ...]:
        """Return the commits from one to before another, none where they are too many."""
        before = self.ancestors(first).keys() - {first}
        found = [each for each in self.ancestors(tip) if each != tip and each not in before]
        found += [] if first else [""]
        return tuple(found) if len(found) <= MAX_BASES else ()


def _is_file(mode: int) -> bool:  # not a folder's or a submodule's
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)
