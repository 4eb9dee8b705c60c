"""Untrusted text made safe and short enough to show to a person."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

LIMIT = 100
_CUT = "…"
_COMMAND_START = re.compile(r"^(\s*):(?=:)")


def visible(text: str, limit: int = LIMIT) -> str:
    r"""Return `text` on one line, cut to `limit` characters.

    Whatever could drive a terminal or forge a line (control, format, bidirectional, surrogate and
    private characters, every line separator) is shown as `\u{…}`.
    """
    cut = text[: limit + 1]
    shown = cut if cut.isprintable() else "".join(map(_visible_character, cut))
    return shown if len(shown) <= limit else shown[: limit - 1] + _CUT


def _visible_character(character: str) -> str:
    return character if character.isprintable() else f"\\u{{{ord(character):x}}}"


def quoted(value: object, limit: int = LIMIT) -> str:
    """Return a JSON-like rendering of a parsed value: strings quoted, containers summed up."""
    if isinstance(value, str):
        return visible(json.dumps(value[: limit + 1], ensure_ascii=False), limit)
    if isinstance(value, dict):
        return f"an object of {len(value)} field{'s' * (len(value) != 1)}"
    if isinstance(value, list):
        return f"an array of {len(value)} element{'s' * (len(value) != 1)}"
    return visible(json.dumps(value), limit)


def listed(values: Collection[str], limit: int = 4) -> str:
    """Return named values joined by commas, the rest counted."""
    shown = ", ".join(named(value, 60) for value in islice(values, limit))
    return shown + (f" and {len(values) - limit} more" if len(values) > limit else "")


def named(text: str, limit: int = LIMIT) -> str:
    """Return a name to be compared with others: quoted, exact, cut in the middle.

    Other characters than ASCII are shown as JSON escapes, so that look-alikes differ.
    """
    if len(text) > limit:
        text = text[: limit // 2] + _CUT + text[-limit // 2 :]
    return visible(json.dumps(text).replace(json.dumps(_CUT)[1:-1], _CUT), 8 * limit)


def inert(line: str) -> str:
    """Return a line that GitHub's runner takes for no command: it obeys what a job prints.

    `::error::` is one at the start of a line, however far indented, `##[error]` anywhere in it.
    """
    return _COMMAND_START.sub(r"\1\\u{3a}", line.replace("##[", r"#\u{23}["))


def json_path(path: Iterable[str | int]) -> str:
    """Return `$.steps[2].file` for `("steps", 2, "file")`; unusual keys are quoted in brackets."""
    return "$" + "".join(map(_step, path))


def _step(key: str | int) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    if key.isascii() and key.replace("-", "_").isidentifier():
        return f".{visible(key, 60)}"
    return f"[{quoted(key, 60)}]"


def around_difference(first: str, second: str, limit: int = LIMIT) -> tuple[str, str]:
    """Show two texts so that the place where they differ stays visible in both.

    Long texts are cut around the first difference; where the difference is one of look-alike
    characters (another alphabet, another Unicode normal form), those are shown as code points.

    Returns:
        The two texts on one line each, different from each other if `first` and `second` are.
    """
    if _look_alike(first, second):
        first, second = _code_points(first), _code_points(second)
    shown = _side_by_side(first, second, limit)
    if shown[0] == shown[1] and first != second:  # of a character and a text that spells its escape
        return _side_by_side(_code_points(first), _code_points(second), limit)
    return shown


def _side_by_side(first: str, second: str, limit: int) -> tuple[str, str]:
    if max(len(first), len(second)) <= limit:
        return visible(first, 8 * limit), visible(second, 8 * limit)
    same = _common_prefix(first, second)
    start = max(0, same - limit // 3)
    shown = _window(first, start, limit), _window(second, start, limit)
    if shown[0] == shown[1] and first != second:  # escapes before the difference took the room
        return _window(first, same, limit), _window(second, same, limit)
    return shown


def _look_alike(first: str, second: str) -> bool:
    if first == second or (first.isascii() and second.isascii()):
        return False
    from unicodedata import normalize  # rarely needed, so not part of every start

    return first.isascii() != second.isascii() or normalize("NFC", first) == normalize(
        "NFC", second
    )


def _code_points(text: str) -> str:
    """Return `text` in printable ASCII, different for different texts: backslashes too."""
    return "".join(
        c if c.isascii() and c.isprintable() and c != "\\" else f"\\u{{{ord(c):x}}}" for c in text
    )


def _common_prefix(first: str, second: str) -> int:
    for index, pair in enumerate(zip(first, second, strict=False)):
        if pair[0] != pair[1]:
            return index
    return min(len(first), len(second))


def _window(text: str, start: int, limit: int) -> str:
    head = _CUT if start else ""
    return head + visible(text[start : start + limit + 1], limit - len(head))
