"""Proves what a learner reads: hints for every check, and its place in the exercise's tutorial."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from pipeline.limits import MAX_BYTES
from pipeline.reading import MISSING, Unreadable, read_file
from verify.selftest.defects import HINTS, TUTORIALS, Defect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.model import Exercise
    from verify.selftest.course import Course

_ANCHOR = re.compile(r'<a id="([^"]*)">')
_TABLE = "verify/selftest/examples.py"


def hint_defects(course: Course, exercise: Exercise) -> Iterator[Defect]:
    """Yield the checks whose hints say nothing, and those that are wrongly said to have none."""
    for check in exercise.checks:
        for name, text in (("look", check.look), ("hint", check.hint)):
            if not text.strip():
                what = f"the check has no {name}"
                yield Defect(HINTS, check.code, what, f"Give it `{name}` in its declaration.")
        if not check.example and check.code not in course.without_example:
            to_do = f"Give it `example` in its declaration, or say in {_TABLE} why it has none."
            yield Defect(HINTS, check.code, "the check shows no example", to_do)
    exampled = {check.code: check.example for check in exercise.checks}
    for code in course.without_example:
        if code.startswith(f"{exercise.code}.") and exampled.get(code, code):
            what = f"{_TABLE} says why {code} shows no example, and it "
            what += "shows one" if code in exampled else f"is no check of {exercise.name}"
            yield Defect(HINTS, code, what, f"Take it out of {_TABLE}.")


def page_defects(course: Course, exercise: Exercise) -> Iterator[Defect]:
    """Yield what is wrong with the tutorial of an exercise: missing, or its anchors."""
    try:
        anchors = _ANCHOR.findall(
            read_file(os.path.join(course.root, exercise.page), MAX_BYTES).decode()
        )
    except Unreadable as error:
        why = "is missing" if error.reason == MISSING else str(error)
        yield Defect(
            TUTORIALS, exercise.page, f"the tutorial of {exercise.name} {why}", "Write it."
        )
        return
    except UnicodeDecodeError:
        what = f"the tutorial of {exercise.name} is not UTF-8"
        yield Defect(TUTORIALS, exercise.page, what, "Save it as UTF-8.")
        return
    wanted = [check.anchor for check in exercise.checks]
    for check, anchor in zip(exercise.checks, wanted, strict=True):
        if anchors.count(anchor) != 1:
            what = f"{check.code} has {anchors.count(anchor) or 'no'} anchors in its tutorial"
            to_do = f'Write <a id="{anchor}"></a> once, where the page explains the check.'
            yield Defect(TUTORIALS, exercise.page, what, to_do)
    for anchor in dict.fromkeys(anchors):
        if anchor not in wanted:
            what = f"the anchor {anchor!r} belongs to no check of {exercise.name}"
            yield Defect(TUTORIALS, exercise.page, what, "Remove it, or spell the check's code.")
