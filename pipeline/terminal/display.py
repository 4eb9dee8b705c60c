"""Untrusted text made safe and short enough to show to a person, and aligned by its columns."""

from __future__ import annotations

import json
import re
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

LIMIT = 100
_CUT = "…"
_BEGUN = 3  # characters of a word that is taken for the beginning of another
_COMMAND_START = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
_MARKS = (  # combining marks of the common scripts, and what chooses between shapes of emoji
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u06d6-\u06ed\u0e31\u0e34-\u0e3a"
    "\u0e47-\u0e4e\u0eb4-\u0ebc\u0ec8-\u0ece\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe0f"
    "\ufe20-\ufe2f"
)
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0e\uffa0\U000e0100-\U000e01ef]"
    f"|(?<=[{_MARKS}]{{4}})[{_MARKS}]"  # no writing puts more on one letter, a flood does
)
# within words of scripts that join letters, and between emoji, a joiner shapes what is seen
_JOINING = (
    "\u0610-\u061a\u0620-\u06dc\u06de-\u070d\u0710-\u088f\u0898-\u08e1\u08e3-\u0dff\u1000-\u109f"
    "\u1780-\u17b3\u17b6-\u17d3\ufb50-\ufdff\ufe70-\ufefc"
)
_EMOJI = "\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_JOINER = (
    f"(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])|(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"
)
_OBEYED = r"##(?=\w{0,40}\[)"  # what runners of GitHub, Azure and TeamCity look for in a line


def visible(text: str, limit: int = LIMIT) -> str:
    r"""Return `text` on one line, cut to `limit` characters.

    What could drive a terminal or forge a line (control, format, bidirectional, surrogate and
    private characters, every line separator) is shown as `\n`, `\t` or `\u{…}`, and
    so is what is printable by Unicode and yet not seen: fillers, variation selectors, the fifth
    mark on one letter. Joiners stay where they shape what is seen.
    """
    shown = spell_unseen(text[: limit + 1], _escaped)
    return shown if len(shown) <= limit else shown[: limit - 1] + _CUT


def spell_unseen(text: str, escaped: Callable[[str], str]) -> str:
    """Return a text in which what `visible` would not show as it is, is escaped in your way."""
    if not text.isprintable():
        kept = {match.start() for match in re.finditer(_JOINER, text)}
        characters = enumerate(text)
        text = "".join(c if c.isprintable() or at in kept else escaped(c) for at, c in characters)
    return text if text.isascii() else _UNSEEN.sub(lambda match: escaped(match[0]), text)


def _escaped(character: str) -> str:
    return {"\n": r"\n", "\r": r"\r", "\t": r"\t"}.get(character, f"\\u{{{ord(character):x}}}")


def quoted(value: object, limit: int = LIMIT) -> str:
    """Return a JSON-like rendering of a parsed value: strings quoted, containers summed up."""
    if isinstance(value, str):
        shown = visible(json.dumps(value[: limit + 1], ensure_ascii=False), limit)
        return f'{shown}"{_mark(value)}' if shown.endswith(_CUT) else shown
    if isinstance(value, dict):
        return f"an object with {len(value)} field{'s' * (len(value) != 1)}"
    if isinstance(value, list):
        return f"an array of {len(value)} element{'s' * (len(value) != 1)}"
    digits = json.dumps(value)
    return digits if len(digits) <= limit else visible(digits, limit) + _mark(digits)


def _mark(text: str) -> str:
    """Return a checksum: texts that begin or end alike differ by it where they are shown cut."""
    from binascii import crc32  # rarely needed, so not part of every start

    return f"~{crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def listed(values: Collection[str], limit: int = 4) -> str:
    """Return named values joined by commas, the rest counted."""
    shown = ", ".join(named(value, 60) for value in islice(values, limit))
    return shown + (f" and {len(values) - limit} more" if len(values) > limit else "")


def counted(count: int, noun: str) -> str:
    """Return `1 learner` or `1,200 learners`."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def named(text: str, limit: int = LIMIT) -> str:
    """Return a name to be compared with others: quoted, exact, cut in the middle.

    Text that may look like another one (letters of several alphabets, marks apart from their
    letters) is shown as JSON escapes; what is cut out differs in the digits behind the name.
    """
    if len(text) <= limit:
        return _exact(text)
    head, tail = _exact(text[: limit // 2])[:-1], _exact(text[-(limit // 2) :])[1:]
    return f"{head}{_CUT}{tail}{_mark(text)}"


def _exact(text: str) -> str:
    if text.isascii():
        return json.dumps(text).replace("\x7f", "\\u007f")  # JSON leaves this control character
    from unicodedata import is_normalized  # rarely needed, as above

    is_mixed = re.search("[\u0370-\u052f]", text) and re.search("[A-Za-z\u00c0-\u024f]", text)
    is_deceptive = is_mixed or not is_normalized("NFC", text)
    return spell_unseen(
        json.dumps(text, ensure_ascii=bool(is_deceptive)), lambda c: json.dumps(c)[1:-1]
    )


def raised_text(error: BaseException, limit: int = 300) -> str:
    """Return the type of an exception, and what it says if it says anything."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001  # an author's class may fail to say anything
        text = ""
    return visible(f"{type(error).__name__}: {text}".removesuffix(": "), limit)


