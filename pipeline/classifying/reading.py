"""One text, read: its words, what the lexicon knows in it, what is asked for and what is not."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pipeline.classifying.asks import Ask, asks_of
from pipeline.classifying.lexicon import Hit, lexicon, words_in
from pipeline.classifying.scope import live_words
from pipeline.classifying.words import LIMIT, Word, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_FUNCTION_WORDS = words_in("after a noun")
_PARTS = words_in("parts of what is there")
_HERE = frozenset({"the", "our", "its", "this", "their", "these", "existing", "current"})
_TOWARDS = frozenset({"to", "in", "for", "of", "from", "on", "with", "by", "into", "as"})


class Reading(NamedTuple):
    """One text, read; `source` names it to people: `task`, `issue`, `criteria`."""

    source: str
    text: str
    words: list[Word]
    hits: dict[str, list[Hit]]
    asks: list[Ask]
    live: list[bool]

    def live_hits(self, group: str, ask: Ask | None = None) -> list[Hit]:
        """Return a group's places that are asked for, those of one ask where it is given."""
        return [
            hit
            for hit in self.hits.get(group, ())
            if self.live[hit.first] and (ask is None or ask.first <= hit.first < ask.end)
        ]

    def quote(self, hit: Hit) -> str:
        """Return a place as it was written."""
        return " ".join(word.spelled for word in self.words[hit.first : hit.end])

    def ask_at(self, position: int) -> Ask | None:
        """Return the ask that a word belongs to, None where its sentence has none before it."""
        return next((ask for ask in self.asks if ask.first <= position < ask.end), None)

    def is_head(self, hit: Hit) -> bool:
        """Tell whether a noun is what is meant, and not what describes the next noun.

        `update the docs for login` is about documents, `build a docs search engine` is not.
        """
        if hit.end == len(self.words):
            return True
        after = self.words[hit.end]
        return after.opens or after.code or after.text in _FUNCTION_WORDS

    def is_part(self, hit: Hit) -> bool:
        """Tell whether a noun only says where a small thing belongs: `the SSO link`."""
        return hit.end < len(self.words) and self.words[hit.end].text in _PARTS

    def is_there(self, hit: Hit) -> bool:
        """Tell whether a noun names what exists: `to the queue`, `the existing cache`."""
        before = [word.text for word in self.words[max(0, hit.first - 3) : hit.first]]
        if "existing" in before or "current" in before:
            return True
        return any(first in _TOWARDS and second in _HERE for first, second in pairwise(before))

    def code_words(self) -> Iterator[Word]:
        """Yield the paths and identifiers that are asked for, in order."""
        return (
            word for word, live in zip(self.words, self.live, strict=True) if word.code and live
        )


def read(text: str, source: str) -> Reading:
    """Read one text."""
    words = words_of(text)
    hits: dict[str, list[Hit]] = {}
    for hit in lexicon().hits(words):
        hits.setdefault(hit.group, []).append(hit)
    live = live_words(words)
    asks = [ask for ask in asks_of(words, hits) if live[ask.first]]
    return Reading(source, text[:LIMIT], words, hits, asks, live)
