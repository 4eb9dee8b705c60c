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
    from collections.abc import Mapping, Sequence

    Phrases = dict[str, list[tuple[str, list[str]]]]  # by first word: the group, and all words

LIMIT = 20_000  # characters of one text that are read; the longest issues of real trackers fit

_TARGET = re.compile(r"\bthe target project is \S{1,200}", re.IGNORECASE)  # no part of the task
_PIECE = re.compile(r"`[^`\n]{1,200}`|[^\s,;!?(){}\[\]\"“”«»|`]+|[,;!?()]")
_ITEM = re.compile(r"\A(?:[-*+>] |#{1,8} |\d{1,3}[.)] )")
_BLOCK = re.compile(r"\n(?=\n|[-*+>] |#{1,8} |\d{1,3}[.)] )")
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lexicon.json")
with open(SOURCE, encoding="utf-8") as _file:
    _LEXICON: dict[str, list[str]] = json.load(_file)
_NOT_ASKED = (  # what stands above a section that the task does not ask for, or before a colon
    rf"(?:explicitly |things |ideas )?(?:{'|'.join(_LEXICON.pop('not asked for'))})"
    r"(?: (?:for|in|to|and|of|from|or|you|we|i|that|considered|maybe)\b[^\n:]*| *\([^\n)]*\))?"
)
_MORE = r"(?:\n(?![-*+] |[\d#\n])[^\n]+)*"  # lines up to an item or a blank one
_ITEMS = r"(?:\n(?![\n#])[^\n]+|\n\n+[-*+\d][^\n]*)*"
_CUTS = [  # what takes the place of what, in this order; the first line is the title, and stays
    (r"\A(?:# )?(?:[\w-]{1,20}-\d{1,9}\b|#\d{1,9}\b|\[[^\]\n]{1,40}\])[: ]*(?=\S)", ""),
    (r"^(```|~~~).*?(?:^\1[^\n]*|\Z)|<!--.{0,2000}?-->|~~[^~\n]{1,300}~~|(?<=\n)>[^\n]*", "\n"),
    (r"(?<=\n)(\w[^\n]{0,80})\n(?:={3,}|-{3,})$", r"## \1"),
    (r"(?<=\n)(?:\*\*([^*\n]{1,80})\*\*|__([^_\n]{1,80})__):?$", r"####### \1\2"),
    (rf"(?<=\n)((?!#)[^\n:]{{1,60}}:|{_NOT_ASKED})$", r"######## \1"),
    *((rf"(?<=\n)#{{{n}}} +{_NOT_ASKED}\W*?$.*?(?=^#{{1,{n}}} |\Z)", "") for n in range(1, 8)),
    (rf"(?<=\n)#{{8}} {_NOT_ASKED}\W*?\n+(?!#)[^\n]+{_ITEMS}", ""),
    (rf"(?<=\n)(?:[-*+] )?[*_]*{_NOT_ASKED}(?::[*_]*|[*_]+:) [^\n]+{_MORE}", ""),
]
_CUT = [(re.compile(cut, re.DOTALL | re.MULTILINE | re.IGNORECASE), put) for cut, put in _CUTS]
_FILE = re.compile(r"(?:[\w@.-]{1,60}/){0,12}[\w@.-]{0,60}\.[A-Za-z][A-Za-z0-9]{0,5}")
_PLAIN = str.maketrans({"\u2019": "'", "\u2013": "-", "\u2014": " - "})
_CLAUSE_ENDS = (":", "…", ",", "(", ")")
_SENTENCE_ENDS = (".", ";", "!", "?")
_BEFORE, _AFTER = ":'*_-,;!?()", ".:…'*_-,;!?()"  # what is cut off on both sides of a word

# What comes after one of these is not asked for: to the end of the clause, or of the sentence.
_SENTENCE = re.compile(
    r"(?:(?:out of|not in) scope|non goals?|(?:un|not )related to|nothing to do with|not about"
    r"|not part of|instead of|rather than|no changes? to|leave alone|already ha(?:ve|s)|same as for"
    r"|(?:not|never|don't|doesn't|won't|shouldn't|mustn't|isn't)"
    r" (?:an?\b|about|touch|chang|affect|alter|modif|involv|requir|need|includ|cover|concern|add))"
)


class Word(NamedTuple):
    """One word of a text."""

    text: str  #: in lower case, as the lexicon spells words
    spelled: str  #: as it was written
    sentence: int  #: the number of the sentence, as that of the clause
    clause: int
    is_file: bool  #: it is a path


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
            words += [
                Word(part.lower().removesuffix("'s"), part, sentence, clause, is_file)
                for part in filter(None, parts)
            ]
            sentence += piece.endswith(_SENTENCE_ENDS)
            clause += piece.endswith(_CLAUSE_ENDS + _SENTENCE_ENDS) or piece in {"-", "/", "&"}
        sentence, clause = sentence + 1, clause + 1
    return words


def _blocks(text: str) -> list[str]:
    """Return paragraphs, list items and headings, each on one line, if they are asked for."""
    text = "\n".join(map(str.strip, text.translate(_PLAIN).splitlines()))
    for cut, put in _CUT:
        text = cut.sub(put, text)
    return [_ITEM.sub("", block.lstrip(), count=1) for block in _BLOCK.split(text)]


def live_words(words: Sequence[Word], hits: Mapping[str, Sequence[Hit]]) -> list[bool]:
    """Return, for each word, whether the text asks for what it names."""
    live: list[bool] = []
    sentence = clause = -1  # those whose rest is not asked for
    later = {words[hit.first].sentence for hit in hits.get("not now", ())}
    for position, word in enumerate(words):
        if word.text in entries("but"):
            sentence = clause = -1
        live.append(word.sentence not in (sentence, *later) and word.clause != clause)
        near = " ".join(near_word.text[:40] for near_word in words[position : position + 4])
        if _SENTENCE.match(near):
            sentence = word.sentence
        elif word.text in entries("negator"):
            clause = word.clause
    for hit in hits.get("idiom", ()):
        live[hit.first : hit.end] = [False] * (hit.end - hit.first)
    return live


# --- the lexicon --------------------------------------------------------------------------------

_STEM = 4  # letters by which a phrase that begins with a star word is looked up
_GAP = 6  # words that `...` passes over at most


class Hit(NamedTuple):
    """One place of a phrase of a group: `words[first:end]` of the text."""

    group: str
    first: int
    end: int


@cache
def entries(name: str) -> frozenset[str]:
    """Return the entries of a group of the lexicon."""
    return frozenset(_LEXICON[name])


@cache
def _phrases() -> Phrases:
    """Return the phrases by their first word, or by its first letters where it has a star."""
    found: Phrases = {}
    for name, entries in _LEXICON.items():
        for words in map(str.split, entries):
            key = f"{words[0][:_STEM]}*" if words[0].endswith("*") else words[0]
            found.setdefault(key, []).append((name, words))
    return found


def hits_in(words: Sequence[Word]) -> dict[str, list[Hit]]:
    """Return every place of every phrase by its group, in the order of the text."""
    phrases = _phrases()
    found: dict[str, list[Hit]] = {}
    for first, word in enumerate(words):
        for key in (word.text, f"{word.text[:_STEM]}*"):
            for name, patterns in phrases.get(key, ()):
                end = _end(patterns, words, first)
                if end:
                    found.setdefault(name, []).append(Hit(name, first, end))
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
