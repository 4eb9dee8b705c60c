"""The pack's section in a file of instructions that is otherwise the user's own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipeline.agents.source import Rule

OPENING = "<!-- issue pipeline: begin (written by pipeline agents export) -->"
CLOSING = "<!-- issue pipeline: end -->"
_FENCE = re.compile(r"(`{3,}|~{3,})")


def section(rules: Iterable[Rule]) -> str:
    """Return the rules as one section of Markdown between two comments, each under its name.

    The name stands in the heading because other texts of the pack name the rule by it.
    """
    parts = ["# Issue pipeline", *("\n".join(_demoted(rule)) for rule in rules)]
    return "\n".join([OPENING, "\n\n".join(parts), CLOSING, ""])


def _demoted(rule: Rule) -> Iterator[str]:
    """Yield a rule's lines with every heading one level lower."""
    fence = ""
    for line in rule.text.rstrip("\n").split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip() == fence):
            fence = "" if fence else mark[1]
        if fence or not line.startswith("#"):
            yield line
        elif line.startswith("# "):
            yield f"## {rule.name}: {line[2:]}"
        else:
            yield f"#{line}"


def merged(existing: str, wanted: str) -> str:
    """Return a file's text with the pack's section in it: in its place, or at the end.

    Everything that stands around the section stays as it is, and so does a section that is right
    but for its line endings. The section takes over the file's line endings.
    """
    lines = existing.split("\n")
    bounds = _bounds([line.rstrip("\r") for line in lines])
    ending = "\r" if lines[0].endswith("\r") else ""
    section_lines = [line + ending for line in wanted.rstrip("\n").split("\n")]
    if bounds is None:
        gap = "" if not existing else "\n" if existing.endswith("\n") else "\n\n"
        return existing + gap.replace("\n", f"{ending}\n") + "\n".join([*section_lines, ""])
    start, end = bounds
    if [line.rstrip("\r") for line in lines[start:end]] == wanted.rstrip("\n").split("\n"):
        return existing
    return "\n".join([*lines[:start], *section_lines, *lines[end:]])


def _bounds(lines: list[str]) -> tuple[int, int] | None:
    """Return the lines of the last section that opens and closes; an unclosed one is the user's."""
    if CLOSING not in lines:
        return None
    end = len(lines) - lines[::-1].index(CLOSING)
    start = next((at for at in range(end - 1, -1, -1) if lines[at] == OPENING), None)
    return None if start is None else (start, end)