def inert(text: str) -> str:
    """Return lines in which no runner sees a command: it obeys what a job prints.

    `::error::` is one at the start of a line, however far indented; `##[error]`, `##vso[…]` and
    `##teamcity[…]` are anywhere in it.
    """
    return _COMMAND_START.sub(r"\1\\u{3a}", re.sub(_OBEYED, r"#\\u{23}", text))


def printed(lines: Iterable[str]) -> str:
    """Return lines as they are printed: each is inert."""
    return "".join(f"{inert(line)}\n" for line in lines)


def json_document(value: object, indent: int | None = 2) -> str:
    """Return a JSON document to print, without what a runner obeys anywhere in a line."""
    return re.sub(_OBEYED, r"#\\u0023", json.dumps(value, indent=indent)) + "\n"


def json_path(path: Iterable[str | int]) -> str:
    """Return `$.steps[2].file` for `("steps", 2, "file")`; unusual keys are quoted in brackets."""
    return "$" + "".join(map(_step, path))


def _step(key: str | int) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    if key.isascii() and key.replace("-", "_").isidentifier():
        return f".{visible(key, 60)}"
    return f"[{quoted(key, 60)}]"


def did_you_mean(word: str, choices: Iterable[str], alike: float = 0.6) -> str:
    """Return ` (did you mean X?)` with the choice that is most like a word; empty for none.

    The first one that begins with a word of three characters or more is most like it.
    """
    from difflib import get_close_matches  # a wrong word is rare, a start is not

    plain = {choice.lstrip("-").lower(): choice for choice in choices}
    said = word.lstrip("-").lower()
    begun = [choice for choice in plain if len(said) >= _BEGUN and choice.startswith(said)]
    found = begun or get_close_matches(said, plain, 1, alike)
    return f" (did you mean {plain[found[0]]}?)" if found else ""


# letters of Europe, quotes, dashes and our own symbols: one column each, which needs no look-up
_ONE_COLUMN = re.compile("[ -\xac\xae-\u02ff\u2010-\u2026\u2713\u2717\n]*")
_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_VOWELS = range(0x1160, 0x1200)  # of Hangul, and its finals: they are drawn into the letter before
_STAND_IN = "\ue000"  # private: text that is shown to a person never has it, see `visible`


def width_of(text: str) -> int:
    """Return how many columns a line takes: wide letters two, marks and joiners none."""
    text = _COLOUR.sub("", text)
    return len(text) if _ONE_COLUMN.fullmatch(text) else sum(map(_width, text))


def _width(character: str) -> int:
    from unicodedata import category, east_asian_width  # most text needs none

    if ord(character) in _VOWELS or category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def fitted(text: str, columns: int) -> str:
    """Return a line that takes at most so many columns; what is cut ends with an ellipsis."""
    if width_of(text) <= columns:
        return text
    while text and width_of(text) >= columns:
        text = text[:-1]
    return f"{text}…"


def aligned(
    rows: Sequence[Sequence[str]], laid_out: Callable[[Sequence[Sequence[str]]], str]
) -> str:
    """Return a table of texts, in which `laid_out` puts them by their numbers of columns.

    It counts characters itself, and writes the lines of all cells from left to right.
    """
    if all(_ONE_COLUMN.fullmatch(_COLOUR.sub("", cell)) for row in rows for cell in row):
        return laid_out(rows)
    texts = _lines(rows)
    table = laid_out([[_stand_in(cell) for cell in row] for row in rows])
    return re.sub(f"{_STAND_IN}+", lambda _: next(texts), table)


def _stand_in(cell: str) -> str:
    lines = map(str.strip, cell.split("\n"))
    return "\n".join(_STAND_IN * max(width_of(line), bool(line)) for line in lines)


def _lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of cells that have a text, in the order in which a table has them."""
    for row in rows:
        for lines in zip_longest(*(cell.split("\n") for cell in row), fillvalue=""):
            yield from filter(None, map(str.strip, lines))
