"""Classifies one task: the rules that decide its tier, its record, and the reasons for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from pipeline.classify.signals import (
    ACCESS,
    CONCURRENCY,
    DOCUMENTATION,
    MECHANICAL,
    NEW,
    NO_TESTS,
    OBVIOUS,
    SECURITY,
    TESTS,
    TaskText,
    evidence_of,
    scope_of,
    scope_of_plan,
    with_plan,
)
from pipeline.classify.words import LIMIT
from pipeline.tiers import ROUTING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipeline.classify.signals import Evidence
    from pipeline.schema import Classification, Plan

Tier = Literal["trivial", "standard", "complex"]


class Signals(NamedTuple):
    """What is known about a task."""

    names: frozenset[str] = frozenset()  #: of its signals
    file_count: int = 1  #: an estimate where no plan was given
    domains: tuple[str, ...] = ()  #: the parts that it changes


class TierRule(NamedTuple):
    """One rule."""

    tier: Tier
    sentence: str  #: for people
    holds: Callable[[Signals], bool]  #: whether it applies


# Specification, section 2.5; the sentences are in the IDE's rule and on the docs' page as well.
RULES = (
    TierRule(
        "trivial",
        "A purely mechanical task, such as a rename, is `trivial`, however many files change.",
        lambda task: MECHANICAL in task.names,
    ),
    TierRule(
        "complex",
        "Authentication or authorization that needs new abstractions is `complex`, however few"
        " files change.",
        lambda task: {ACCESS, NEW} <= task.names,
    ),
    TierRule(
        "complex",
        "New abstractions together with concurrency, security or a second domain are `complex`.",
        lambda task: (
            NEW in task.names
            and (bool({CONCURRENCY, SECURITY} & task.names) or len(task.domains) > 1)
        ),
    ),
    TierRule(
        "trivial",
        "Documentation, or an obvious edit in one file that is not about security, is `trivial` if"
        " it needs no tests.",
        lambda task: (
            task.file_count <= 1
            and (DOCUMENTATION in task.names or {OBVIOUS, SECURITY} & task.names == {OBVIOUS})
            and TESTS not in task.names
        ),
    ),
    TierRule(
        "standard",
        "Everything else is `standard`, for example an endpoint with validation and tests.",
        lambda _: True,
    ),
)


def decide(signals: Signals) -> TierRule:
    """Return the first rule that holds; the last one always does."""
    return next(rule for rule in RULES if rule.holds(signals))


class Judgement(NamedTuple):
    """What is said about a task."""

    record: Classification  #: exactly the fields of the specification
    rule: TierRule  #: the one that decided
    signals: Signals
    evidence: tuple[Evidence, ...]  #: for each signal


def classify(task: str, *, issue_text: str = "", plan: Plan | None = None) -> Judgement:
    """Classify a task by its text, and by what else is known about it.

    Args:
        task: one sentence or a whole report; its first 20,000 characters are read. Of a report
            the first paragraph is the task, and the whole is the issue's text if there is none.
        issue_text: the Markdown of the issue that the task belongs to. It decides alone.
        plan: a valid plan; its files take the place of what is guessed from words.
    """
    text = issue_text or task
    head, _, rest = text[:LIMIT].strip("\ufeff \t\r\n").partition("\n")
    is_report = head.startswith("# ") or rest.startswith(("\n", "\r\n"))
    reading = TaskText(head if is_report else text, "task")
    issue_text = text if is_report else ""
    below = [TaskText(issue_text, "issue")] if issue_text else []
    evidence = evidence_of(reading, below)
    scope = scope_of(reading, issue_text, evidence)
    if plan is not None:
        scope, evidence = scope_of_plan(plan), with_plan(plan, evidence)
    names = {reason.signal for reason in evidence}
    if ACCESS in names:
        names.add(SECURITY)
    signals = Signals(frozenset(names), scope.file_count, scope.domains)
    rule = decide(signals)
    record = _record(task, signals, rule, evidence)
    return Judgement(record, rule, signals, (*scope.evidence, *evidence))


def _record(
    task: str, signals: Signals, rule: TierRule, evidence: Sequence[Evidence]
) -> Classification:
    several = len(signals.domains) > 1
    count = signals.file_count
    files = "single file" if count == 1 else f"{count} files"
    parts = [f"several domains: {', '.join(signals.domains)}"] * several
    names = dict.fromkeys(reason.signal for reason in evidence)
    if DOCUMENTATION in names and TESTS not in names:
        names[NO_TESTS] = None
    return {
        "task": task,
        "file_count": count,
        "domain_scope": "cross-domain" if several else "single",
        "signals": [files, *parts, *names],
        "tier": rule.tier,
        "agents": list(ROUTING[rule.tier]),
    }
