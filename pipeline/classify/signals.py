"""The signals of a task (specification, section 2.5), read from its text, each with its reason."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pipeline.classify.words import Hit, Word, entries, hits_in, live_words, words_of
from pipeline.protocol.conventions import is_document_path, is_test_path
from pipeline.protocol.issue import MalformedIssue, parse_issue

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from pipeline.schema import Plan

DOCUMENTATION, OBVIOUS, MECHANICAL = "documentation only", "obvious edit", "purely mechanical"
SECURITY, ACCESS, NEW = "security", "access control", "new abstractions"
CONCURRENCY, TESTS, NO_TESTS = "concurrency", "tests wanted", "no tests"
FILES, SCOPE = "file count", "domain scope"

_HARMLESS = {DOCUMENTATION, OBVIOUS, MECHANICAL}
_MAKING = {"building", "permitting", "restructuring"}
_EDITS = ("mechanical edit", "same edit", "obvious edit", "document edit")
_VERBS = (*_EDITS, *sorted(_MAKING), "fixing")
_STATED = "stated"  # an ask without a verb: `Plugin system for the exporter`
_GUARDED = (ACCESS, SECURITY)
_DEMANDS = (*_GUARDED, "sensitive", CONCURRENCY, "scale", "guarantee", "concept")
_IDENTIFIER = re.compile(r"[-_.=:/]+|(?<=[a-z])(?=[A-Z])")  # between the words of a name in code
_ASIDE = re.compile(  # a quoted message, and a condition: `the text when the upload fails`
    r"(?<!\w)(['\"`])[^'\"`\n]{1,200}\1|“[^”\n]{1,200}”|\b(?:when|whenever|if)\b[^,.;\n]*",
    re.IGNORECASE,
)
_NEAR = 5  # words after a verb within which its object is looked for
_NAME = 4  # words of a name that are read: `README` … `generator`
_MANY, _SOME = 12, 3  # files of an edit `across the codebase`, and of a mechanical one elsewhere
_LEAST_ANEW = 4  # what is new has its own files, their tests and a place where it is used


class Evidence(NamedTuple):
    """Why a signal is set."""

    signal: str  #: its name
    quote: str  #: the words that gave it, as written
    source: str  #: `task`, `issue` or `plan`, and `estimate` for a figure that no text gives


class Scope(NamedTuple):
    """How far a task reaches."""

    file_count: int
    domains: tuple[str, ...]  #: the parts of the system
    evidence: tuple[Evidence, ...]  #: for both


class Ask(NamedTuple):
    """One thing that is asked for."""

    kinds: tuple[str, ...]  #: the groups of its verb
    verb: int  #: the number of that word
    first: int  #: the number of the first word asked about
    end: int  #: that of the word behind the last


class TaskText:
    """One text that was read; `source` is its name in output: `task`, `issue`, `criteria`."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.words = words_of(text) or [Word("", "", 0, 0, is_file=False)]
        self.hits = hits_in(self.words)
        self.live = live_words(self.words, self.hits)
        self.textual = self._sentences("text fault") | self._sentences("obvious")
        outside = hits_in(words_of(_ASIDE.sub("", text)))
        self.failing = self._sentences("failure") if "failure" in outside else set()
        faulty = self._sentences("fault") - self.textual | self.failing
        self.faulty = faulty - self._sentences("purpose")
        self.stated = self._sentences("statement") - self._sentences("wish") | self.faulty
        self.acting = {self.words[hit.first].clause for hit in self.live_hits("statement")}
        self.leaks = bool(self.live_hits("leak"))
        self.guards = self._guards()
        self.asks = self._asks() or [Ask((_STATED,), 0, 0, len(self.words))]

    def _asks(self) -> list[Ask]:
        verbs: dict[int, list[str]] = {}
        for hit in (hit for group in _VERBS for hit in self.live_hits(group)):
            if self._is_asked(hit):
                verbs.setdefault(hit.first, []).append(hit.group)
        sentences = [word.sentence for word in self.words]
        asks: list[Ask] = []
        for verb, following in pairwise([*sorted(verbs), len(self.words)]):
            first = bisect_left(sentences, sentences[verb], asks[-1].end if asks else 0)
            end = bisect_right(sentences, sentences[verb], verb, following)
            asks.append(Ask(tuple(verbs[verb]), verb, first, end))
        return asks

    def _is_asked(self, verb: Hit) -> bool:
        """Return whether a verb begins a clause and is not a noun: not so in `fix it`.

        In `Rename button does nothing` it is one.
        """
        before, word = self.words[verb.first - 1], self.words[verb.first]
        begins = not verb.first or before.clause != word.clause or before.text in entries("filler")
        following = {word.text for word in self.words[verb.end : verb.end + 1]}
        is_noun = word.sentence in self.faulty and following & entries("software")
        return begins and not is_noun and not following & entries("pronoun")

    def live_hits(self, group: str, ask: Ask | None = None) -> list[Hit]:
        """Return a group's places that are asked for, or only those in one ask if it is given."""
        return [
            hit
            for hit in self.hits.get(group, ())
            if self.live[hit.first] and (ask is None or ask.first <= hit.first < ask.end)
        ]

    def _sentences(self, group: str) -> set[int]:
        """Return the sentences in which a group is asked for."""
        return {self.words[hit.first].sentence for hit in self.live_hits(group)}

    def apart(self, groups: Iterable[str], without: Container[int] = ()) -> list[Hit]:
        """Return one place of each group outside of some sentences; a word gives evidence once."""
        found: list[Hit] = []
        taken: set[int] = set()
        for name in groups:
            free = (hit for hit in self.live_hits(name) if hit.first not in taken)
            for hit in [h for h in free if self.words[h.first].sentence not in without][:1]:
                found.append(hit)
                taken.update(range(hit.first, hit.end))
        return found

    def _guards(self) -> list[Evidence]:
        """Return what the text says about access and security; some words have other senses."""
        groups = (SECURITY,) if self.live_hits("other sense") else (SECURITY, "ambiguous")
        found = self.evidence(ACCESS, ACCESS)
        found += [reason for name in groups for reason in self.evidence(SECURITY, name)]
        for word, live in zip(self.words, self.live, strict=True):
            is_text = not live or (word.is_file and is_document_path(word.spelled))
            parts = [] if is_text else _IDENTIFIER.split(word.spelled)
            if len(parts) > 1 and not hits_in(words_of(" ".join(parts))).keys().isdisjoint(
                (ACCESS, *groups)
            ):
                found.append(Evidence(SECURITY, word.spelled, self.source))
        return list(dict.fromkeys(found))

    def quote(self, hit: Hit) -> str:
        """Return a place as it was written."""
        return " ".join(word.spelled for word in self.words[hit.first : hit.end])

    def evidence(self, signal: str, group: str) -> list[Evidence]:
        """Return the places of a group as evidence of a signal, each wording once."""
        quotes = dict.fromkeys(map(self.quote, self.live_hits(group)))
        return [Evidence(signal, quote, self.source) for quote in quotes]

    def files(self, first: int = 0, end: int | None = None) -> list[str]:
        """Return the files that are asked for, in order."""
        spelled = zip(self.words[first:end], self.live[first:end], strict=True)
        return [word.spelled for word, live in spelled if word.is_file and live]


