"""Small faults in JavaScript, one in one place: what tests and criteria should notice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_MASKED = re.compile(r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_TEMPLATE = re.compile(r"`[^`]*`")
_HOLE = re.compile(r"\$\{[^}]*\}")
_SKIPPED = re.compile(r"^(?:import|export \{).*;$", re.MULTILINE)
_OPPOSITES = {
    "===": "!==",
    "!==": "===",
    "<=": "<",
    ">=": ">",
    "<": "<=",
    ">": ">=",
    "&&": "||",
    "||": "&&",
    "??": "&&",
    " + ": " - ",
    " - ": " + ",
    "+=": "-=",
    "true": "false",
    "false": "true",
}
_OPERATOR = re.compile(
    r"===|!==|(?<![=<>])[<>]=?(?![=<>])|&&|\|\||\?\?(?!=)| [+-] |\+=|\btrue\b|\bfalse\b"
)
_NUMBER = re.compile(r"(?<![\w.])[0-9][0-9_]{0,19}(?![\w.])")
_LONGEST = 1_000  # characters of a condition: those in one another are as many faults
_BRACKET = re.compile("[()]")
_CONDITION = re.compile(r"\bif \(")
_STATEMENT = re.compile(
    r"^ +(?! |const |let |return|function |import |export |\}|\)|\]|\.).*;$", re.MULTILINE
)
_RETURN = re.compile(r"\breturn [^;{(\[`]+(?:\([^;{]*\))?;")


class SourceFault(NamedTuple):
    """A change of a source."""

    start: int  #: where it begins, an offset
    end: int  #: where it ends
    text: str  #: what is put there

    def made_in(self, source: str) -> str:
        """Return the source with the fault."""
        return source[: self.start] + self.text + source[self.end :]

    def line(self, source: str) -> str:
        """Return the line that changes."""
        end = source.find("\n", self.end)
        return source[_start(source, self.start) : len(source) if end < 0 else end]

    def shown(self, source: str) -> str:
        """Return what changes and the line that has it, in one line."""
        was, now = source[self.start : self.end].strip(), self.text.strip() or "nothing"
        return f"{self.line(source).strip()} :: {was} -> {now}"


def faults(source: str) -> Iterator[SourceFault]:
    """Yield every fault of a source, in the order of the kinds; some may be no JavaScript."""
    code = _TEMPLATE.sub(_without_text, _SKIPPED.sub(_blank, _MASKED.sub(_blank, source)))
    for match in _OPERATOR.finditer(code):
        yield SourceFault(*match.span(), _OPPOSITES[match[0]])
    for match in _NUMBER.finditer(code):
        yield SourceFault(*match.span(), str(int(match[0].replace("_", "")) + 1))
    for start, end in _conditions(code):
        yield SourceFault(start, end, f"!({source[start:end]})")
    for match in _STATEMENT.finditer(code):
        yield SourceFault(*match.span(), "")
    for match in _RETURN.finditer(code):
        yield SourceFault(*match.span(), "return;")
    for match in _MASKED.finditer(source):
        # a sentence is for people, and no issue says its words
        is_word = match[0].startswith("'") and " " not in match[0]
        if is_word and not _SKIPPED.match(source, _start(source, match.start())):
            yield SourceFault(*match.span(), f"{match[0][:-1]}x'")


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "_", match[0])


def _without_text(match: re.Match[str]) -> str:
    """Return a template with only what is computed in it, at the same places."""
    code = [*_blank(match)]
    for hole in _HOLE.finditer(match[0]):
        code[hole.start() + 2 : hole.end() - 1] = match[0][hole.start() + 2 : hole.end() - 1]
    return "".join(code)


def _conditions(code: str) -> Iterator[tuple[int, int]]:
    """Yield where conditions begin and end; a bracket in a regular expression may close nowhere."""
    opened: list[int] = []
    closed: dict[int, int] = {}
    for match in _BRACKET.finditer(code):
        if match[0] == "(":
            opened.append(match.start())
        elif opened:
            closed[opened.pop()] = match.start()
    for match in _CONDITION.finditer(code):
        end = closed.get(match.end() - 1, -1)
        if 0 <= end - match.end() <= _LONGEST:
            yield match.end(), end


def _start(source: str, at: int) -> int:
    return source.rfind("\n", 0, at) + 1
