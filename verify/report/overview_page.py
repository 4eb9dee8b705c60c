"""The overview: what a cohort's figures are, in words, plots and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.report.outcomes import SIGNS
from verify.report.plots import PHONE, WIDE, bars_of, distribution, per_check
from verify.report.rows import described
from verify.report.tally import hardest_first
from verify.report.templates import json_block, percent, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from verify.gradebook.values import ExerciseInfo
    from verify.report.drawing import Draughtsman
    from verify.report.plots import Bar
    from verify.report.survey import Survey
    from verify.report.tally import CheckFigures, Tally
    from verify.report.templates import Templates

FAILURES, IDENTICAL = 25, 50  # groups that are shown
NAMES = 30  # learners of a group that are linked; the table shows all


def overview(templates: Templates, survey: Survey, pen: Draughtsman) -> bytes:
    """Return the overview's page."""
    tally = survey.tally
    checks = hardest_first(tally.checks())
    noun = "attempt" if tally.attempts else "learner"
    bars = bars_of(tally.scores, sum(exercise.points for exercise in tally.exercises))
    failures = survey.failures.commonest(FAILURES)
    same = survey.artifacts.suspicious()
    groups = [group.rows for group in failures] + [list(each.rows) for each in same[:IDENTICAL]]
    text = templates.get("overview.html").render(
        head=templates.head("", "table.js", "overview", "table"),
        noun=noun,
        tally=tally,
        tiles=tiles(tally, has_roster=survey.has_roster),
        exercises=[_exercise(tally, i, e) for i, e in enumerate(tally.exercises)],
        scored=sum(tally.scores.values()),
        bars=[bar for bar in bars if bar.learners],
        distribution=_distribution(pen, bars, noun),
        checks=checks,
        per_check=_per_check(pen, checks),
        failures=failures,
        failures_left_out=survey.failures.left_out,
        same=same[:IDENTICAL],
        same_left_out=max(0, len(same) - IDENTICAL),
        common=survey.artifacts.common(),
        compared=survey.artifacts.paths,
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
        ("missing", "missing", "nothing handed in"),
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


def _exercise(tally: Tally, position: int, exercise: ExerciseInfo) -> dict[str, Any]:
    counts = [tally.of_exercise(position, o) for o in ("pass", "fail", "missing", "error")]
    graded = counts[0] + counts[1]
    return {
        "info": exercise,
        "counts": counts,
        "rate": counts[0] / graded if graded else None,
    }


def _distribution(pen: Draughtsman, bars: Sequence[Bar], noun: str) -> tuple[Markup, Markup]:
    most = max(bars, key=lambda bar: bar.learners)
    told = f"The most frequent score is {most.label}: {plural(most.learners, noun)} have it."
    title = f"How many {noun}s have which score"
    return (
        pen.draw(distribution(bars, WIDE), "scores-wide", title, told),
        pen.draw(distribution(bars, PHONE), "scores-phone", title, told),
    )


def _per_check(pen: Draughtsman, checks: Sequence[CheckFigures]) -> tuple[Markup, Markup]:
    title = "What became of each check, the hardest first"
    told = "The table below it has the same figures."
    if checks and checks[0].rate is not None:
        hardest = checks[0]
        told = f"{hardest.check.code} is the hardest: {percent(hardest.rate)} pass it. {told}"
    return (
        pen.draw(per_check(checks, WIDE), "checks-wide", title, told),
        pen.draw(per_check(checks, PHONE), "checks-phone", title, told),
    )


def _data(survey: Survey, groups: Sequence[Sequence[int]], noun: str) -> Markup:
    return json_block(
        {
            "noun": noun,
            "attempts": survey.tally.attempts,
            "exercises": described(survey.tally.exercises),
            "groups": groups,
            "rows": survey.rows.rows,
        }
    )
