"""How names of files are compared: after Unicode's form NFC, and with an eye to letter case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.display import listed, named

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_LONGEST = 3 * 255  # characters: of the longest name that a file can have, a Korean one in NFD


def composed(path: str) -> str:
    """Return a name or path in the form in which two are compared: macOS writes others (NFD).

    A name that no file can have stays as it is: marks are sorted in quadratic time.
    """
    if path.isascii():
        return path
    from unicodedata import normalize  # rarely needed, so not part of every start

    if len(path) <= _LONGEST:
        return normalize("NFC", path)
    names = path.split("/")
    return "/".join(normalize("NFC", n) if len(n) <= _LONGEST else n for n in names)


class Known:
    """The names that others are compared with: each is composed and folded once."""

    def __init__(self, names: Collection[str]) -> None:
        self._forms: dict[str, str] = {}
        for name in names:
            self._forms.setdefault(composed(name), name)
        self._folded: dict[str, str] = {}
        self._names = names
        self._listed = ""

    def __contains__(self, name: str) -> bool:
        return composed(name) in self._forms

    def instead_of(self, name: str) -> str:
        """Say which names are expected instead of an unknown one; of one that is near, only that.

        Near is what differs in letter case.
        """
        if not self._listed:
            self._listed = f"one of {listed(self._names)}"
            for form, known in self._forms.items():
                self._folded.setdefault(form.casefold(), known)
        near = self._folded.get(composed(name).casefold())
        return self._listed if near is None else f"{named(near)}: upper and lower case differ"


def twins(names: Iterable[str]) -> dict[str, str]:
    """Return names that differ from an earlier one only in letter case, with that one.

    On many systems (Windows, macOS) both are one file.
    """
    first: dict[str, tuple[str, str]] = {}
    found: dict[str, str] = {}
    for name in names:
        form = composed(name)
        before, earlier = first.setdefault(form.casefold(), (form, name))
        if before != form:
            found[name] = earlier
    return found
