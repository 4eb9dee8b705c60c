"""The rules that decide a task's tier: the first that holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.classifying.signals import Signals

Tier = Literal["trivial", "standard", "complex"]


class Rule(NamedTuple):
    """One rule: the tier that it gives, its sentence for people, and when it holds."""

    tier: Tier
    sentence: str
    holds: Callable[[Signals], bool]


def _mechanical(signals: Signals) -> bool:
    return signals.mechanical


def _guards_anew(signals: Signals) -> bool:
    return signals.access_control and signals.new_abstractions


def _reaches_far(signals: Signals) -> bool:
    return signals.new_abstractions and (
        signals.concurrency or signals.security or len(signals.domains) > 1
    )


def _small(signals: Signals) -> bool:
    return (
        signals.file_count <= 1
        and (signals.documentation or signals.obvious)
        and not signals.tests_wanted
    )


def _always(_signals: Signals) -> bool:
    return True


# Specification, section 2.5; the sentences stand in the IDE's rule and on the docs' page as well.
RULES = (
    Rule(
        "trivial",
        "Purely mechanical: `trivial`, however many files. A rename across the codebase is"
        " trivial.",
        _mechanical,
    ),
    Rule(
        "complex",
        "Authentication or authorization that needs new abstractions: `complex`, however few"
        " files.",
        _guards_anew,
    ),
    Rule(
        "complex",
        "New abstractions together with concurrency, security or a second domain: `complex`.",
        _reaches_far,
    ),
    Rule(
        "trivial",
        "One file, documentation or an obvious edit, no tests needed: `trivial`.",
        _small,
    ),
    Rule(
        "standard",
        "Anything else that follows patterns that are there: `standard`, such as an endpoint with"
        " validation and tests.",
        _always,
    ),
)


def decide(signals: Signals) -> Rule:
    """Return the first rule that holds; the last one always does."""
    return next(rule for rule in RULES if rule.holds(signals))
