"""Which commit a repository's HEAD or a ref names, by our own reading of plain, bounded files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.display import named
from pipeline.reading import MISSING, Unreadable
from verify.history.deltas import DamagedObject

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = "ref:"
_MAX_HOPS = 5  # of refs that name refs, as git allows
_BRANCHES = "refs/heads/"
_USUAL = ("refs/heads/main", "refs/heads/master")


class NoSuchRef(DamagedObject):
    """A repository without the ref that is asked for; the message is one line."""


def is_id(text: str) -> bool:
    """Tell whether a text is an object's full name: SHA-1 or SHA-256 in hexadecimal."""
    return _ID.fullmatch(text) is not None


def candidates(ref: str) -> tuple[str, ...]:
    """Return where a ref is looked for, first to last; `HEAD` is one of its own."""
    if ref == "HEAD" or ref.startswith("refs/"):
        return (ref,)
    return tuple(f"refs/{kind}/{ref}" for kind in ("heads", "tags", "remotes/origin"))


def in_repository(read: Callable[[str], bytes], ref: str | None) -> str:
    """Return the name of the object that a ref stands for, HEAD where none is given.

    `read` returns the bytes of a file of the repository.

    Raises:
        NoSuchRef: there is none.
        DamagedObject: a ref is not what git writes, or the refs are kept in another way.
        Unreadable: a file may not be read, is a link, or is too large.
    """
    packed: dict[str, str] | None = None
    for name in candidates(ref or "HEAD"):
        for _ in range(_MAX_HOPS):
            text = _text(read, name)
            if text is None:
                packed = packed_refs(read) if packed is None else packed
                text = packed.get(name)
            if text is None or is_id(text):
                break
            name = _next(text, name)  # noqa: PLW2901  # a ref that names a ref
        else:
            raise DamagedObject(f"{named(name, 60)} names refs without end")
        if text is not None:
            return text
    raise NoSuchRef(_none(ref))


def in_bundle(refs: Mapping[str, str], ref: str | None) -> str:
    """Return the name of the object that a ref of a bundle stands for.

    Without a ref it is HEAD, the only branch, `main` or `master`.

    Raises:
        NoSuchRef: there is none.
        DamagedObject: its name is none.
    """
    if ref is not None:
        names: tuple[str, ...] = candidates(ref)
    else:
        branches = [name for name in refs if name.startswith(_BRANCHES)]
        names = ("HEAD", *(branches if len(branches) == 1 else _USUAL))
    found = next((refs[name] for name in names if name in refs), None)
    if found is None:
        raise NoSuchRef(_none(ref))
    if not is_id(found):
        raise DamagedObject("a ref in it names no object")
    return found


def _text(read: Callable[[str], bytes], name: str) -> str | None:
    try:
        return read(name)[:1024].decode("utf-8", "replace").strip()
    except Unreadable as error:
        if error.reason == MISSING:
            return None
        raise


def _next(text: str, name: str) -> str:
    target = text[len(_REF) :].strip()
    if not text.startswith(_REF) or not target.startswith("refs/"):
        raise DamagedObject(f"{named(name, 60)} is neither an object's name nor a ref's")
    if target == "refs/heads/.invalid":
        raise DamagedObject("its refs are kept as a reftable: hand in a bundle instead")
    return target


def packed_refs(read: Callable[[str], bytes]) -> dict[str, str]:
    """Return the refs of `packed-refs`; lines that are none are passed over."""
    text = _text_of(read, "packed-refs")
    pairs = (line.split(" ", 1) for line in text.splitlines() if line[:1] not in "#^")
    return {pair[1].strip(): pair[0] for pair in pairs if len(pair) == 2 and is_id(pair[0])}  # noqa: PLR2004  # a name and a ref


def _text_of(read: Callable[[str], bytes], name: str) -> str:
    try:
        return read(name).decode("utf-8", "replace")
    except Unreadable as error:
        if error.reason == MISSING:
            return ""
        raise


def _none(ref: str | None) -> str:
    if ref is None:
        return "it has no commit on the branch that is checked out"
    return f"it has no branch or tag {named(ref, 60)}"
