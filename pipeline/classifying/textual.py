"""Reads the signals of a task from its text, each with the words that gave it."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pipeline.classifying import asks
from pipeline.classifying.asks import Ask
from pipeline.classifying.lexicon import Hit, words_in
from pipeline.classifying.signals import Evidence
from pipeline.schema import is_document_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipeline.classifying.reading import Reading
    from pipeline.classifying.words import Word

DOCUMENTATION, OBVIOUS, MECHANICAL = "documentation only", "obvious edit", "purely mechanical"
SECURITY, ACCESS, NEW = "security", "access control", "new abstractions"
CONCURRENCY, TESTS, NO_TESTS = "concurrency", "tests wanted", "no tests"

_FILE = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,5}$")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{0,99}")
_TESTING = "testing"
_HARMLESS = frozenset({DOCUMENTATION, OBVIOUS, MECHANICAL})
_MAKING = frozenset({asks.BUILDING, asks.PERMITTING, asks.RESTRUCTURING})
_SHORT = 40  # words: who needs more to say it asks for more than a small edit
_THOUGHT = ("behaviour", "not mechanical", "concurrency")
_A_FEW = 2  # more domains, or things in a list, are a demand of their own
_ITEM = 5  # words of an item of a list
_SMALL_NEWS = words_in("small news")
_CHANGED = re.compile(r"(\S{1,40}) *(?:->|=>|\u2192) *(\S{1,40})")
_OBJECT = 3  # words after a verb within which its object begins
_ANEW = words_in("building anew")
_CONDITIONS = frozenset({"if", "when", "can", "may", "after"})
_DEMANDING = (ACCESS, SECURITY, CONCURRENCY, "scale", "guarantee", "concept")
_BREADTH = 2  # kinds of demands in one task that together ask for more than is there
_WISHES = _MAKING | {asks.STATED}
_NEAR = 5  # words after a verb within which its object is looked for
_TESTS_FOLLOW = words_in("before tests")


class Nature(NamedTuple):
    """What kind of ask an ask is, and the words that say so."""

    kind: str
    quote: str


def evidence_of(task: Reading, others: Sequence[Reading]) -> list[Evidence]:
    """Return the evidence for every signal that the texts give; the task's words come first."""
    natures = [_nature(task, ask) for ask in _asks(task)]
    impure = [
        ask for reading in others for ask in reading.asks if not _MAKING.isdisjoint(ask.kinds)
    ]
    found = [Evidence(NO_TESTS, quote, source) for quote, source in _no_tests([task, *others])]
    small = list(_small(task, natures) or _slight(task)) if not impure else []
    if small:
        return small + found
    found += _tests(task, natures)
    for signal in (ACCESS, SECURITY, CONCURRENCY):
        found += _mentions(signal, task, others)
    new = list(dict.fromkeys(_novel(task, others)))
    return found + (new or _broad(task, natures))


def _asks(task: Reading) -> list[Ask]:
    """Return the task's asks; what is stated without a verb is one ask."""
    return task.asks or [Ask((asks.STATED,), 0, len(task.words))]


def _nature(reading: Reading, ask: Ask) -> Nature:
    """Tell what kind an ask is: what it edits says more than its verb."""
    verb = reading.words[ask.first].spelled if reading.words else ""
    whole = Ask(ask.kinds, _beginning(reading, ask), ask.end)
    if asks.MECHANICAL_EDIT in ask.kinds:
        return Nature(MECHANICAL, _longest(reading, asks.MECHANICAL_EDIT, ask))
    document = next(
        (hit for hit in reading.live_hits("document", whole) if _is_object(reading, hit)), None
    )
    if document:
        return Nature(DOCUMENTATION, reading.quote(document))
    paths = _document_paths(reading, whole)
    if paths and verb.lower() not in _ANEW:
        return Nature(DOCUMENTATION, paths[0])
    if asks.OBVIOUS_EDIT in ask.kinds:
        return Nature(OBVIOUS, _longest(reading, asks.OBVIOUS_EDIT, ask))
    for group, kind in (("mechanical", MECHANICAL), ("obvious", OBVIOUS)):
        for hit in reading.live_hits(group, whole):
            return Nature(kind, reading.quote(hit))
    tests = reading.live_hits("tests", Ask(ask.kinds, ask.first, ask.first + _NEAR))
    return Nature(_TESTING if tests else ask.kinds[0], verb)


def _is_object(reading: Reading, document: Hit) -> bool:
    """Tell whether a document is what is edited, and not what comes with a piece of work."""
    before = reading.words[document.first - 1].text if document.first else ""
    return reading.is_head(document) and before not in ("with", "and", "plus")


