"""The branches of a repository or a bundle, and which of them work is merged into."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.display import named
from pipeline.reading import DENIED, Unreadable
from verify.history.objects import is_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verify.history.objects import Repository

MAX_BRANCHES = 2_000  # in files of their own; thousands more may be packed
_MAX_DEPTH = 8  # folders of a branch's name
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_ORIGIN = f"{_REMOTES}origin/"
_USUAL = ("main", "master")
_POINTER = "ref: "
_PACKED = re.compile(r"^([0-9a-f]{40}|[0-9a-f]{64}) (\S.*?)\s*$", re.MULTILINE)
_SHA_256 = 64  # digits
_MOST = 1_024  # bytes of a ref's file that are looked at


class Branches(NamedTuple):
    """`refs` are ids by full names (`refs/heads/…`, `refs/remotes/…`).

    `head` is the full name of the branch that is checked out, `main` the short name of the remote's
    default branch; each may be empty.
    """

    refs: Mapping[str, str]
    head: str = ""
    main: str = ""

    def called(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return the refs of a branch by its short name, full name and id, each id once.

        The local one comes first, then that of the remote `origin`, then those of others.
        """
        remote = (ref for ref in sorted(self.refs) if ref.startswith(_REMOTES))
        others = (ref for ref in remote if ref[len(_REMOTES) :].partition("/")[2] == name)
        first: dict[str, str] = {}
        for ref in (_HEADS + name, _ORIGIN + name, *others):
            if ref in self.refs:
                first.setdefault(self.refs[ref], ref)
        return tuple((ref, tip) for tip, ref in first.items())

    def default(self) -> str:
        """Return the short name of the branch that others are merged into, empty for none.

        It is the remote's default branch, else `main`, else `master`.
        """
        return next((name for name in (self.main, *_USUAL) if name and self.called(name)), "")


def of_repository(repository: Repository) -> Branches:
    """Return the branches of a repository; raises `Unreadable`."""
    head = _content(repository, "HEAD")
    if head == f"{_POINTER}{_HEADS}.invalid" or repository.has("reftable/tables.list"):
        raise Unreadable(DENIED, "its refs are a reftable, which is not read")
    packed = (repository.read("packed-refs") or b"").decode("utf-8", "replace")
    refs = {ref: name for name, ref in _PACKED.findall(packed) if _is_branch(ref)}
    main = ""
    for ref in _loose(repository):
        content = _content(repository, ref)
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


def of_refs(refs: Mapping[str, str]) -> Branches:
    """Return the branches among the refs of a bundle; it has none that is checked out."""
    return Branches({ref: name for ref, name in refs.items() if _is_branch(ref) and is_id(name)})


def _is_branch(ref: str) -> bool:
    return ref.startswith((_HEADS, _REMOTES)) and not ref.endswith("/HEAD")


def _content(repository: Repository, path: str) -> str:
    return (repository.read(path) or b"")[:_MOST].decode("utf-8", "replace").strip()


def _loose(repository: Repository) -> Iterator[str]:
    """Yield the refs in files of their own; raises `Unreadable`."""
    left = MAX_BRANCHES
    folders = [_HEADS, _REMOTES]
    while folders:
        folder = folders.pop()
        for name in repository.names(folder.rstrip("/"), left + 1):
            left -= 1
            if left < 0:
                raise Unreadable(DENIED, f"it has more than {MAX_BRANCHES:,} branches")
            path = folder + name
            if repository.has(path):
                yield path
            elif folder.count("/") <= _MAX_DEPTH and not name.endswith(".lock"):
                folders.append(f"{path}/")
