"""Tells which words of a text are asked for: negations and sentences of scope take others out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.classifying.words import Word

# What stands after one of these, up to the end of the clause, is not asked for.
_NEGATORS = frozenset({"no", "without", "excluding", "except", "nothing", "neither", "nor"})
# The same, up to the end of the sentence: a list may follow.
_PHRASES = (
    "out of scope",
    "not in scope",
    "non goals",
    "non goal",
    "unrelated to",
    "not related to",
    "nothing to do with",
    "not about",
    "not part of",
    "instead of",
    "rather than",
    "no change to",
    "no changes to",
    "leave alone",
    "follow up to",
    "already have",
    "already has",
    "same as for",
)
_NOT = frozenset(
    {"not", "don't", "doesn't", "won't", "shouldn't", "mustn't", "never", "dont", "doesnt", "isn't"}
)
# `does not touch …`: only with these is what follows left out. `does not validate tokens` is a bug.
_LEAVING = (
    "touch",
    "chang",
    "affect",
    "alter",
    "modif",
    "involv",
    "requir",
    "need",
    "includ",
    "cover",
    "concern",
    "add",
    "impact",
)
# After a list: `authentication and roles are out of scope`.
_AFTER = (
    "out of scope",
    "not in scope",
    "not needed",
    "not required",
    "not affected",
    "not touched",
    "unchanged",
    "untouched",
    "unaffected",
    "stays as it is",
    "stay as they are",
    "comes later",
    "come later",
)
_BUT = frozenset({"but", "only", "however", "just", "instead"})
_FAR = 60  # words that are taken out at most: a sentence that people write
_LONGEST = 4  # words of a phrase above
_FIRST = frozenset(phrase.split()[0] for phrase in (*_PHRASES, *_AFTER))


def live_words(words: Sequence[Word]) -> list[bool]:
    """Return, for each word, whether the text asks for what it names."""
    live = [True] * len(words)
    texts = [word.text for word in words]
    sentence = clause = -1  # those whose rest is not asked for
    for position, word in enumerate(words):
        if word.text in _BUT:
            sentence = clause = -1
        live[position] = word.sentence != sentence and word.clause != clause
        if _begins(texts, position, _PHRASES) or _leaves(texts, position):
            sentence = word.sentence
        elif word.text in _NEGATORS:
            clause = word.clause
        if _begins(texts, position, _AFTER):
            _take_out(live, words, position)
    return live


def _begins(texts: Sequence[str], position: int, phrases: tuple[str, ...]) -> bool:
    if texts[position] not in _FIRST:
        return False
    near = " ".join(texts[position : position + _LONGEST]) + " "
    return any(near.startswith(f"{phrase} ") for phrase in phrases)


def _leaves(texts: Sequence[str], position: int) -> bool:
    if texts[position] not in _NOT or position + 1 == len(texts):
        return False
    after = texts[position + 1]
    return after in ("a", "an", "about") or after.startswith(_LEAVING)


def _take_out(live: list[bool], words: Sequence[Word], end: int) -> None:
    """Take out what stands before `end`: the clause, or the sentence where that is a list."""
    whole = not words[end].text.startswith("un")
    for position in range(end - 1, max(end - _FAR, 0) - 1, -1):
        word = words[position]
        same = word.sentence == words[end].sentence if whole else word.clause == words[end].clause
        if not same or word.text in _BUT:
            return
        live[position] = False
