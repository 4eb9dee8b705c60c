"""Classifies one task: its record (specification, section 2.5) and the reasons for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipeline.classifying import estimates, planned, textual, tree
from pipeline.classifying.reading import read
from pipeline.classifying.rules import Rule, decide
from pipeline.classifying.signals import Evidence, Scope, Signals
from pipeline.classifying.words import LIMIT
from pipeline.tiers import ROUTING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.classifying.reading import Reading
    from pipeline.schema import Classification, Plan


class Judgement(NamedTuple):
    """What a task is held for: the record, the rule that decided, and the evidence for each signal.

    `record` holds exactly the fields of the specification and validates as one of its records.
    """

    record: Classification
    rule: Rule
    signals: Signals
    evidence: tuple[Evidence, ...]


def classify(
    task: str,
    *,
    issue_text: str = "",
    criteria: Sequence[str] = (),
    plan: Plan | None = None,
    root: str = "",
) -> Judgement:
    """Classify a task by its text, and by what else is known of it.

    Args:
        task: one sentence or a whole report; its first 20,000 characters are read. Of a report
            the first paragraph is the task, and the whole is the issue's text if there is none.
        issue_text: the Markdown of the issue that the task belongs to.
        criteria: its acceptance criteria, where they are not in `issue_text`.
        plan: a valid plan; its files take the place of what is guessed from words.
        root: the folder of the target project: names in the text are looked up there.

    The same arguments give the same judgement; with `root`, so long as the files are the same.
    """
    headline, issue_text = _headline(task, issue_text)
    reading = read(headline, "task")
    others = [
        read(text, source)
        for text, source in ((issue_text, "issue"), ("\n\n".join(criteria), "criteria"))
        if text
    ]
    evidence = textual.evidence_of(reading, others)
    scope = estimates.scope_of(reading, issue_text, evidence)
    if plan is not None:
        scope = planned.scope_of(plan)
        evidence = _by_plan(plan, evidence, root)
    elif root:
        scope = _by_project(reading, scope, evidence, root)
    signals = _signals(evidence, scope)
    rule = decide(signals)
    reasons = (*scope.evidence, *evidence)
    return Judgement(_record(task, signals, rule, evidence), rule, signals, reasons)


def _headline(task: str, issue_text: str) -> tuple[str, str]:
    """Return the task proper, and the issue's text."""
    head, _, rest = task[:LIMIT].strip().partition("\n")
    if not issue_text and (head.startswith("# ") or rest.startswith(("\n", "\r\n"))):
        return head, task
    return task, issue_text


def _by_plan(plan: Plan, evidence: Sequence[Evidence], root: str) -> list[Evidence]:
    """Return the evidence with what a plan says of tests, documents and new parts."""
    told = [each for each in evidence if each.signal not in (textual.TESTS, textual.NO_TESTS)]
    told = [*told, *planned.planned_tests(plan)]
    if planned.documents_only(plan):
        names = ", ".join(plan["affected_files"][:3])
        told.append(Evidence(textual.DOCUMENTATION, names, "plan"))
    else:
        told = [each for each in told if each.signal != textual.DOCUMENTATION]
    return [*told, *(planned.new_parts(plan, root) if root else ())]


def _by_project(reading: Reading, scope: Scope, evidence: Sequence[Evidence], root: str) -> Scope:
    """Return the scope with files counted in the project: those that a renamed symbol stands in."""
    symbol = textual.renamed_symbol(reading, evidence)
    files = tree.files_with(root, symbol) if symbol else []
    if files:
        why = Evidence("file count", f"{symbol} stands in {len(files)} files", "repository")
        return scope._replace(file_count=len(files), evidence=(why, *scope.evidence[1:]))
    there = [word.spelled for word in reading.code_words() if tree.exists(root, word.spelled)]
    there = list(dict.fromkeys(there))
    found = tuple(Evidence("file count", f"{name} exists", "repository") for name in there)
    most = max(scope.file_count, len(there))
    return scope._replace(file_count=most, evidence=(*scope.evidence, *found))


def _signals(evidence: Sequence[Evidence], scope: Scope) -> Signals:
    told = {each.signal for each in evidence}
    return Signals(
        file_count=scope.file_count,
        domains=scope.domains,
        mechanical=textual.MECHANICAL in told,
        obvious=textual.OBVIOUS in told,
        documentation=textual.DOCUMENTATION in told,
        security=not told.isdisjoint((textual.SECURITY, textual.ACCESS)),
        access_control=textual.ACCESS in told,
        new_abstractions=textual.NEW in told,
        concurrency=textual.CONCURRENCY in told,
        tests_wanted=textual.TESTS in told,
    )


def _record(
    task: str, signals: Signals, rule: Rule, evidence: Sequence[Evidence]
) -> Classification:
    count = signals.file_count
    files = "single file" if count == 1 else f"{count} files"
    parts = [f"several domains: {', '.join(signals.domains)}"] * (len(signals.domains) > 1)
    told = dict.fromkeys(each.signal for each in evidence)
    if signals.documentation and not signals.tests_wanted:
        told[textual.NO_TESTS] = None
    return {
        "task": task,
        "file_count": count,
        "domain_scope": signals.domain_scope,
        "signals": [files, *parts, *told],
        "tier": rule.tier,
        "agents": list(ROUTING[rule.tier]),
    }
