"""Winnowing: a few hashes of a text that survive new names, spacing, comments and order.

Schleimer, Wilkerson and Aiken, Winnowing: local algorithms for document fingerprinting (2003): of
the hashes of all runs of tokens, the least of each window is kept, so every common run of at least
`WINDOW + RUN - 1` tokens leaves a common hash.
"""

from __future__ import annotations

import json
import re
from array import array
from itertools import islice
from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

RUN, WINDOW = 9, 4  # tokens of a hash, and hashes of a window
MOST_BYTES = 128 << 10  # of all texts of a submission that are read
MOST_TOKENS = 20_000  # of them that are hashed
MOST_HASHES = 1_024  # that are kept: the least, so two large texts keep the same ones
_TOKEN = re.compile(
    r"""(?P<skipped>\s+|//[^\n]*|/\*.*?(?:\*/|\Z)|;)
    |(?P<text>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`[^`]*`?)
    |(?P<name>[^\W\d][\w$]*)|(?P<sign>[\d.]+|=>|[=!<>]=+|&&|\|\||\S)""",
    re.DOTALL | re.VERBOSE,
)
_HASH_COMMENT = re.compile(r"#[^\n]*")
_HASHED = (".py", ".rb", ".sh", ".toml", ".yaml", ".yml")
_LANGUAGE = (  # words in which programs differ, whatever their names are
    "and as async await break case catch class const continue def default delete do elif else"
    " except export extends false finally for from function if import in instanceof is let new"
    " None not null of or pass raise return self switch this throw true try typeof var while"
    " with yield"
)
_KEPT = frozenset(_LANGUAGE.split())
_WORD = re.compile(r"\w+")


def sketch_of(texts: Iterable[tuple[str, bytes]], handed_out: frozenset[int]) -> bytes:
    """Return the sorted hashes of a submission's files, without those that the course hands out.

    Each file has a name and its bytes.
    """
    found: set[int] = set()
    left = MOST_TOKENS
    for name, data in texts:
        tokens = list(islice(tokens_of(name, data), left))
        left -= len(tokens)
        found.update(winnowed(hashes_of(tokens)))
    return array("I", sorted(found - handed_out)[:MOST_HASHES]).tobytes()


def hashes_in(sketch: bytes) -> Sequence[int]:
    """Return the hashes of a sketch; what is behind the last whole one does not count."""
    found = array("I")
    found.frombytes(sketch[: len(sketch) - len(sketch) % found.itemsize])
    return found


def tokens_of(name: str, data: bytes) -> Iterator[str]:
    """Yield what a file says: words of a JSON document's texts, else a source without its names."""
    text = data[:MOST_BYTES].decode("utf-8", "replace")
    if name.endswith(".json"):
        try:
            return _words(json.loads(text))
        except (ValueError, RecursionError):
            return iter(_WORD.findall(text.casefold()))
    return _source(_HASH_COMMENT.sub("", text) if name.endswith(_HASHED) else text)


def _words(value: Any) -> Iterator[str]:
    """Yield the words of the texts in a parsed document, in order."""
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, str):
            yield from _WORD.findall(part.casefold())
        elif isinstance(part, dict):
            left.extend(reversed(part.values()))
        elif isinstance(part, list):
            left.extend(reversed(part))


def _source(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "text":
            yield " ".join(_WORD.findall(token.casefold())) or "text"
        elif kind == "name":
            yield token if token in _KEPT else "name"
        elif kind == "sign":
            yield token


def hashes_of(tokens: Sequence[str]) -> list[int]:
    """Return the hash of each run of tokens; of a shorter text, of all of it."""
    last = max(1, len(tokens) - RUN + 1) if tokens else 0
    return [crc32("\0".join(tokens[at : at + RUN]).encode()) for at in range(last)]


def winnowed(hashes: Sequence[int]) -> set[int]:
    """Return the least hash of each window."""
    last = max(1, len(hashes) - WINDOW + 1) if hashes else 0
    return {min(hashes[at : at + WINDOW]) for at in range(last)}
