"""Finds what the lexicon knows in a text; the lexicon itself is data, `lexicon.json`.

A phrase is words with blanks between them. `word*` matches every word that begins so (with at
least four letters before the star), `...` for up to six words of the same sentence.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.classify.words import Word

    Phrases = dict[str, list[tuple[str, list[str]]]]  # by first word: the group, and all words

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lexicon.json")
_PLAIN = "words: "  # begins the name of a group that holds plain words, no phrases
_STEM = 4  # letters by which a phrase that begins with a star word is looked up
_GAP = 6  # words that `...` passes over at most


class Hit(NamedTuple):
    """One place of a phrase of a group: `words[first:end]` of the text."""

    group: str
    first: int
    end: int


def words_in(name: str) -> frozenset[str]:
    """Return a set of plain words of the lexicon's file."""
    return frozenset(_entries()[_PLAIN + name])


@cache
def _entries() -> dict[str, list[str]]:
    with open(SOURCE, encoding="utf-8") as file:
        entries: dict[str, list[str]] = json.load(file)
    return entries


@cache
def _phrases() -> Phrases:
    """Return the phrases by their first word, or by its first letters where it has a star."""
    found: Phrases = {}
    for group, entries in _entries().items():
        for words in () if group.startswith(_PLAIN) else map(str.split, entries):
            key = f"{words[0][:_STEM]}*" if words[0].endswith("*") else words[0]
            found.setdefault(key, []).append((group, words))
    return found


def hits_in(words: Sequence[Word]) -> dict[str, list[Hit]]:
    """Return every place of every phrase by its group, in the order of the text."""
    phrases = _phrases()
    found: dict[str, list[Hit]] = {}
    for first, word in enumerate(words):
        for key in (word.text, f"{word.text[:_STEM]}*"):
            for group, patterns in phrases.get(key, ()):
                end = _end(patterns, words, first)
                if end:
                    found.setdefault(group, []).append(Hit(group, first, end))
    return found


def _end(patterns: Sequence[str], words: Sequence[Word], first: int) -> int:
    """Return where the phrase that begins at `first` ends, 0 where it is not there."""
    position, slack = first, 0
    for pattern in patterns:
        if pattern == "...":
            slack = _GAP
            continue
        near = range(position, min(position + slack + 1, len(words)))
        position = next((n + 1 for n in near if _fits(words[n].text, pattern)), 0)
        if not position or words[position - 1].sentence != words[first].sentence:
            return 0
        slack = 0
    return position


def _fits(text: str, pattern: str) -> bool:
    return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == pattern
