"""Text as a database takes it: SQLite keeps UTF-8, which has no half characters."""

from __future__ import annotations


def whole(text: str) -> str:
    """Return the text with each half of a character written as an escape."""
    return text.encode("utf-8", "backslashreplace").decode()
