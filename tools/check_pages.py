"""The reference page of a level's checks: each kind of check explained once, an anchor per code."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from tools.markdown import fenced, plain
from tools.regions import RegionError
from verify.commands.explain import condition
from verify.course import catalog
from verify.grading.model import Outcome
from verify.reporters.base import View
from verify.reporters.table import failure_lines
from verify.selftest.course import submissions_of
from verify.selftest.fixtures import graded
from verify.selftest.shipped import the_course

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.grading.model import Check, Exercise, Report

_VIEW = View(command=lambda level, _: level, width=88)
_HEAD = """# The {title} checks

`python3 -m verify explain {code}` shows the same text for one check. An *advisory* check is worth
no points, and can fail an exercise only with `--strict`. Lessons: {lessons}."""
_CRITERIA = """## The acceptance criteria of the issue hold

Only with `--run`, the running service is asked each criterion of the issue. Without it these checks
are not checked, and leave passed and total. A failure shows what was sent, expected and found. The
last three of an exercise or issue are about the submission's tests, and asked with `--run-tests`.

"""
_GENERIC = (  # what differs between the titles of one kind of check
    (r"^ISSUE-\d+( \(\w+\))?: ", ""),
    (r"^(plan|work|git result) is (valid|completed)$", "each stage left a valid artifact"),
    (r"^(\S+\.json is|plan|work|git result) by x-.*", "the artifact is by the right agent"),
    (r"^\S+\.json ", "the artifact "),
    (r"^scenario \S+ ", "each scenario "),
    (r"^this machine has .*", "this machine has what the course needs"),
)


def checks_page(level: str) -> str:
    """Return the page that explains the checks of a level."""
    exercises = catalog.level(level)
    lessons = (f"[{e.name}](../{e.page.removeprefix('docs/')})" for e in exercises)
    code = exercises[0].checks[0].code
    head = _HEAD.format(title=level, code=code, lessons=", ".join(lessons))
    failures = {code: text for e in exercises for code, text in _failures(e).items()}
    sections = [_section(checks, failures) for checks in _kinds(exercises)]
    criteria = [c for e in exercises for c in catalog.asking(e).checks[len(e.checks) :]]
    sections += [_CRITERIA + "\n".join(map(_item, criteria))] if criteria else []
    return "\n\n".join([head, *sections]) + "\n"


def _kinds(exercises: tuple[Exercise, ...]) -> list[list[Check]]:
    """Return the checks that are asked for the same reason together, in the order of the first."""
    kinds: dict[str, list[Check]] = {}
    for exercise in exercises:
        for check in exercise.checks:
            kinds.setdefault(check.why, []).append(check)
    return list(kinds.values())


def _section(checks: list[Check], failures: dict[str, str]) -> str:
    code = checks[0].code
    if code not in failures:
        raise RegionError(f"no submission fails {code}: add a broken-… one to its exercise")
    parts = [
        f"## {plain(_title(checks))}",
        plain(checks[0].why),
        "\n".join(_item(check) for check in checks),
        *_advice("Look at", checks),
        *_advice("Change", checks),
        f"**When it fails:**\n\n{fenced(failures[code], 'text')}",
    ]
    examples = dict.fromkeys(check.example for check in checks if check.example)
    if examples:
        parts.append("**For example:**\n\n" + "\n\n".join(map(fenced, examples)))
    return "\n\n".join(parts)


def _title(checks: list[Check]) -> str:
    titles = {check.title for check in checks}
    if len(titles) > 1:
        titles = {_generic(title) for title in titles}
    if len(titles) > 1:
        raise RegionError(
            f"no heading for {', '.join(sorted(titles))} (tools/check_pages.py, _GENERIC)"
        )
    (title,) = titles
    is_name = re.match(r"\S+[._]|x-|blockers ", title)
    return title if is_name else title[0].upper() + title[1:]


def _generic(title: str) -> str:
    for pattern, words in _GENERIC:
        title = re.sub(pattern, words, title)
    return title


def _item(check: Check) -> str:
    points = "advisory" if check.advisory else f"{check.points} point{'s' * (check.points != 1)}"
    text = f'- <a id="{check.anchor}"></a>**{check.code}** {plain(check.title)} ({points}).'
    return f"{text} {plain(condition(check))}".rstrip()


def _advice(label: str, checks: list[Check]) -> Iterator[str]:
    """Yield a hint once, or the hints of each check if they differ."""
    texts = [check.look_at if label == "Look at" else check.hint for check in checks]
    if len(set(texts)) == 1:
        yield f"**{label}:** {plain(texts[0])}"
    else:
        for check, text in zip(checks, texts, strict=True):
            yield f"**{label} ({check.code}):** {plain(text)}"


def _failures(exercise: Exercise) -> dict[str, str]:
    """Return how each check looks when it fails, on the first submission that fails it."""
    shown: dict[str, str] = {}
    for report in _broken(exercise):
        for result in report.results:
            if result.outcome is Outcome.FAIL:
                lines = failure_lines(result, _VIEW)
                shown.setdefault(result.check.code, "\n".join(lines))
    return shown


def _broken(exercise: Exercise) -> Iterator[Report]:
    """Yield the reports on submissions that fail something, the broken ones before the unsolved."""
    course = the_course()
    for name in sorted(
        submissions_of(course, exercise), key=lambda name: (name == "unsolved", name)
    ):
        path = os.path.join(course.folder_of(exercise), name)
        yield graded(course, exercise, path)