def _document_paths(reading: Reading, ask: Ask) -> list[str]:
    """Return the files that an ask names, none where one of them is no document."""
    named = [word.spelled for word in reading.words[ask.first : ask.end] if word.code]
    files = [name for name in named if _FILE.search(name)]
    return files if all(is_document_path(file) for file in files) else []


def _longest(reading: Reading, group: str, ask: Ask) -> str:
    """Return the fullest phrase of a group that begins with the ask's verb."""
    places = [hit for hit in reading.hits.get(group, ()) if hit.first == ask.first]
    return reading.quote(max(places, key=lambda hit: hit.end))


def _beginning(reading: Reading, ask: Ask) -> int:
    """Return where an ask's sentence begins, or the ask before it ends."""
    first = ask.first
    ends = {other.end for other in reading.asks}
    while first and reading.words[first - 1].sentence == reading.words[ask.first].sentence:
        if first in ends:
            break
        first -= 1
    return first


def _small(task: Reading, natures: Sequence[Nature]) -> list[Evidence]:
    """Return the evidence that all a task asks for is mechanical, obvious or documentation."""
    kinds = {nature.kind for nature in natures}
    if not kinds <= _HARMLESS or task.live_hits("not mechanical") or any(_tests(task, natures)):
        return []
    spread = [hit for hit in task.live_hits("spread") if kinds != {MECHANICAL}][:1]
    found = [Evidence(MECHANICAL, task.quote(hit), task.source) for hit in spread]
    for kind, quote in dict.fromkeys(natures):
        told = OBVIOUS if kind == DOCUMENTATION and kinds != {DOCUMENTATION} else kind
        found.append(Evidence(told, quote, task.source))
    return found


def _slight(task: Reading) -> list[Evidence]:
    """Return the evidence that a short task edits small things, or all alike, and no behaviour."""
    if len(task.words) > _SHORT or any(task.live_hits(group) for group in _THOUGHT):
        return []
    verbs = {task.words[ask.first].text for ask in task.asks}
    if not verbs.isdisjoint(_ANEW) or _tests(task, []) or any(_novel(task, [])):
        return []
    same = _together(task, "same edit", [task.quote(hit) for hit in task.live_hits("spread")])
    if same:
        return [Evidence(MECHANICAL, same, task.source)]
    changed = _CHANGED.search(task.text)
    guarded = task.live_hits(SECURITY) or task.live_hits(ACCESS)
    names = [] if guarded else [word.spelled for word in task.code_words()]
    quote = (
        (changed[0] if changed else "")
        or _together(task, "small edit", [task.quote(h) for h in task.live_hits("small object")])
        or _together(task, "deletion", names)
    )
    return [Evidence(OBVIOUS, quote, task.source)] if quote else []


def _together(task: Reading, verbs: str, things: Sequence[str]) -> str:
    """Return the first verb of a group with the first thing, empty where one of them is missing."""
    edits = task.live_hits(verbs)
    return f"{task.quote(edits[0])} \u2026 {things[0]}" if edits and things else ""


def _tests(task: Reading, natures: Sequence[Nature]) -> list[Evidence]:
    """Return the evidence that tests are asked for."""
    found = [Evidence(TESTS, n.quote, task.source) for n in natures if n.kind == _TESTING]
    for hit in task.live_hits("tests"):
        before = task.words[hit.first - 1].text if hit.first else ""
        if before in _TESTS_FOLLOW:
            found.append(Evidence(TESTS, task.quote(hit), task.source))
    return found


def _no_tests(readings: Sequence[Reading]) -> Iterator[tuple[str, str]]:
    """Yield where a text says that no tests are wanted."""
    for reading in readings:
        for hit in reading.live_hits("no tests"):
            yield reading.quote(hit), reading.source
        for hit in reading.hits.get("tests", ()):
            if not reading.live[hit.first] and reading.words[hit.first - 1].text in ("new", "or"):
                yield f"not asked for: {reading.quote(hit)}", reading.source


def _mentions(signal: str, task: Reading, others: Sequence[Reading]) -> list[Evidence]:
    """Return where a signal is mentioned: once in the task is enough, an issue says it twice."""
    found = [Evidence(signal, task.quote(hit), task.source) for hit in task.live_hits(signal)]
    for reading in others:
        hits = reading.live_hits(signal)
        if len(hits) > 1:
            found += [Evidence(signal, reading.quote(hit), reading.source) for hit in hits]
    return list(dict.fromkeys(found))


