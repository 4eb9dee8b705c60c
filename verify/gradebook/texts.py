"""Text as a database takes it: SQLite keeps UTF-8, which has no half characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


def whole(text: str) -> str:
    """Return the text with each half of a character written as an escape."""
    return text.encode("utf-8", "backslashreplace").decode()


def whole_row(row: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values of a row with each of its texts as `whole` has it."""
    return tuple(whole(value) if isinstance(value, str) else value for value in row)
