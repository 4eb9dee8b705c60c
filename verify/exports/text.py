"""Text made safe for the file that it goes into: a table's cell, a JSON document."""

from __future__ import annotations

import json
import re
from typing import Any

from pipeline.terminal.display import visible

LONGEST_CELL = 30_000  # characters; spreadsheets take 32,767

_HALF = re.compile("[\ud800-\udfff]")
# what a spreadsheet takes for a formula; where `;` parts the cells, also what stands after one
_FORMULA = re.compile(r"(^|;)(?='*\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")


def cell(text: str) -> str:
    r"""Return a text as one cell: on one line, nothing hidden, no formula.

    Characters that cannot be seen are shown as `\u{…}`; a text that a spreadsheet would take for a
    formula gets an apostrophe before it, which spreadsheets read as "this is text". Numbers stay
    numbers. A text with such an apostrophe of its own gets one more: whoever takes one away has
    the text again.
    """
    if text.isalnum() and len(text) <= LONGEST_CELL:  # most cells of a large table
        return text
    if _NUMBER.fullmatch(text):
        return text
    return _FORMULA.sub(r"\1'", visible(text, LONGEST_CELL))


def json_text(value: Any) -> str:
    r"""Return a value as JSON on one line, in ASCII; half characters are shown as `\u{…}`."""
    text = json.dumps(value, allow_nan=False)
    if r"\ud" not in text:
        return text
    readable = _HALF.sub(_shown_in_json, json.dumps(value, ensure_ascii=False))
    return json.dumps(json.loads(readable))


def _shown(half: re.Match[str]) -> str:
    return f"\\u{{{ord(half[0]):x}}}"


def _shown_in_json(half: re.Match[str]) -> str:
    return "\\" + _shown(half)
