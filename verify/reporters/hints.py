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

    A finding's own next step stands instead of the check's hints where these would be wrong
    advice: a file that cannot be read is not mended by looking at its fields.
    """
    width = max(view.width, 40)
    findings = result.verdict.findings
    steps = dict.fromkeys(finding.next_step for finding in findings if finding.next_step)
    lines = [line for step in steps for line in _labelled("To do:", step, width)]
    if all(finding.next_step for finding in findings):
        return lines
    lesson = f"{page}#{result.check.anchor}"
    if not view.hints:
        return [*lines, f"{INDENT}To do: read {lesson}"]
    return [*lines, *_hint_lines(result.check, view.hints, width), f"{INDENT}Lesson: {lesson}"]


def offer(results: Iterable[Result], view: View) -> str:
    """Return the line that offers the next stage of hints, empty where there is none."""
    hinted = [r.check for r in results if r.outcome is Outcome.FAIL and _hinted(r.verdict.findings)]
    if not hinted:
        return ""
    if view.hints < LOOK:
        return "For hints, add: --hint"
    if view.hints < CHANGE:
        return "For what to change, add --hint once more."
    if view.hints < EXAMPLE and any(check.example for check in hinted):
        return "For an example, add --hint once more."
    return ""


def _hinted(findings: Iterable[Finding]) -> bool:
    return not all(finding.next_step for finding in findings)


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
