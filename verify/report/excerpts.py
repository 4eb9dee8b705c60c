"""The failing place in a learner's own artifact: numbered lines, one of them marked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.display import visible

if TYPE_CHECKING:
    from verify.gradebook.values import FoundPlace

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\w.+-]+|\S')
_LINES = 12
_WIDTH = 200  # characters of a line that are shown, around the marked place


class Line(NamedTuple):
    """One line of an artifact; `marked` is empty on all lines but the failing one."""

    number: int
    before: str
    marked: str
    after: str
    failing: bool


def lines_of(finding: FoundPlace) -> list[Line]:
    """Return the lines around a failing place; none where it means the file as a whole."""
    if not finding.line or not finding.excerpt:
        return []
    first = max(1, finding.line - 2)
    texts = finding.excerpt.split("\n")[:_LINES]
    while texts and not texts[-1].strip() and first + len(texts) - 1 > finding.line:
        texts.pop()
    return [_line(first + offset, text, finding) for offset, text in enumerate(texts)]


def _line(number: int, text: str, finding: FoundPlace) -> Line:
    text = text.rstrip("\r")
    failing = number == finding.line
    if not failing:
        return Line(number, _shown(text[: _WIDTH + 1]), "", "", failing=False)
    start = min(max(0, finding.column - 1), len(text))
    found = _TOKEN.match(text, start) if finding.column else None
    end = found.end() if found else start
    left = max(0, start - _WIDTH // 2)
    return Line(
        number,
        ("…" if left else "") + _shown(text[left:start]),
        _shown(text[start:end]),
        _shown(text[end : left + _WIDTH + 1] if end < left + _WIDTH else ""),
        failing=True,
    )


def _shown(text: str) -> str:
    return visible(text.replace("\t", "    "), _WIDTH)
