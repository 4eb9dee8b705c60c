"""Writes text of the catalogue as Markdown that shows it as it is."""

from __future__ import annotations


def plain(text: str) -> str:
    """Return a text with what Markdown or HTML would take for markup escaped."""
    return text.replace("<", "&lt;").replace("_", "\\_").replace("*", "\\*")


def fenced(code: str, language: str = "") -> str:
    """Return a code block; its language is told from its first character unless it is given."""
    return f"```{language or ('json' if code[:1] in '{[' + chr(34) else 'yaml')}\n{code}\n```"
