"""The branches of a submitted history: read from a `.git` folder or from the head of a bundle."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.files import DENIED, NOT_REGULAR, Unreadable
from pipeline.terminal.display import named
from verify.submissions.history.faults import BeyondLimits
from verify.submissions.history.objects import is_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verify.submissions.history.objects import ObjectStore

_MAX_DEPTH = 8  # folders of a branch's name
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
_ORIGIN = f"{_REMOTES}origin/"
_ORIGIN_HEAD = f"{_ORIGIN}HEAD"
_USUAL = ("main", "master", "trunk", "develop")
_FOLDER = "is a folder"  # which git leaves behind where a branch was
_POINTER = "ref: "
_PACKED = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64}) (\S.*)|#.*|\^[0-9a-f]+")
_SHA_256 = 64  # digits
_OF_WORK = "feature/"  # how branches of the pipeline begin: none of them is the default


class Branches(NamedTuple):
    """The branches of a history."""

    refs: Mapping[str, str]  #: ids by full names (`refs/heads/…`, `refs/remotes/…`)
    main: str = ""  #: the short name of the remote's default branch, empty for none
    broken: Mapping[str, str] = {}  #: why a branch has no id, by its full name

    def tips_of(self, name: str) -> list[str]:
        """Return the tips of a branch by its short name: the local one, `origin`'s, then others.

        Raises `Unreadable` if one of them cannot be read.
        """
        known = sorted({*self.refs, *self.broken})
        remote = (r for r in known if r.startswith(_REMOTES) and r.split("/", 3)[3:] == [name])
        refs = list(dict.fromkeys((_HEADS + name, _ORIGIN + name, *remote)))
        above = (_HEADS + name).rpartition("/")[0]
        for ref, why in self.broken.items():
            if ref in refs or (ref == above and _FOLDER not in why):
                raise Unreadable(NOT_REGULAR, f"{named(ref, 90)} {why}")
        return list(dict.fromkeys(self.refs[ref] for ref in refs if ref in self.refs))

    def default(self) -> str:
        """Return the short name of the remote's default branch, else a usual one.

        Else it is the only one. None of them is for an issue (`feature/…`); empty for none.
        """
        names = map(_short, (*self.refs, *self.broken))
        rest = {name for name in names if not name.startswith(_OF_WORK)}
        usual = (self.main, *_USUAL, *(rest if len(rest) == 1 else ()))
        return next((name for name in usual if name in rest and self.tips_of(name)), "")


def _short(ref: str) -> str:
    return ref.removeprefix(_HEADS) if ref.startswith(_HEADS) else ref.split("/", 3)[-1]


def is_branch(ref: str) -> bool:
    """Return whether a full name is that of a branch, local or of a remote."""
    return ref.startswith((_HEADS, _REMOTES)) and not ref.endswith("/HEAD")


def of_bundle(refs: Mapping[str, str]) -> Branches:
    """Return the branches among a bundle's refs: it has no name of the default one, only its id."""
    branches = Branches({ref: name for ref, name in refs.items() if is_branch(ref)})
    at_head = refs.get(_ORIGIN_HEAD)
    names = [r.removeprefix(_ORIGIN) for r in branches.refs if refs[r] == at_head]
    names.sort(key=lambda name: (name not in _USUAL, name.startswith(_OF_WORK)))
    return branches._replace(main=names[0] if at_head and names else "")


def of_folder(repository: ObjectStore) -> Branches:
    """Return the branches of a `.git` folder; raises `Unreadable`."""
    if repository.text("HEAD") == f"{_POINTER}{_HEADS}.invalid" or repository.has(
        "reftable/tables.list"
    ):
        raise Unreadable(DENIED, "its refs are in the reftable format, which is not supported")
    found = dict(_packed(repository))
    broken: dict[str, str] = {}
    for folder in (_HEADS, _REMOTES):
        for ref in _loose(repository, folder):
            if ref in found and repository.is_folder(ref):
                continue  # an empty folder that git has left behind
            found.pop(ref, None)
            try:
                found[ref] = repository.text(ref)
            except BeyondLimits:
                raise
            except Unreadable as error:
                broken[ref] = str(error).removeprefix(f"{named(ref, 60)} ")
    main = found.pop(_ORIGIN_HEAD, "").removeprefix(_POINTER).strip().removeprefix(_ORIGIN)
    if any(len(content) == _SHA_256 and " " not in content for content in found.values()):
        raise Unreadable(DENIED, "its object ids are SHA-256, which is not supported")
    refs = {ref: _resolved(found, ref) for ref in found if is_branch(ref)}
    broken |= {ref: "contains neither an object id nor a branch" for ref in refs if not refs[ref]}
    refs = {ref: name for ref, name in refs.items() if name}
    return Branches(refs, main, broken)


def _resolved(contents: Mapping[str, str], ref: str) -> str:
    """Return the id that a ref leads to, empty where it leads nowhere, or in a ring."""
    for _ in range(_MAX_DEPTH):
        content = contents.get(ref, "")
        if not content.startswith(_POINTER):
            return content if is_id(content) else ""
        ref = content.removeprefix(_POINTER).strip()
    return ""


def _packed(repository: ObjectStore) -> Iterator[tuple[str, str]]:
    for line in repository.text("packed-refs").splitlines():
        match = _PACKED.fullmatch(line.rstrip())
        if match is None:
            raise Unreadable(DENIED, "packed-refs has a line that is not a ref")
        if match[2] and match[2].startswith((_HEADS, _REMOTES)):
            yield match[2], match[1]


def _loose(repository: ObjectStore, folder: str) -> Iterator[str]:
    """Yield the refs that have their own files, or what is in place of one; raises `Unreadable`."""
    names = [n for n in repository.names(folder[:-1]) if not n.startswith(".")]
    names = [name for name in names if not name.endswith(".lock")]  # as in git, neither is a ref
    if not names and not repository.is_folder(folder[:-1]):
        if repository.read(folder[:-1]) is not None:
            raise Unreadable(NOT_REGULAR, f"{folder[:-1]} is not a folder")
    elif not names and folder.count("/") > _HEADS.count("/"):
        yield folder[:-1]
    for name in names:
        if repository.is_folder(folder + name) and folder.count("/") <= _MAX_DEPTH:
            yield from _loose(repository, f"{folder}{name}/")
        else:
            yield folder + name
