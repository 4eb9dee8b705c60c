"""Which column of a roster says what: the usual names, and those of learning platforms' exports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

KEYS = (  # the first of these that is there tells learners apart
    "id",
    "learner",
    "learner id",
    "student id",
    "student number",
    "user id",
    "username",
    "login",
    "identifier",
    "id number",
    "roster identifier",
    "github",
    "github username",
    "sis user id",
    "sis login id",
    "email",
    "email address",
    "e mail",
)
IDENTITIES = frozenset({*KEYS, "github id", "gitlab", "gitlab username", "integration id"})
_NAMES = ("name", "full name", "student", "student name", "display name")
_FIRST = ("first name", "firstname", "given name", "forename")
_LAST = ("last name", "lastname", "surname", "family name")
_EMAILS = ("email", "email address", "e mail", "mail")


class Columns(NamedTuple):
    """Where a roster's columns stand; -1 is nowhere. `identities` tell one learner each."""

    key: int
    name: int
    first: int
    last: int
    email: int
    identities: tuple[int, ...]
    is_canvas: bool


def found(names: Sequence[str]) -> Columns:
    """Return which column is which; `key` is -1 where none tells learners apart."""
    usual = [_usual(name) for name in names]
    return Columns(
        key=_first_of(KEYS, usual),
        name=_first_of(_NAMES, usual),
        first=_first_of(_FIRST, usual),
        last=_first_of(_LAST, usual),
        email=_first_of(_EMAILS, usual),
        identities=tuple(at for at, name in enumerate(usual) if name in IDENTITIES),
        is_canvas=usual[:2] == ["student", "id"],
    )


def is_identity(name: str) -> bool:
    """Tell whether a column of this name tells one learner each."""
    return _usual(name) in IDENTITIES


def _usual(name: str) -> str:
    """Return a column's name as it is compared: lower case, words apart."""
    return re.sub(r"[\s_-]+", " ", name).strip().lower()


def _first_of(wanted: Sequence[str], usual: Sequence[str]) -> int:
    return next((usual.index(name) for name in wanted if name in usual), -1)