def _novel(task: Reading, others: Sequence[Reading]) -> Iterator[Evidence]:
    """Yield what is to be built that is not there yet."""
    for reading in (task, *others):
        for hit in reading.live_hits("novel edit"):
            if any(hit.first == ask.first for ask in reading.asks):
                yield Evidence(NEW, reading.quote(hit), reading.source)
        yield from _called_new(reading, first=reading is task)
        for group in ("concept", "structure"):
            for hit in reading.live_hits(group):
                if _is_novel(reading, hit, first=reading is task):
                    yield Evidence(NEW, reading.quote(hit), reading.source)


def _broad(task: Reading, natures: Sequence[Nature]) -> list[Evidence]:
    """Return the evidence that a task makes several kinds of demands at once, none a fault's."""
    wishes = any(nature.kind in _WISHES for nature in natures)
    if not wishes or next(_faults(task), None) is not None:
        return []
    firsts = {group: hits[0] for group in _DEMANDING if (hits := task.live_hits(group))}
    quotes = {hit.first: task.quote(hit) for hit in firsts.values()}
    listed = _listed(task)
    domains = sum(1 for group in task.hits if _is_domain(group) and task.live_hits(group))
    if len(quotes) + bool(listed) + (domains > 1) + (domains > _A_FEW) < _BREADTH:
        return []
    return [Evidence(NEW, quote, task.source) for quote in (*quotes.values(), *listed)]


def _is_domain(group: str) -> bool:
    return group.startswith("domain: ")


def _listed(task: Reading) -> list[str]:
    """Return what a task lists, where that is a number of things and not one and its tests."""
    clauses: dict[int, list[str]] = {}
    for word, live in zip(task.words, task.live, strict=True):
        if live:
            clauses.setdefault(word.clause, []).append(word.spelled)
    items = [" ".join(words) for words in list(clauses.values())[1:] if len(words) <= _ITEM]
    return [", ".join(items)] if len(items) > _A_FEW else []


def _called_new(reading: Reading, *, first: bool) -> Iterator[Evidence]:
    """Yield what the text itself calls new, small things apart: `a new storage format`."""
    for word, after in pairwise(enumerate(reading.words)):
        if word[1].text != "new" or after[1].opens or not reading.live[after[0]]:
            continue
        hit = Hit("concept", word[0], after[0] + 1)
        names = {each.text for each in reading.words[after[0] : after[0] + 2]}
        if names.isdisjoint(_SMALL_NEWS) and _is_novel(reading, hit, first=first):
            yield Evidence(NEW, reading.quote(hit), reading.source)


def _is_novel(reading: Reading, hit: Hit, *, first: bool) -> bool:
    ask = reading.ask_at(hit.first)
    if ask is None:
        return first and _is_stated(reading, hit)
    if _nature(reading, ask).kind in (_TESTING, *_HARMLESS):
        return False
    if asks.RESTRUCTURING in ask.kinds:
        return True
    if _MAKING.isdisjoint(ask.kinds) or reading.is_there(hit) or reading.is_part(hit):
        return False
    return reading.is_head(hit) or (hit.group == "concept" and hit.first - ask.first <= _OBJECT)


def _is_stated(reading: Reading, hit: Hit) -> bool:
    """Tell whether a noun without a verb is a wish (`Plugin system for …`), not a fault's place."""
    sentence = reading.words[hit.first].sentence
    if sentence != reading.words[0].sentence or reading.is_there(hit) or reading.is_part(hit):
        return False
    if reading.words[0].text == "the":
        return False
    return not any(reading.words[place].sentence == sentence for place in _faults(reading))


def _faults(reading: Reading) -> Iterator[int]:
    """Yield where a text tells of a fault; `if the boot fails` tells of a condition."""
    for hit in reading.hits.get("fault", ()):
        before = [word.text for word in reading.words[max(0, hit.first - 3) : hit.first]]
        if _CONDITIONS.isdisjoint(before):
            yield hit.first


def renamed_symbol(task: Reading, evidence: Sequence[Evidence]) -> str:
    """Return the identifier that a mechanical task renames or replaces, empty where none does."""
    if not any(each.signal == MECHANICAL for each in evidence):
        return ""
    for ask in task.asks:
        words = task.words[ask.first : ask.end]
        names = [word.spelled for word in words if word.code] or _named_before_to(words)
        if asks.MECHANICAL_EDIT in ask.kinds and names and _IDENTIFIER.fullmatch(names[0]):
            return names[0]
    return ""


def _named_before_to(words: Sequence[Word]) -> list[str]:
    """Return what stands before `to` where it is a name by its capital: `rename ROUTING to …`."""
    return [
        word.spelled
        for word, after in pairwise(words[1:])
        if after.text == "to" and word.spelled[0].isupper()
    ]