def evidence_of(task: TaskText, others: Sequence[TaskText]) -> list[Evidence]:
    """Return the evidence for every signal that the texts give; the task's words come first."""
    texts = (task, *others)
    found = [reason for text in texts for reason in text.evidence(NO_TESTS, "no tests")]
    guards = [reason for text in texts for reason in text.guards]
    small = _small(task) or _slight(task) or _said_below(task, others)
    kinds = {reason.signal for reason in small}
    larger = any(_enlarges(text, ask) for text in others for ask in text.asks)
    thought = kinds != {DOCUMENTATION} and any(text.live_hits("not mechanical") for text in others)
    if small and not larger and not thought and not (guards and MECHANICAL in kinds):
        return small + found + guards * (OBVIOUS in kinds)
    found += task.evidence(TESTS, "tests") + guards
    for signal, name in ((SECURITY, "sensitive"), (CONCURRENCY, CONCURRENCY)):
        found += [reason for text in texts for reason in text.evidence(signal, name)]
    new = [reason for text in texts for reason in _novel(text, stated=text is task)]
    return found + (new or _broad(task))


def _said_below(task: TaskText, others: Sequence[TaskText]) -> list[Evidence]:
    """Return the evidence that the text below a title without a verb asks for a mechanical edit."""
    demands = [group for text in (task, *others) for group in _DEMANDS if text.live_hits(group)]
    demands += [group for group in ("software", "fault") if task.live_hits(group)]
    if demands or _STATED not in task.asks[0].kinds:
        return []
    found = [reason for text in others for reason in _small(text)]
    return found if {reason.signal for reason in found} == {MECHANICAL} else []


def _enlarges(text: TaskText, ask: Ask) -> bool:
    """Return whether an ask of an issue's text is for more than a small edit or documents."""
    name = _name(text, ask.verb + 1)
    demands = any(text.live_hits(group, ask) for group in ("concept", *_GUARDED))
    more = "software" in name or (demands and "document part" not in name)
    return more and _nature(text, ask)[0] in _MAKING


