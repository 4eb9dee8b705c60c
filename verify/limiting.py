"""The instructor's own limits: read from a file, checked by name, type and range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.display import named, quoted, visible
from pipeline.limits import KNOWN, enforce

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.limits import Changed


class OutOfRange(Exception):
    """Limits that cannot be put in force; the message is one line."""


def in_force(path: str) -> Changed:
    """Put the limits of a file in force, those that are as ever where the path is empty.

    Raises:
        OutOfRange: as `read_limits`.
    """
    changed = read_limits(path) if path else ()
    enforce(changed)
    return changed


def read_limits(path: str) -> Changed:
    """Return the limits that a file sets, a JSON object of names and whole numbers.

    Raises:
        OutOfRange: it cannot be read, is no such object, or as `checked`.
    """
    from pipeline.reading import Unreadable, read_file
    from pipeline.strict_json import NotStrictJson, parse

    told = f"--limits {visible(path, 300)}"
    try:
        given = parse(read_file(path))
    except Unreadable as error:
        raise OutOfRange(f"{told} {error}") from None
    except OSError as error:
        raise OutOfRange(f"{told} cannot be read ({error.strerror})") from None
    except NotStrictJson as error:
        raise OutOfRange(f"--limits {error.problems[0].line_for(path)}") from None
    if not isinstance(given, dict):
        raise OutOfRange(f'{told} is {quoted(given)} (expected an object such as {{"depth": 32}})')
    try:
        return checked(given.items())
    except OutOfRange as error:
        raise OutOfRange(f"{told}: {error}") from None


def checked(given: Iterable[tuple[str, object]]) -> Changed:
    """Return limits as they can be put in force, sorted, without those that are as ever.

    Raises:
        OutOfRange: there is no limit of a name, a value is no whole number, or is out of range.
    """
    changed = []
    for name, value in given:
        limit = KNOWN.get(name)
        if limit is None:
            raise OutOfRange(f"{named(name)} is no limit ({_nearest(name)})")
        if type(value) is not int or not limit.least <= value <= limit.most:
            wanted = f"a whole number from {limit.least} to {limit.most}"
            raise OutOfRange(f"{name} is {quoted(value)} (expected {wanted}, in {limit.unit})")
        if value != limit.value:
            changed.append((name, value))
    return tuple(sorted(changed))


def _nearest(name: str) -> str:
    from difflib import get_close_matches  # only where a name is wrong

    near = get_close_matches(name[:100], KNOWN, n=1)
    return f"is {near[0]} meant?" if near else "verify limits lists them"
