"""Reads a commit out of its bytes: tree, parents, times, message; anything odd is damage."""

from __future__ import annotations

import re
from typing import NamedTuple

from verify.history.deltas import DamagedObject

MAX_PARENTS = 64
_WHEN = rb"[^\n]*> ([0-9]{1,12}) [+-][0-9]{1,6}\n"
_FORMS = {
    width: re.compile(
        rb"tree ([0-9a-f]{%d})\n((?:parent [0-9a-f]{%d}\n)*)author %scommitter %s"
        % (width, width, _WHEN, _WHEN)
    )
    for width in (40, 64)
}
_ENCODING = re.compile(rb"^encoding ([^\n]+)$", re.MULTILINE)
_LATIN = (b"iso-8859-1", b"latin1", b"iso8859-1")


class Commit(NamedTuple):
    """A commit as git keeps it; times are seconds since 1970, `message` without its last line end.

    Whoever makes a commit writes both times: they are claims as well.
    """

    id: str
    tree: str
    parents: tuple[str, ...]
    authored: int
    committed: int
    message: str


def parsed(name: str, data: bytes) -> Commit:
    """Return a commit by the bytes of its object.

    Raises:
        DamagedObject: it is not what git writes.
    """
    form = _FORMS[len(name)].match(data)
    if form is None or form[2].count(b"\n") > MAX_PARENTS:
        raise DamagedObject("it is not a commit as git writes it")
    end = data.find(b"\n\n", form.end() - 1)
    rest, message = (data[form.end() : end], data[end + 2 :]) if end >= 0 else (b"", b"")
    encoding = _ENCODING.search(rest)
    return Commit(
        id=name,
        tree=form[1].decode("ascii"),
        parents=tuple(line[7:] for line in form[2].decode("ascii").splitlines()),
        authored=int(form[3]),
        committed=int(form[4]),
        message=_text(message, encoding[1] if encoding else b"utf-8").strip(),
    )


def _text(message: bytes, encoding: bytes) -> str:
    """Return a message as text: of the encodings that git knows, those that are in use."""
    latin = encoding.lower().replace(b"_", b"-") in _LATIN
    return message.decode("latin-1" if latin else "utf-8", "replace").replace("\r\n", "\n")