def _nature(text: TaskText, ask: Ask) -> tuple[str, str]:
    """Return the kind of an ask, and the words that show it."""
    verb, failing = text.words[ask.verb].spelled, text.words[ask.verb].sentence in text.failing
    if {"mechanical edit", "same edit"} & {*ask.kinds} and not (text.guards or failing):
        return MECHANICAL, verb
    document = _document(text, ask)
    if document:
        return DOCUMENTATION, document
    if "obvious edit" in ask.kinds and not _is_at_stake(text, ask):
        return OBVIOUS, verb
    makes = failing or {"building", "permitting"} & {*ask.kinds}
    kinds = (("mechanical", MECHANICAL, text.guards), ("obvious", OBVIOUS, makes))
    for group, kind in ((group, kind) for group, kind, barred in kinds if not barred):
        for hit in text.live_hits(group, ask):
            if _name(text, hit.end)[-1:] != ["software"]:
                return kind, text.quote(hit)
    tests = text.live_hits("tests", ask._replace(end=ask.verb + _NEAR))
    return TESTS if tests else ask.kinds[-1], verb


def _is_at_stake(text: TaskText, ask: Ask) -> bool:
    """Return whether an ask sets what people pay or get, not a word about it."""
    return _name(text, ask.verb + 1, "small object", "stake")[-1:] == ["stake"]


def _document(text: TaskText, ask: Ask) -> str:
    """Return the document that an ask changes, empty if it changes another thing or behaviour."""
    verb = text.words[ask.verb]
    if verb.sentence in text.faulty or text.leaks or text.live_hits("producing", ask):
        return ""
    if verb.text == "document":
        return verb.spelled
    if "document edit" not in ask.kinds and _name(text, ask.verb + 1)[-1:] == ["software"]:
        return ""
    for hit in text.live_hits("document", ask):
        word, before = text.words[hit.first], text.words[max(hit.first - 1, 0)].text
        acting = (
            _STATED in ask.kinds
            and word.clause in text.acting
            and word.sentence not in text.textual
        )
        is_software = before in entries("beside") or _name(text, hit.end)[-1:] == ["software"]
        if not acting and not is_software:
            return text.quote(hit)
    files = text.files(ask.first, ask.end)
    return files[0] if files and all(map(is_document_path, files)) else ""


def _name(text: TaskText, first: int, *more: str) -> list[str]:
    """Return the words, in groups, of a name that begins or continues at `first`."""
    end = first
    while end < min(first + _NAME, len(text.words)):
        word = text.words[end]
        if word.clause != text.words[first - 1].clause or word.text in entries("end of a name"):
            break
        end += 1
    groups = ("document", "software", "document part", *more)
    hits = [hit for name in groups for hit in text.live_hits(name, Ask((), first, first, end))]
    return [hit.group for hit in sorted(hits, key=lambda hit: hit.first)]


def _small(task: TaskText) -> list[Evidence]:
    """Return the evidence that all a task asks for is mechanical, obvious or documentation."""
    natures = [_nature(task, ask) for ask in task.asks]
    kinds = {kind for kind, _ in natures}
    tests = [] if kinds == {MECHANICAL} else task.live_hits("tests")
    if not kinds <= _HARMLESS or tests or task.live_hits("not mechanical"):
        return []
    found = [] if kinds == {MECHANICAL} else task.evidence(MECHANICAL, "spread")[:1]
    for kind, quote in dict.fromkeys(natures):
        mixed = kind == DOCUMENTATION and kinds != {DOCUMENTATION}
        found.append(Evidence(OBVIOUS if mixed else kind, quote, task.source))
    return found


def _slight(task: TaskText) -> list[Evidence]:
    """Return the evidence that a task edits small things, and no behaviour."""
    thought = ("behaviour", "fault", "not mechanical", CONCURRENCY, "novel edit", "tests")
    if task.failing or any(map(task.live_hits, thought)) or _novel(task, stated=True):
        return []
    edits = {hit.first for hit in task.live_hits("small edit")}
    for ask in task.asks:
        is_new = ask.verb not in edits or _name(task, ask.verb + 1)[-1:] == ["software"]
        if (is_new and _nature(task, ask)[0] in _MAKING) or _is_at_stake(task, ask):
            return []
    groups = ("small edit", "small object")
    found = [task.quote(hit) for hit in task.apart(groups)]
    if len(found) < len(groups):
        return []
    kind = DOCUMENTATION if _document(task, Ask((), 0, 0, len(task.words))) else OBVIOUS
    return [Evidence(kind, " … ".join(found), task.source)]


