"""The signals of a task (specification, section 2.5), read from its text, each with its reason."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pipeline.classify.words import Hit, hits_in, live_words, words_of
from pipeline.protocol.conventions import is_document_path, is_test_path
from pipeline.protocol.issue import MalformedIssue, parse_issue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.schema import Plan

DOCUMENTATION, OBVIOUS, MECHANICAL = "documentation only", "obvious edit", "purely mechanical"
SECURITY, ACCESS, NEW = "security", "access control", "new abstractions"
CONCURRENCY, TESTS, NO_TESTS = "concurrency", "tests wanted", "no tests"
FILES, SCOPE = "file count", "domain scope"

_HARMLESS = {DOCUMENTATION, OBVIOUS, MECHANICAL}
_MAKING = {"building", "permitting", "restructuring"}
_VERBS = ("mechanical edit", "obvious edit", "document edit", *sorted(_MAKING), "fixing")
_STATED = "stated"  # an ask without a verb: `Plugin system for the exporter`
_DEMANDS = (ACCESS, SECURITY, CONCURRENCY, "scale", "guarantee", "concept")
_NEAR = 5  # words after a verb within which its object is looked for
_MANY, _SOME = 12, 3  # files of an edit `across the codebase`, and of a mechanical one elsewhere
_LEAST_ANEW = 4  # what is new has its own files, their tests and a place where it is used
_HOLDERS = {  # folders that contain a project's parts
    *("src", "lib", "app", "apps", "packages", "internal", "pkg", "cmd", "source", "sources"),
    *("sandbox", "main", "java", "kotlin", "python", "test", "tests", "__tests__", "spec", "unit"),
    *("integration", "e2e"),
}


class Evidence(NamedTuple):
    """Why a signal is set: the words that gave it, as written, and where they are.

    `source` is `task`, `issue`, `criteria` or `plan`, and `estimate` for a figure that no text
    gives.
    """

    signal: str
    quote: str
    source: str


class Scope(NamedTuple):
    """How far a task reaches: files, the parts of the system, and the evidence for both."""

    file_count: int
    domains: tuple[str, ...]
    evidence: tuple[Evidence, ...]


class Ask(NamedTuple):
    """One thing that is asked for: the groups of its verb, where that is, and its words."""

    kinds: tuple[str, ...]
    verb: int
    first: int
    end: int


class Reading:
    """One text that was read; `source` is its name in output: `task`, `issue`, `criteria`."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.words = words_of(text)
        self.hits = hits_in(self.words)
        self.live = live_words(self.words)
        self.asks = self._asks()

    def _asks(self) -> list[Ask]:
        verbs: dict[int, list[str]] = {}
        for hit in (hit for group in _VERBS for hit in self.live_hits(group)):
            if not hit.first or self.words[hit.first - 1].clause != self.words[hit.first].clause:
                verbs.setdefault(hit.first, []).append(hit.group)
        sentences = [word.sentence for word in self.words]
        asks: list[Ask] = []
        for verb, following in pairwise([*sorted(verbs), len(self.words)]):
            first = bisect_left(sentences, sentences[verb], asks[-1].end if asks else 0)
            end = bisect_right(sentences, sentences[verb], verb, following)
            asks.append(Ask(tuple(verbs[verb]), verb, first, end))
        return asks

    def live_hits(self, group: str, ask: Ask | None = None) -> list[Hit]:
        """Return a group's places that are asked for, or only those in one ask if it is given."""
        return [
            hit
            for hit in self.hits.get(group, ())
            if self.live[hit.first] and (ask is None or ask.first <= hit.first < ask.end)
        ]

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


def evidence_of(task: Reading, others: Sequence[Reading]) -> list[Evidence]:
    """Return the evidence for every signal that the texts give; the task's words come first."""
    natures = [_nature(task, ask) for ask in task.asks or [Ask((_STATED,), 0, 0, len(task.words))]]
    texts = (task, *others)
    found = [each for text in texts for each in text.evidence(NO_TESTS, "no tests")]
    if not any(_MAKING.intersection(ask.kinds) for text in others for ask in text.asks):
        small = _small(task, natures) or _slight(task)
        if small:
            return small + found
    found += task.evidence(TESTS, "tests")
    for signal in (ACCESS, SECURITY, CONCURRENCY):
        found += [each for text in texts for each in text.evidence(signal, signal)]
    new = [each for text in texts for each in _novel(text, stated=text is task)]
    return found + (new or _broad(task, natures))


