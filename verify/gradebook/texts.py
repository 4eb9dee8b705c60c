"""Text as a database takes it: SQLite keeps UTF-8, which has no half characters."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


def whole(text: str) -> str:
    """Return the text with each half of a character written as an escape.

    Bytes of a name that this system's encoding does not have, ASCII say, are read as UTF-8.
    """
    if text.isascii():
        return text
    with suppress(UnicodeEncodeError):  # a half that is no byte of a path
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    return text.encode("utf-8", "backslashreplace").decode()


def whole_row(row: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values of a row with each of its texts as `whole` has it."""
    return tuple(whole(value) if isinstance(value, str) else value for value in row)
