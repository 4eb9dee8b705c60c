"""The branches of a repository or a bundle, all of them, and which one work is merged into."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.display import named
from pipeline.reading import MISSING, Unreadable
from verify.history.deltas import DamagedObject

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verify.history.files import Files

MAX_BRANCHES = 2_000  # in files of their own; thousands more may be packed
_MAX_DEPTH = 8  # folders of a branch's name
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_ORIGIN = f"{_REMOTES}origin/"
_USUAL = ("main", "master")
_POINTER = "ref: "
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MOST = 1_024  # bytes of a ref's file that are looked at


class Branches(NamedTuple):
    """`refs` are ids by full names (`refs/heads/…`, `refs/remotes/…`).

    `head` is the branch that is checked out, by its full name, empty where there is none. `main`
    is the short name that the remote calls its default branch, empty where it says nothing.
    """

    refs: Mapping[str, str]
    head: str = ""
    main: str = ""

    def called(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return the refs of a branch by its short name, full name and id.

        The local one comes first, then that of the remote `origin`, then those of others.
        """
        first = [ref for ref in (_HEADS + name, f"{_ORIGIN}{name}") if ref in self.refs]
        others = [
            ref
            for ref in self.refs
            if ref.endswith(f"/{name}")
            and ref.startswith(_REMOTES)
            and ref[len(_REMOTES) :].partition("/")[2] == name
            and ref not in first
        ]
        return tuple((ref, self.refs[ref]) for ref in (*first, *sorted(others)))

    def default(self) -> str:
        """Return the short name of the branch that others are merged into, empty for none.

        It is what the remote calls its own, else `main`, else `master`.
        """
        names = (self.main, *_USUAL) if self.main else _USUAL
        return next((name for name in names if self.called(name)), "")


def of_repository(files: Files) -> Branches:
    """Return the branches of a repository.

    Raises:
        Unreadable: a file of them is a link, a pipe or too large, or there are too many.
        DamagedObject: they are not what git writes, or are kept in a way that is not read.
    """
    head = _content(files, "HEAD")
    if head is None:
        raise DamagedObject("it has no HEAD")
    if head == f"{_POINTER}{_HEADS}.invalid" or files.has("reftable/tables.list"):
        raise DamagedObject("its refs are kept as a reftable")
    refs = {ref: name for ref, name in _packed_refs(files).items() if _is_branch(ref)}
    pointers: dict[str, str] = {}
    for ref in _loose(files):
        content = _content(files, ref) or ""
        if content.startswith(_POINTER):
            pointers[ref] = content[len(_POINTER) :].strip()
        elif is_id(content):
            refs[ref] = content
        else:
            raise DamagedObject(f"{named(ref, 60)} is neither an object's name nor a ref's")
    remote = pointers.get(f"{_ORIGIN}HEAD", "").removeprefix(_ORIGIN)
    return Branches(refs, head.removeprefix(_POINTER) if head.startswith(_POINTER) else "", remote)


def of_bundle(refs: Mapping[str, str]) -> Branches:
    """Return the branches of a bundle; it does not say which one was checked out."""
    return Branches({ref: name for ref, name in refs.items() if _is_branch(ref) and is_id(name)})


def is_id(text: str) -> bool:
    """Tell whether a text is an object's full name: SHA-1 or SHA-256 in hexadecimal."""
    return _ID.fullmatch(text) is not None


def _packed_refs(files: Files) -> dict[str, str]:
    """Return the refs of `packed-refs`; lines that are none are passed over."""
    try:
        text = files.read("packed-refs").decode("utf-8", "replace")
    except Unreadable as error:
        if error.reason == MISSING:
            return {}
        raise
    pairs = (line.split(" ", 1) for line in text.splitlines() if line[:1] not in "#^")
    return {pair[1].strip(): pair[0] for pair in pairs if len(pair) == 2 and is_id(pair[0])}  # noqa: PLR2004  # a name and a ref


def _is_branch(ref: str) -> bool:
    return ref.startswith((_HEADS, _REMOTES)) and not ref.endswith("/HEAD")


def _content(files: Files, path: str) -> str | None:
    try:
        return files.read(path)[:_MOST].decode("utf-8", "replace").strip()
    except Unreadable as error:
        if error.reason == MISSING:
            return None
        raise Unreadable(error.reason, f"{named(path, 60)} {error}") from None


def _loose(files: Files) -> Iterator[str]:
    """Yield the refs in files of their own, in no order that matters; raises `Unreadable`."""
    left = MAX_BRANCHES
    folders = [_HEADS, _REMOTES]
    while folders:
        folder = folders.pop()
        for name in files.names(folder.rstrip("/"), left + 1):
            left -= 1
            if left < 0:
                raise DamagedObject(f"it has more than {MAX_BRANCHES:,} branches")
            path = folder + name
            if files.has(path):
                yield path
            elif folder.count("/") <= _MAX_DEPTH and not name.endswith(".lock"):
                folders.append(f"{path}/")
