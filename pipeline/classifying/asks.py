"""Finds what a text asks for: the verbs that begin an ask, and what stands after each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pipeline.classifying.lexicon import Hit
    from pipeline.classifying.words import Word

BUILDING, PERMITTING = "building", "permitting"
RESTRUCTURING, MENDING = "restructuring", "mending"
MECHANICAL_EDIT, OBVIOUS_EDIT = "mechanical edit", "obvious edit"
DOCUMENT_EDIT = "document edit"
STATED = "stated"  # an ask without a verb: `Plugin system for the exporter`
VERBS = (MECHANICAL_EDIT, OBVIOUS_EDIT, DOCUMENT_EDIT, BUILDING, PERMITTING, RESTRUCTURING, MENDING)

_JOINING = frozenset({"and", "then", "or", "also", "please", "just", "let's", "lets", "simply"})
_MODAL = frozenset({"should", "must", "can", "could", "will", "would", "need", "want", "cannot"})
_US = frozenset({"we", "i", "you", "let's", "to", "team", "please", "should"})
_BEFORE_TO = frozenset(
    {"need", "needs", "have", "is", "going", "time", "nice", "good", "us", "best", "better", "plan"}
    | {"wanted", "decided", "required", "goal", "want", "like"}
)
_OTHERS = frozenset({"users", "user", "players", "customers", "people", "clients", "who", "that"})


class Ask(NamedTuple):
    """One ask: the groups of its verb, and the words `[first:end]` that belong to it."""

    kinds: tuple[str, ...]
    first: int
    end: int


def asks_of(words: Sequence[Word], hits: Mapping[str, Sequence[Hit]]) -> list[Ask]:
    """Return the asks of a text in order; a sentence without a verb of the lexicon gives none."""
    verbs: dict[int, list[str]] = {}
    nouns = {hit.first for hit in hits.get("concept", ()) if hit.end - hit.first > 1}
    for group in VERBS:
        for hit in hits.get(group, ()):
            if hit.first not in nouns and not _is_only_a_start(words, hit):
                verbs.setdefault(hit.first, []).append(group)
    starts = list(_starts(words, verbs))
    return [
        Ask(tuple(verbs[first]), first, _end(words, first, starts[number + 1 : number + 2]))
        for number, first in enumerate(starts)
    ]


def _starts(words: Sequence[Word], verbs: Mapping[int, Sequence[str]]) -> Iterator[int]:
    """Yield the positions where an ask begins; what somebody is let do is not asked of us."""
    permitted = -1  # the sentence in which a verb of permitting stood
    for position, word in enumerate(words):
        if position not in verbs or word.sentence == permitted:
            continue
        if _is_asked(words, position):
            yield position
            if PERMITTING in verbs[position]:
                permitted = word.sentence


def _is_only_a_start(words: Sequence[Word], hit: Hit) -> bool:
    """Tell whether a wish goes on with the verb that counts: `we need to rename …`."""
    return (
        words[hit.first].text == "we"
        and words[hit.end : hit.end + 1] != []
        and (words[hit.end].text == "to")
    )


def _is_asked(words: Sequence[Word], position: int) -> bool:
    """Tell whether a verb stands where an ask begins."""
    if words[position].opens:
        return True
    before = words[position - 1].text
    if before in _JOINING:
        return True
    earlier = words[position - 2].text if position > 1 else ""
    if before == "to":
        subject = words[position - 3].text if position > 2 else ""  # noqa: PLR2004  # three words back
        return earlier in _BEFORE_TO and subject not in _OTHERS
    return before in _MODAL and earlier in _US


def _end(words: Sequence[Word], first: int, following: Sequence[int]) -> int:
    """Return where an ask ends: at the next one, or with its sentence."""
    sentence = words[first].sentence
    end = following[0] if following else len(words)
    while words[end - 1].sentence != sentence:
        end -= 1
    return end
