"""Cuts a text into words: which sentence each is in, and whether the text asks for it at all.

Linear in the length of the text: nothing here looks back, and no pattern can be made to.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LIMIT = 20_000  # characters of one text that are read; the longest issues of real trackers fit

_TARGET = re.compile(r"\bthe target project is \S{1,200}", re.IGNORECASE)  # no part of the task
_PIECE = re.compile(r"`[^`\n]{1,200}`|[^\s,;!?(){}\[\]\"“”«»|`]+|[,;!?()]")
_ITEM = re.compile(r"[-*+>] |#{1,6} |\d{1,3}[.)] ")
_NOT_ASKED = re.compile(
    r"#{1,6} +(?:out of scope|non-?goals?|not in scope|background)\b", re.IGNORECASE
)
_FILE = re.compile(r"[\w@.-]{0,80}\w\.[A-Za-z][A-Za-z0-9]{0,5}")
_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]|\w_\w|::|\(\)")
_ABBREVIATIONS = frozenset({"e.g.", "i.e.", "etc.", "vs.", "approx.", "incl.", "no.", "cf."})
_PLAIN = str.maketrans({"\u2019": "'", "\u2013": "-", "\u2014": " - "})
_SENTENCE_END, _CLAUSE_END = ".", ","  # no word is one of them
_ENDS, _OPENS = ".:…'*_-", ":'*_-"
_BREAKS = frozenset({",", "(", ")", "-", "--", "---", "=>", "->", "\u2192", "/", "&"})

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
    """One word of a text.

    `text` is in lower case, as the lexicon spells words; `spelled` is as it was written.
    `opens` is true at the start of a sentence or clause. `code` marks paths and identifiers.
    """

    text: str
    spelled: str
    sentence: int
    clause: int
    opens: bool = False
    code: bool = False


def words_of(text: str) -> list[Word]:
    """Return the words of a text, without its code blocks and the sections that ask for nothing."""
    text = _TARGET.sub(" ", unicodedata.normalize("NFKC", text[:LIMIT])[:LIMIT])
    words: list[Word] = []
    sentence = clause = 0
    opens = True
    for token, code in (token for block in _blocks(text) for token in _tokens(block)):
        if token in (_SENTENCE_END, _CLAUSE_END):
            sentence += token == _SENTENCE_END
            clause, opens = clause + 1, True
        else:
            words.append(Word(token.lower(), token, sentence, clause, opens, code))
            opens = False
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


def _tokens(block: str) -> Iterator[tuple[str, bool]]:
    """Yield words, whether each is a path or an identifier, and ends of clauses and sentences."""
    for piece in _PIECE.findall(block):
        if piece in _BREAKS:
            yield _CLAUSE_END, False
        elif piece in ";!?":
            yield _SENTENCE_END, False
        elif piece[0] == "`" and len(piece) > 1:
            yield piece.strip("`"), True
        else:
            core = piece.rstrip(_ENDS)
            core = core if core.startswith("--") else core.lstrip(_OPENS)
            code = _is_code(core)
            yield from (
                (part, code) for part in ([core] if code else re.split(r"[-/:]", core)) if part
            )
            if piece.endswith((":", "…")):
                yield _CLAUSE_END, False
            elif piece.endswith(".") and piece.lower() not in _ABBREVIATIONS:
                yield _SENTENCE_END, False
    yield _SENTENCE_END, False


def _is_code(piece: str) -> bool:
    """Return whether a piece is a path, a file's name or an identifier."""
    if piece.startswith(("/", "./", "~/", "@", "<", "--")) or piece.count("/") > 1:
        return True
    name = piece.rpartition("/")[2][:100]
    return bool(_FILE.fullmatch(name) or _INNER_CAPITAL.search(piece[:100]))


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