def _novel(text: TaskText, *, stated: bool) -> list[Evidence]:
    """Return what is to be built that is not there yet; `stated`: also without a verb."""
    found = []
    for hit in (*text.live_hits("reshaping"), *text.live_hits("concept")):
        ask = next((a for a in text.asks if a.first <= hit.first < a.end), None)
        sentence = text.words[hit.first].sentence
        if hit.group == "reshaping":
            is_new = sentence not in text.faulty
        elif ask is None or _STATED in ask.kinds:
            is_new = stated and sentence not in text.stated
        else:
            is_new = _nature(text, ask)[0] in _MAKING
        if is_new:
            found.append(Evidence(NEW, text.quote(hit), text.source))
    return list(dict.fromkeys(found))


def _broad(task: TaskText) -> list[Evidence]:
    """Return the evidence that a task makes several kinds of demands at once."""
    kinds = {_nature(task, ask)[0] for ask in task.asks}
    hits = task.apart(_DEMANDS, () if kinds & _MAKING else task.stated)
    several = len(hits) + (len(_named(task, "domain: ")) > 1) > 1 and kinds & {*_MAKING, _STATED}
    return [Evidence(NEW, task.quote(hit), task.source) for hit in hits] if several else []


# --- how far a task reaches ---------------------------------------------------------------------


def scope_of(task: TaskText, issue_text: str, evidence: Sequence[Evidence]) -> Scope:
    """Return what the texts say about a task's files and of the parts that it changes."""
    signals = {reason.signal for reason in evidence}
    domains = {} if signals & _HARMLESS else _declared(issue_text) or _named(task, "domain: ")
    named = len(set(task.files()))
    spread = task.live_hits("spread")
    if signals & _HARMLESS:
        least, quote = (_SOME, MECHANICAL) if MECHANICAL in signals else (1, "one place")
        if spread:
            least, quote = _MANY, task.quote(spread[0])
        return Scope(max(least, named), (), (Evidence(FILES, quote, task.source),))
    parts = [*domains, *_named(task, "part: ")] or ["code"]
    tested = [] if NO_TESTS in signals and TESTS not in signals else ["tests"]
    count = max(len(parts) + len(tested), named)
    if NEW in signals:  # each new part has its own files and tests
        count = max(2 * len(parts), count, _LEAST_ANEW)
    why = Evidence(FILES, ", ".join([*parts, *tested]), "estimate")
    return Scope(count, tuple(domains), (why, *domains.values()))


def _declared(issue_text: str) -> dict[str, Evidence]:
    """Return the domains that an issue declares; they are not checked."""
    try:
        declared = parse_issue(issue_text, "issue").domains
    except MalformedIssue:
        return {}
    return {name: Evidence(SCOPE, ", ".join(at), "issue") for name, at in declared.items()}


def _named(task: TaskText, prefix: str) -> dict[str, Evidence]:
    """Return the groups of the lexicon with a prefix that a task asks for, by their names."""
    hits = task.apart(name for name in task.hits if name.startswith(prefix))
    return {
        hit.group.removeprefix(prefix): Evidence(SCOPE, task.quote(hit), task.source)
        for hit in hits
    }


# --- what a plan says about them ----------------------------------------------------------------


def scope_of_plan(plan: Plan) -> Scope:
    """Return a plan's files counted, and the folders of parts that they are in, tests too.

    Documents, and files outside the folders of parts (`src/app.js`), belong to no part.
    """
    files = list(dict.fromkeys(plan["affected_files"]))
    domains = {domain: file for file in reversed(files) if (domain := _domain(file))}
    evidence = [Evidence(FILES, f"affected_files: {', '.join(files)}", "plan")]
    evidence += [Evidence(SCOPE, domains[name], "plan") for name in sorted(domains)]
    return Scope(len(files), tuple(sorted(domains)), tuple(evidence))


def _domain(file: str) -> str:
    """Return the part that a file belongs to: its first folder that only that part has."""
    if is_document_path(file) and not is_test_path(file):
        return ""
    return next(
        (part for part in file.split("/")[:-1] if part.lower() not in entries("folder of parts")),
        "",
    )


def with_plan(plan: Plan, evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence, updated by what a plan says about tests and documents."""
    files = plan["affected_files"]
    tests = [file for file in files if is_test_path(file)]
    documents = not tests and all(map(is_document_path, files))
    decided = (TESTS, NO_TESTS, *(() if documents else (DOCUMENTATION,)))
    found = [reason for reason in evidence if reason.signal not in decided]
    found += [Evidence(TESTS, file, "plan") for file in tests]
    if documents:
        found.append(Evidence(DOCUMENTATION, ", ".join(files[:3]), "plan"))
    return found
