"""Estimates how many files a task changes and which parts of the system, from its text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.classifying.signals import Evidence, Scope
from pipeline.classifying.textual import DOCUMENTATION, MECHANICAL, NEW, NO_TESTS, OBVIOUS, TESTS
from pipeline.protocol.issue import MalformedIssue, parse_issue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.classifying.reading import Reading

MANY = 12  # files of an edit `across the codebase`, where nothing counts them
_SOME = 3  # files of a mechanical edit that says nothing of where
_LEAST_ANEW = 4  # what is new has its own files, their tests and a place where it is used
_DOMAIN, _PART = "domain: ", "part: "
_COUNTED = re.compile(r"[1-9][0-9]{0,3}")
_FILES = frozenset({"file", "files", "modules", "places", "packages", "call", "components"})
_A_FILE = re.compile(r"(?:[\w@.-]{1,60}/){0,12}[\w@.-]{0,60}\.[A-Za-z][A-Za-z0-9]{0,5}")
FILES, SCOPE = "file count", "domain scope"


def scope_of(task: Reading, issue_text: str, evidence: Sequence[Evidence]) -> Scope:
    """Return what the texts tell of a task's files and of the parts that it changes."""
    kinds = {each.signal for each in evidence}
    small = bool(kinds & {MECHANICAL, OBVIOUS, DOCUMENTATION})
    domains = {} if small else _domains(task, issue_text)
    count, why = _file_count(task, kinds, domains)
    return Scope(count, tuple(domains), (why, *domains.values()))


def _domains(task: Reading, issue_text: str) -> dict[str, Evidence]:
    """Return the parts that have to change, each with what names it.

    An issue that declares its domains is believed; the words of the task are asked otherwise.
    """
    declared = _declared(issue_text)
    if declared:
        return {name: Evidence(SCOPE, ", ".join(at), "issue") for name, at in declared.items()}
    found: dict[str, Evidence] = {}
    for group in task.hits:
        if group.startswith(_DOMAIN):
            for hit in task.live_hits(group):
                name = group.removeprefix(_DOMAIN)
                found.setdefault(name, Evidence(SCOPE, task.quote(hit), task.source))
    return found


def _declared(issue_text: str) -> Mapping[str, tuple[str, ...]]:
    if "## Domains" not in issue_text:
        return {}
    try:
        return parse_issue(issue_text, "issue").domains
    except MalformedIssue:
        return {}


def _file_count(
    task: Reading, signals: set[str], domains: Mapping[str, Evidence]
) -> tuple[int, Evidence]:
    """Return the estimate and what it rests on."""
    named = list(
        dict.fromkeys(w.spelled for w in task.code_words() if _A_FILE.fullmatch(w.spelled))
    )
    said = _said(task)
    if said:
        return int(said.split()[0]), Evidence(FILES, said, task.source)
    if signals & {MECHANICAL, OBVIOUS, DOCUMENTATION}:
        count, quote = _of_a_small_task(task, signals, len(named))
        return count, Evidence(FILES, quote, task.source)
    parts = _parts(task, domains)
    tested = [] if NO_TESTS in signals and TESTS not in signals else ["tests"]
    count = max(len(parts) + len(tested), len(named), 1)
    if NEW in signals:  # each new part has files of its own, and tests of their own
        count = max(2 * len(parts), len(parts) + len(tested), len(named), _LEAST_ANEW)
    return count, Evidence(FILES, ", ".join([*parts, *tested]), "estimate")


def _of_a_small_task(task: Reading, signals: set[str], named: int) -> tuple[int, str]:
    spread = task.live_hits("spread")
    if spread:
        return max(MANY, named), task.quote(spread[0])
    if MECHANICAL in signals:
        return max(named, _SOME), MECHANICAL
    return max(named, 1), "one place"


def _parts(task: Reading, domains: Mapping[str, Evidence]) -> list[str]:
    """Return what a task has to write, tests apart: the parts of the system and what they need."""
    more = [g.removeprefix(_PART) for g in task.hits if g.startswith(_PART) and task.live_hits(g)]
    return [*domains, *more] or ["code"]


def _said(task: Reading) -> str:
    """Return the number of files that the text itself tells, such as `3 files`."""
    for word, after in zip(task.words, task.words[1:], strict=False):
        if after.text in _FILES and _COUNTED.fullmatch(word.text):
            return f"{word.spelled} {after.spelled}"
    return ""
