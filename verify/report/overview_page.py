"""The overview: what a cohort's figures are, in words, bars and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from verify.report.entry import Rows, described
from verify.report.groups import CopyGroups, Failures
from verify.report.outcomes import SIGNS
from verify.report.tally import Tally, hardest_first
from verify.report.templates import json_block, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import ExerciseInfo
    from verify.report.entry import Entry
    from verify.report.tally import CheckFigures
    from verify.report.templates import Templates

FAILURES, COPIES = 25, 50  # groups that are shown
NAMES = 30  # learners of a group that are linked; the table shows all
BARS = 21  # more possible scores than this share bars
_MARKS = ("pass", "fail", "missing", "unresolved", "error")
_WORDS = {"pass": "passed", "skip": "skipped", "fail": "failed", "error": "not graded"}


class Survey:
    """What one walk over a cohort gathers: figures, failures, copies and rows."""

    def __init__(self, cohort: Cohort) -> None:
        self.has_roster = cohort.has_roster
        self.tally = Tally(cohort.exercises)
        self.failures = Failures()
        self.copies = CopyGroups(cohort.copies())
        self.rows = Rows()

    def add(self, entry: Entry) -> None:
        """Take note of one standing."""
        self.tally.add(entry, has_roster=self.has_roster)
        self.failures.add(entry)
        copies = self.copies.add(entry)
        self.rows.add(entry, has_roster=self.has_roster, copies=copies)


class Part(NamedTuple):
    """A part of a bar: an outcome, how many have it, and where it is drawn, out of 100."""

    outcome: str
    number: int
    start: float
    width: float

    @property
    def word(self) -> str:
        """Return the outcome as it follows a number."""
        return _WORDS.get(self.outcome, self.outcome)


class Bar(NamedTuple):
    """One bar of the distribution: the scores from `low` to `high`, both included."""

    low: int
    high: int
    number: int
    width: float  # of the longest bar, which is 100


def overview(templates: Templates, survey: Survey) -> bytes:
    """Return the overview's page."""
    tally = survey.tally
    noun = "attempt" if tally.attempts else "learner"
    failures = survey.failures.commonest(FAILURES)
    copies = survey.copies.groups
    groups = [group.rows for group in copies] + [group.rows for group in failures]
    text = templates.get("overview.html").render(
        head=templates.head("", "table.js", "overview", "table"),
        noun=noun,
        tally=tally,
        tiles=tiles(tally, has_roster=survey.has_roster),
        exercises=tally.exercises,
        by_exercise=[_exercise(tally, i, e) for i, e in enumerate(tally.exercises)],
        scored=sum(tally.scores.values()),
        bars=bars_of(tally.scores, sum(exercise.points for exercise in tally.exercises)),
        checks=[_check(figures) for figures in hardest_first(tally.checks())],
        failures=failures,
        failures_left_out=survey.failures.left_out,
        copies=copies,
        copies_shown=COPIES,
        entries=survey.rows.rows,
        names=NAMES,
        signs=list(SIGNS.values()),
        data=_data(survey, groups, noun),
    )
    return text.encode("utf-8", "replace")


def tiles(tally: Tally, *, has_roster: bool) -> list[dict[str, Any]]:
    """Return the outcomes with their counts, each with the filter that shows them."""
    several = len(tally.exercises) > 1
    words = (
        ("pass", "passed", "every exercise" if several else "all that counts"),
        ("fail", "failed", "at least one exercise" if several else "at least one check"),
        ("missing", "missing", "nothing submitted"),
        ("unresolved", "unresolved", "a person has to look"),
        ("error", "not graded", "an error of the grader"),
    )
    return [
        {
            "sign": next(sign for sign in SIGNS.values() if sign.word == outcome),
            "count": tally.outcomes[outcome],
            "share": percent(tally.outcomes[outcome] / tally.entries if tally.entries else None),
            "word": word,
            "told": told,
            "filter": f"outcome={outcome}",
        }
        for outcome, word, told in words
        if has_roster or outcome != "missing"
    ]


def bars_of(scores: Mapping[float, int], points: int) -> list[Bar]:
    """Return the distribution of scores out of `points`: a bar a point, or wider ones.

    A score set by hand may lie between two points, below 0 or above all points: it goes to the
    nearest bar below it, or to the outermost.
    """
    step = max(1, -(-(points + 1) // BARS))
    lows = range(0, points + 1, step)
    counts = [0] * len(lows)
    for score, count in scores.items():
        counts[min(max(0, int(score // step)), len(counts) - 1)] += count
    most = max(counts) or 1
    return [
        Bar(low, min(low + step - 1, points), count, round(100 * count / most, 2))
        for low, count in zip(lows, counts, strict=True)
    ]


def parts_of(counts: Mapping[str, int]) -> list[Part]:
    """Return a bar of the outcomes that occur, in the order given."""
    parts: list[Part] = []
    total, done = sum(counts.values()), 0
    for outcome, count in counts.items():
        if count:
            start, end = (round(100 * at / total, 2) for at in (done, done + count))
            parts.append(Part(outcome, count, start, round(end - start, 2)))
        done += count
    return parts


def _exercise(tally: Tally, position: int, exercise: ExerciseInfo) -> dict[str, Any]:
    counts = {outcome: tally.of_exercise(position, outcome) for outcome in _MARKS}
    graded = counts["pass"] + counts["fail"]
    return {
        "label": exercise.name,
        "title": exercise.title,
        "advisory": False,
        "rate": counts["pass"] / graded if graded else None,
        "parts": parts_of(counts),
    }


def _check(figures: CheckFigures) -> dict[str, Any]:
    counts = {"pass": figures.passed, "skip": figures.skipped, "fail": figures.failed}
    return {
        "label": figures.check.code,
        "title": figures.check.title,
        "advisory": figures.check.advisory,
        "rate": figures.rate,
        "parts": parts_of({**counts, "error": figures.errors}),
    }


def _data(survey: Survey, groups: Sequence[Sequence[int]], noun: str) -> Markup:
    return json_block(
        {
            "noun": noun,
            "attempts": survey.tally.attempts,
            "exercises": described(survey.tally.exercises),
            "groups": groups,
            "copies": [group.label for group in survey.copies.groups],
            "rows": survey.rows.rows,
        }
    )
