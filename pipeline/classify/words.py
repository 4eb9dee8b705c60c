"""Cuts a text into words, in linear time, and finds the phrases of `lexicon.json` among them.

A phrase is words with blanks between them. `word*` matches every word that begins with it (at
least four letters before the star), `...` for up to six words of the same sentence.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Phrases = dict[str, list[tuple[str, list[str]]]]  # by first word: the group, and all words

LIMIT = 20_000  # characters of one text that are read; the longest issues of real trackers fit

_TARGET = re.compile(r"\bthe target project is \S{1,200}", re.IGNORECASE)  # no part of the task
_PIECE = re.compile(r"`[^`\n]{1,200}`|[^\s,;!?(){}\[\]\"“”«»|`]+|[,;!?()]")
_ITEM = re.compile(r"[-*+>] |#{1,6} |\d{1,3}[.)] ")
_NOT_ASKED = re.compile(
    r"#{1,6} +(?:out of scope|non-?goals?|not in scope|background)\b", re.IGNORECASE
)
_FILE = re.compile(r"(?:[\w@.-]{1,60}/){0,12}[\w@.-]{0,60}\.[A-Za-z][A-Za-z0-9]{0,5}")
_PLAIN = str.maketrans({"\u2019": "'", "\u2013": "-", "\u2014": " - "})
_CLAUSE_ENDS = (":", "…", ",", "(", ")", "->", "\u2192")
_SENTENCE_ENDS = (".", ";", "!", "?")
_BEFORE, _AFTER = ":'*_-,;!?()", ".:…'*_-,;!?()"  # what is cut off on both sides of a word

# What comes after one of these is not asked for: to the end of the clause, or of the sentence.
_NEGATORS = frozenset({"no", "without", "excluding", "except", "nothing", "neither", "nor"})
_SENTENCE = re.compile(
    r"(?:(?:out of|not in) scope|non goals?|(?:un|not )related to|nothing to do with|not about"
    r"|not part of|instead of|rather than|no changes? to|leave alone|already ha(?:ve|s)|same as for"
    r"|(?:not|never|don't|doesn't|won't|shouldn't|mustn't|isn't)"
    r" (?:an?\b|about|touch|chang|affect|alter|modif|involv|requir|need|includ|cover|concern|add))"
)
_BUT = frozenset({"but", "only", "however", "just", "instead"})


class Word(NamedTuple):
    """One word of a text: in lower case, as the lexicon spells words, and as it was written."""

    text: str
    spelled: str
    sentence: int
    clause: int
    is_file: bool


def words_of(text: str) -> list[Word]:
    """Return the words of a text, without its code blocks and the sections that ask for nothing."""
    text = _TARGET.sub(" ", unicodedata.normalize("NFKC", text[:LIMIT])[:LIMIT])
    words: list[Word] = []
    sentence = clause = 0
    for block in _blocks(text):
        for piece in _PIECE.findall(block):
            is_code = piece[0] == "`"
            core = piece[1:-1] if is_code else piece.rstrip(_AFTER).lstrip(_BEFORE)
            is_file = _FILE.fullmatch(core) is not None
            parts = [core] if is_code or is_file else re.split(r"[-/:]", core)
            words += [Word(each.lower(), each, sentence, clause, is_file) for each in parts if each]
            sentence += piece.endswith(_SENTENCE_ENDS)
            clause += piece.endswith(_CLAUSE_ENDS + _SENTENCE_ENDS) or piece in {"-", "/", "&"}
        sentence, clause = sentence + 1, clause + 1
    return words


def _blocks(text: str) -> Iterator[str]:
    """Yield paragraphs, list items and headings, each on one line."""
    lines: list[str] = []
    fenced = skipped = False
    for raw in text.translate(_PLAIN).splitlines():
        line = raw.strip()
        if line.startswith(("```", "~~~")):
            fenced, line = not fenced, ""
        elif line.startswith("#"):
            skipped = _NOT_ASKED.match(line) is not None
        mark = _ITEM.match(line)
        if not line or fenced or skipped or mark:
            yield " ".join(lines)
            lines = []
        if line and not fenced and not skipped:
            lines.append(line[mark.end() :] if mark else line)
    yield " ".join(lines)


def live_words(words: Sequence[Word]) -> list[bool]:
    """Return, for each word, whether the text asks for what it names."""
    live: list[bool] = []
    sentence = clause = -1  # those whose rest is not asked for
    for position, word in enumerate(words):
        if word.text in _BUT:
            sentence = clause = -1
        live.append(word.sentence != sentence and word.clause != clause)
        near = " ".join(each.text[:40] for each in words[position : position + 4])
        if _SENTENCE.match(near):
            sentence = word.sentence
        elif word.text in _NEGATORS:
            clause = word.clause
    return live


# --- the lexicon --------------------------------------------------------------------------------

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lexicon.json")
_STEM = 4  # letters by which a phrase that begins with a star word is looked up
_GAP = 6  # words that `...` passes over at most


class Hit(NamedTuple):
    """One place of a phrase of a group: `words[first:end]` of the text."""

    group: str
    first: int
    end: int


@cache
def _phrases() -> Phrases:
    """Return the phrases by their first word, or by its first letters where it has a star."""
    with open(SOURCE, encoding="utf-8") as file:
        groups: dict[str, list[str]] = json.load(file)
    found: Phrases = {}
    for group, entries in groups.items():
        for words in map(str.split, entries):
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
