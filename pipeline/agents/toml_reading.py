"""Codex's agent definitions: TOML, with the lines of its keys and without its dangers."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pipeline.agents.documents import MAX_DEPTH, Document
from pipeline.agents.front_matter import WHOLE
from pipeline.protocol.problems import Problem, line_and_column
from pipeline.terminal.display import visible

tomllib: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

if TYPE_CHECKING:
    from pipeline.agents.documents import Spot
    from pipeline.protocol.problems import Path

PROMPT = "developer_instructions"
_WORDS = re.compile(  # texts and comments, which hold no structure
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL
)
_KEY = re.compile(r"^[ \t]*(\[{1,2}[ \t]*)?([A-Za-z0-9_-]+)[ \t]*[=.\]]", re.MULTILINE)
_BLANKS = re.compile(r"[ \t]*")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read_toml(text: str) -> Document:
    """Read a definition, in bounded time and without ever raising.

    The prompt is the value of `developer_instructions`. Where a quoted key stands is not known.
    """
    if problem := _too_deep(masked := _WORDS.sub(_blanked, text)):
        return Document({}, {}, {}, (problem,), text, 1)
    try:
        values: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        return Document({}, {}, {}, (_syntax(error, text),), text, 1)
    keys, spots = _places(text, masked)
    body = values.get(PROMPT)
    line = keys.get((PROMPT,), (1, 1))[0]
    return Document(values, spots, keys, (), body if isinstance(body, str) else text, line)


def _places(text: str, masked: str) -> tuple[dict[Path, Spot], dict[Path, Spot]]:
    """Return where the keys of the first level stand, and where their values begin."""
    keys: dict[Path, Spot] = {}
    spots: dict[Path, Spot] = {}
    in_table = False
    for match in _KEY.finditer(masked):
        in_table = in_table or match[1] is not None
        path: Path = (match[2],)
        if path in keys or (in_table and match[1] is None):
            continue
        value = _BLANKS.match(text, match.end())
        keys[path] = line_and_column(text, match.start(2))
        spots[path] = line_and_column(text, value.end() if value else match.end())
    return keys, spots


def _blanked(match: re.Match[str]) -> str:
    return "\n".join(" " * len(line) for line in match[0].split("\n"))


def _too_deep(masked: str) -> Problem | None:
    """Refuse what the parser takes quadratic time or all of the stack for."""
    depth = 0
    for number, line in enumerate(masked.split("\n"), 1):
        depth += line.count("[") + line.count("{")
        dots = max(part.count(".") for part in re.split(r"[=,]", line))
        if max(depth, dots) > MAX_DEPTH:
            expected = f"keys and values of at most {MAX_DEPTH} levels"
            return Problem(WHOLE, (), "nested too deep", expected, "", number, 1)
        depth -= line.count("]") + line.count("}")
    return None


def _syntax(error: Exception, text: str) -> Problem:
    place = _PLACE.search(str(error))
    reason = visible(_PLACE.sub("", str(error)))
    spot = (int(place[1]), int(place[2])) if place and place[1] else (text.count("\n") + 1, 1)
    return Problem(WHOLE, (), f"no TOML: {reason}", "TOML 1.0", "", *spot)
