"""Proves what a learner reads: hints for every check, and its place in the exercise's tutorial."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from verify.selftest.defects import HINTS, TUTORIALS, Defect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.model import Check, Exercise
    from verify.selftest.course import Course

_ANCHOR = re.compile(r'<a id="([^"]*)">')
# to do there is to put a file somewhere, or to think again: an example has nothing to show
_SELF_EVIDENT = re.compile(
    r"is where the pipeline looks for it|is in the|this machine has|is strict JSON"
    r"|installed|is clean|are clean|there and valid|array of exactly five|scenario|agents are those"
    r"|fit the scenarios|applies to every prompt|has a test step|two domains have"
)


def anchor_of(check: Check) -> str:
    """Return the name of a check's anchor in its tutorial, `f02-1` for F02.1."""
    return check.code.lower().replace(".", "-")


def hint_defects(exercise: Exercise) -> Iterator[Defect]:
    """Yield the checks whose hints say nothing."""
    for check in exercise.checks:
        for name, text in (("look", check.look), ("hint", check.hint)):
            if not text.strip():
                what = f"the check has no {name}"
                yield Defect(HINTS, check.code, what, f"Give it `{name}` in its declaration.")
        if not check.example and not _SELF_EVIDENT.search(check.title):
            what = "the check shows no example, though there is something to show"
            yield Defect(HINTS, check.code, what, "Give it `example` in its declaration.")


def page_defects(course: Course, exercise: Exercise) -> Iterator[Defect]:
    """Yield what is wrong with the tutorial of an exercise: missing, or its anchors."""
    try:
        with open(os.path.join(course.root, exercise.page), encoding="utf-8") as file:
            anchors = _ANCHOR.findall(file.read())
    except FileNotFoundError:
        what = f"the tutorial of {exercise.name} is missing"
        yield Defect(TUTORIALS, exercise.page, what, "Write it.")
        return
    wanted = [anchor_of(check) for check in exercise.checks]
    for check, anchor in zip(exercise.checks, wanted, strict=True):
        if anchors.count(anchor) != 1:
            what = f"{check.code} has {anchors.count(anchor) or 'no'} anchors in its tutorial"
            to_do = f'Write <a id="{anchor}"></a> once, where the page explains the check.'
            yield Defect(TUTORIALS, exercise.page, what, to_do)
    for anchor in dict.fromkeys(anchors):
        if anchor not in wanted:
            what = f"the anchor {anchor!r} belongs to no check of {exercise.name}"
            yield Defect(TUTORIALS, exercise.page, what, "Remove it, or spell the check's code.")
