"""What to do about a failure: the lesson, then hints in stages as often as they are asked for."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from pipeline.display import visible
from verify.reporters.columns import INDENT, filled
from verify.verdicts import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.model import Check, Result
    from verify.reporters.base import View
    from verify.verdicts import Finding

LOOK, CHANGE, EXAMPLE = 1, 2, 3  # how often --hint is given


def advice_lines(result: Result, view: View, page: str) -> list[str]:
    """Return what to do about a check that failed; `page` is the tutorial that explains it.

    A finding's own action replaces what the check would change: it is made from what was found.
    """
    width = max(view.width, 40)
    findings = result.verdict.findings
    actions = dict.fromkeys(finding.action for finding in findings if finding.action)
    lines = [line for action in actions for line in _labelled("To do:", action, width)]
    if result.outcome is not Outcome.FAIL:
        return lines
    lesson = f"{page}#{result.check.anchor}"
    if not view.hints:
        return lines if _all_told(findings) else [*lines, f"{INDENT}To do: read {lesson}"]
    stage = LOOK if _all_told(findings) else view.hints
    return [*lines, *_hint_lines(result.check, stage, width), f"{INDENT}Lesson: {lesson}"]


def offer(results: Iterable[Result], view: View) -> str:
    """Return the line that offers the next stage of hints, empty where there is none."""
    failures = [result for result in results if result.outcome is Outcome.FAIL]
    changeable = [r.check for r in failures if not _all_told(r.verdict.findings)]
    if failures and view.hints < LOOK:
        return "For hints, add: --hint"
    if changeable and view.hints < CHANGE:
        return "For what to change, add --hint once more."
    if view.hints < EXAMPLE and any(check.example for check in changeable):
        return "For an example, add --hint once more."
    return ""


def _all_told(findings: Iterable[Finding]) -> bool:
    """Tell whether each finding says itself what to do."""
    return all(finding.action for finding in findings)


def _hint_lines(check: Check, stage: int, width: int) -> list[str]:
    lines = _labelled("Look at:", check.look, width)
    if stage >= CHANGE:
        lines += _labelled("Change:", check.hint, width)
    if stage >= EXAMPLE and check.example:
        lines.append(f"{INDENT}Example:")
        lines += textwrap.indent(check.example, INDENT * 2).split("\n")
    return lines


def _labelled(label: str, text: str, width: int) -> list[str]:
    return filled(f"{INDENT}{label} {visible(text, 1_000)}", width, subsequent_indent=INDENT * 2)