def _nature(task: Reading, ask: Ask) -> tuple[str, str]:
    """Return the kind of an ask, and the words that show it: the object says more than the verb."""
    verb = task.words[ask.verb].spelled if task.words else ""
    if "mechanical edit" in ask.kinds:
        return MECHANICAL, verb
    for hit in task.live_hits("document", ask):
        if task.words[hit.first - 1].text not in ("with", "and", "plus"):
            return DOCUMENTATION, task.quote(hit)
    files = task.files(ask.first, ask.end)
    if files and all(map(is_document_path, files)):
        return DOCUMENTATION, files[0]
    if "obvious edit" in ask.kinds:
        return OBVIOUS, verb
    for group, kind in (("mechanical", MECHANICAL), ("obvious", OBVIOUS)):
        for hit in task.live_hits(group, ask):
            return kind, task.quote(hit)
    tests = task.live_hits("tests", ask._replace(end=ask.verb + _NEAR))
    return TESTS if tests else ask.kinds[0], verb


def _small(task: Reading, natures: Sequence[tuple[str, str]]) -> list[Evidence]:
    """Return the evidence that all a task asks for is mechanical, obvious or documentation."""
    kinds = {kind for kind, _ in natures}
    if not kinds <= _HARMLESS or any(map(task.live_hits, ("not mechanical", "tests"))):
        return []
    found = [] if kinds == {MECHANICAL} else task.evidence(MECHANICAL, "spread")[:1]
    for kind, quote in dict.fromkeys(natures):
        mixed = kind == DOCUMENTATION and kinds != {DOCUMENTATION}
        found.append(Evidence(OBVIOUS if mixed else kind, quote, task.source))
    return found


def _slight(task: Reading) -> list[Evidence]:
    """Return the evidence that a task edits small things, and no behaviour."""
    thought = ("behaviour", "not mechanical", CONCURRENCY, "novel edit", "tests")
    if any(map(task.live_hits, thought)) or _novel(task, stated=True):
        return []
    edits, objects = task.live_hits("small edit"), task.live_hits("small object")
    if not edits or not objects:
        return []
    return [Evidence(OBVIOUS, f"{task.quote(edits[0])} … {task.quote(objects[0])}", task.source)]


def _novel(text: Reading, *, stated: bool) -> list[Evidence]:
    """Return what is to be built that is not there yet; `stated`: also without a verb."""
    found = []
    for hit in text.live_hits("concept"):
        ask = next((a for a in text.asks if a.first <= hit.first < a.end), None)
        made = ask and _MAKING.intersection(ask.kinds) and _nature(text, ask)[0] in _MAKING
        if made or (stated and ask is None):
            found.append(Evidence(NEW, text.quote(hit), text.source))
    return list(dict.fromkeys(found))


def _broad(task: Reading, natures: Sequence[tuple[str, str]]) -> list[Evidence]:
    """Return the evidence that a task makes several kinds of demands at once."""
    demands = [each for group in _DEMANDS for each in task.evidence(NEW, group)[:1]]
    several = len(demands) + (len(_named(task, "domain: ")) > 1) > 1
    return demands if several and any(k in (*_MAKING, _STATED) for k, _ in natures) else []


# --- how far a task reaches ---------------------------------------------------------------------


def scope_of(task: Reading, issue_text: str, evidence: Sequence[Evidence]) -> Scope:
    """Return what the texts say about a task's files and of the parts that it changes."""
    signals = {each.signal for each in evidence}
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


def _named(task: Reading, prefix: str) -> dict[str, Evidence]:
    """Return the groups of the lexicon with a prefix that a task asks for, by their names."""
    found = {
        g.removeprefix(prefix): task.evidence(SCOPE, g) for g in task.hits if g.startswith(prefix)
    }
    return {name: evidence[0] for name, evidence in found.items() if evidence}


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
    return next((part for part in file.split("/")[:-1] if part.lower() not in _HOLDERS), "")


def with_plan(plan: Plan, evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence, updated by what a plan says about tests and documents."""
    files = plan["affected_files"]
    tests = [file for file in files if is_test_path(file)]
    documents = not tests and all(map(is_document_path, files))
    decided = (TESTS, NO_TESTS, *(() if documents else (DOCUMENTATION,)))
    found = [each for each in evidence if each.signal not in decided]
    found += [Evidence(TESTS, file, "plan") for file in tests]
    if documents:
        found.append(Evidence(DOCUMENTATION, ", ".join(files[:3]), "plan"))
    return found
