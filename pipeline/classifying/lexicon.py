"""Finds what the lexicon knows in a text; the lexicon itself is data, `lexicon.json`.

A phrase is words with blanks between them. `word*` stands for every word that begins so (with at
least four letters before the star), `...` for up to six words of the same sentence.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipeline.classifying.words import Word

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lexicon.json")
_PLAIN = "words: "  # begins the name of a group that holds plain words, no phrases
_STEM = 4  # letters by which a phrase that begins with a star word is looked up
_GAP = 6  # words that `...` passes over at most


class Phrase(NamedTuple):
    """One entry of the lexicon: the groups that it stands in and its words."""

    groups: tuple[str, ...]
    words: tuple[str, ...]


class Hit(NamedTuple):
    """One place where a phrase stands: `words[first:end]` of the text."""

    group: str
    first: int
    end: int


class Lexicon(NamedTuple):
    """Phrases by their first word, or by the first letters of a first word with a star."""

    whole: dict[str, list[Phrase]]
    stems: dict[str, list[Phrase]]

    def hits(self, words: Sequence[Word]) -> Iterator[Hit]:
        """Yield every place of every phrase, in the order of the text."""
        for position, word in enumerate(words):
            for phrase in self.whole.get(word.text, ()):
                yield from _hits(phrase, words, position)
            for phrase in self.stems.get(word.text[:_STEM], ()):
                yield from _hits(phrase, words, position)


def words_in(name: str) -> frozenset[str]:
    """Return a set of plain words of the lexicon's file."""
    return frozenset(_entries()[_PLAIN + name])


@cache
def _entries() -> dict[str, list[str]]:
    with open(SOURCE, encoding="utf-8") as file:
        entries: dict[str, list[str]] = json.load(file)
    return entries


@cache
def lexicon() -> Lexicon:
    """Return the lexicon of `lexicon.json`; a phrase of several groups is found once."""
    phrases: dict[tuple[str, ...], list[str]] = {}
    for group, entries in _entries().items():
        for entry in () if group.startswith(_PLAIN) else entries:
            phrases.setdefault(tuple(entry.split()), []).append(group)
    whole: dict[str, list[Phrase]] = {}
    stems: dict[str, list[Phrase]] = {}
    for words, found in phrases.items():
        first = words[0]
        table, key = (stems, first[:_STEM]) if first.endswith("*") else (whole, first)
        table.setdefault(key, []).append(Phrase(tuple(found), words))
    return Lexicon(whole, stems)


def _hits(phrase: Phrase, words: Sequence[Word], first: int) -> Iterator[Hit]:
    end = _end(phrase.words, words, first)
    if end:
        for group in phrase.groups:
            yield Hit(group, first, end)


def _end(patterns: tuple[str, ...], words: Sequence[Word], first: int) -> int:
    """Return where the phrase that begins at `first` ends, 0 where it does not stand there."""
    position, slack = first, 0
    for pattern in patterns:
        if pattern == "...":
            slack = _GAP
            continue
        position = _next(pattern, words, position, slack)
        if not position or words[position - 1].sentence != words[first].sentence:
            return 0
        slack = 0
    return position


def _next(pattern: str, words: Sequence[Word], start: int, slack: int) -> int:
    """Return the position after the first word that fits, at most `slack` words on; 0 for none."""
    stem = pattern[:-1] if pattern.endswith("*") else ""
    for position in range(start, min(start + slack + 1, len(words))):
        text = words[position].text
        if text == pattern or (stem and text.startswith(stem)):
            return position + 1
    return 0
