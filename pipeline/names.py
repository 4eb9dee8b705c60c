"""How names of files are compared: after Unicode's form NFC, and with an eye to letter case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.display import listed, named

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


def composed(name: str) -> str:
    """Return a name or path in the form in which two are compared: macOS writes others (NFD)."""
    if name.isascii():
        return name
    from unicodedata import normalize  # rarely needed, so not part of every start

    return normalize("NFC", name)


def in_one_form(names: Iterable[str]) -> set[str]:
    """Return the names as they are compared."""
    return set(map(composed, names))


def one_of(names: Collection[str], name: str) -> str:
    """Say which names were expected instead of one; of one that is nearly it, only that."""
    folded = composed(name).casefold()
    alike = next((each for each in names if composed(each).casefold() == folded), None)
    if alike is not None:
        return f"{named(alike)}, written so: upper and lower case differ"
    return f"one of {listed(names)}"


def twins(names: Iterable[str]) -> dict[str, str]:
    """Return names that differ from an earlier one only in letter case, with that one.

    On many systems (Windows, macOS) both are one file.
    """
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for name in names:
        form = composed(name)
        before = first.setdefault(form.casefold(), name)
        if composed(before) != form:
            found[name] = before
    return found
