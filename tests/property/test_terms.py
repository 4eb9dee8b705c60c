"""The total of a learner is the same number in every export of a random term."""

from __future__ import annotations

import csv
import json
import math
import re
import tempfile
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.stubs.tables import rows_of
from verify.exports import (
    any_table,
    blackboard,
    brightspace,
    canvas,
    csv_tables,
    gradescope,
    json_documents,
    moodle,
)
from verify.exports.base import Settings
from verify.gradebook.recording import RunRecorder, override
from verify.gradebook.records import FoundSubmission, Learner, Mark, Override, Results
from verify.gradebook.store import writing
from verify.gradebook.term import TermCohort
from verify.gradebook.term_file import form
from verify.grading.model import CheckInfo, ExerciseInfo, Outcome
from verify.report import site

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence

    from verify.exports.base import Format

LEARNERS = ("abe", "bob", "zoe")
DUE = datetime(2020, 10, 5, 22, tzinfo=timezone.utc)
EXERCISES = tuple(
    ExerciseInfo(
        name, title, points, (CheckInfo(code, "all", points, advisory=False, page="e.md"),)
    )
    for name, title, points, code in (
        ("expert/04", "Evidence", 7, "E04.1"),
        ("practitioner/04", "Tiers", 4, "P04.1"),
    )
)
TIES = Fraction(1, 10**5)  # platforms get five decimals
NOBODY = -1


class Attempt(NamedTuple):
    """A submission: hours after the due time, and a score for each exercise."""

    hours: int | None  #: None is unknown
    graded: tuple[int, ...]  #: before the regrading
    regraded: tuple[int, ...]


class Week(NamedTuple):
    """An assignment."""

    exercises: tuple[ExerciseInfo, ...]
    points: int
    weight: float | None
    counting: str  #: which attempt
    excused: int  #: a learner's number, or nobody's; so have the next three
    extended: int
    by_hand: tuple[int, float]
    one_exercise: tuple[int, float | None]  #: a decision about the first; None excuses
    attempts: tuple[tuple[Attempt, ...], ...]  #: of each learner
    scale: int  #: what a platform's column has at most


def _week(random: Random) -> Week:
    exercises = EXERCISES[: random.choice((1, 1, 2))]
    points = random.randrange(1, 31)

    def attempt() -> Attempt:
        graded, regraded = (
            tuple(random.randint(0, int(exercise.points)) for exercise in exercises) for _ in "12"
        )
        hours = random.choice((None, random.randint(-5, 100)))
        return Attempt(hours, graded, random.choice((graded, regraded)))

    def somebody() -> int:
        return random.randrange(NOBODY, 3)

    return Week(
        exercises,
        points,
        random.choice((None, None, 0.5, 3, 12.5)),
        random.choice(("latest", "latest", "best", "last before due")),
        somebody(),
        somebody(),
        (somebody(), random.choice((0, 2.5, 9))),
        (somebody(), random.choice((None, 0, 1.5, 4))),
        tuple(tuple(attempt() for _ in range(random.choice((0, 1, 1, 3)))) for _ in LEARNERS),
        random.choice((points, 7, 10, 100)),
    )


class MadeTerm:
    """A random term, graded, and the totals worked out once more, by hand."""

    def __init__(self, random: Random) -> None:
        self.weeks = [_week(random) for _ in range(random.randrange(1, 5))]
        self.drop = random.randrange(3)
        self.order = random.sample(range(len(self.weeks)), len(self.weeks))
        self.names = [f"week-{number}" for number in range(len(self.weeks))]
        self.finals = [[self._final(week, key) for week in self.weeks] for key in range(3)]
        self.kept = [self._kept(finals) for finals in self.finals]
        self.totals = [
            float(_half_up(sum((self._part(key, at) for at in kept), Fraction(0))))
            if kept
            else None
            for key, kept in enumerate(self.kept)
        ]
        self.worths = [sum(self._worth(at) for at in kept) for kept in self.kept]

    def document(self) -> str:
        """Return what its file says."""
        plans = {}
        for name, week in zip(self.names, self.weeks, strict=True):
            later = (DUE + timedelta(days=2)).isoformat()
            plans[name] = {
                "exercises": [exercise.name for exercise in week.exercises],
                "collection": name,
                "due": DUE.isoformat(),
                "points": week.points,
                "weight": week.weight,
                "attempts": week.counting,
                "excused": _named(week.excused),
                "extensions": dict.fromkeys(_named(week.extended), later),
            }
        groups = {"all": {"assignments": self.names, "drop_lowest": self.drop}}
        late = {"grace": 30, "percent_a_day": 15, "cap": 40}
        return json.dumps({"assignments": plans, "late": late, "missing": "zero", "groups": groups})

    def grade(self, connection: sqlite3.Connection) -> TermCohort:
        """Write all weeks into a gradebook, in any order."""
        for number in self.order:
            _grade(connection, self.names[number], self.weeks[number])
        return TermCohort(connection, form().validate_json(self.document()))

    def _final(self, week: Week, number: int) -> Fraction | None:
        """Return the score of an assignment, None for an excuse."""
        if week.by_hand[0] == number:
            return Fraction(str(week.by_hand[1]))
        if week.excused == number:
            return None
        missing = Attempt(None, (0, 0), (0, 0))
        scores = [self._score(week, number, attempt) for attempt in week.attempts[number]]
        scores = scores or [self._score(week, number, missing)]
        if week.counting == "best" and scores[0] is not None:
            return max(score for score in scores if score is not None)
        if week.counting == "last before due":
            in_time = [
                score
                for score, attempt in zip(scores, week.attempts[number], strict=False)
                if not self._hours_late(week, number, attempt)
            ]
            return in_time[-1] if in_time else scores[0]
        return scores[-1]

    def _hours_late(self, week: Week, number: int, attempt: Attempt) -> int:
        hours = -1 if attempt.hours is None else attempt.hours
        return max(0, hours - 48 * (week.extended == number))

    def _score(self, week: Week, number: int, attempt: Attempt) -> Fraction | None:
        scores: list[float | None] = list(attempt.regraded[: len(week.exercises)])
        if week.one_exercise[0] == number:
            scores[0] = week.one_exercise[1]
        known = [at for at, score in enumerate(scores) if score is not None]
        if not known:
            return None
        most = sum(week.exercises[at].points for at in known)
        given = sum((Fraction(str(scores[at])) for at in known), Fraction(0))
        score = given * week.points / most
        days = math.ceil(self._hours_late(week, number, attempt) / 24)
        return _half_up(score - min(score, Fraction(min(15 * days, 40), 100) * week.points))

    def _kept(self, finals: Sequence[Fraction | None]) -> list[int]:
        """Return the assignments that count: not the excused, nor the lowest ones."""
        shares = {
            at: final / self.weeks[at].points
            for at, final in enumerate(finals)
            if final is not None
        }
        order = sorted(shares, key=lambda at: shares[at])
        return order[max(0, min(self.drop, len(order) - 1)) :]

    def _worth(self, at: int) -> Fraction:
        return Fraction(str(self.weeks[at].weight or self.weeks[at].points))

    def _part(self, number: int, at: int) -> Fraction:
        final = self.finals[number][at] or Fraction(0)
        return final / self.weeks[at].points * self._worth(at)

    def total_of(self, number: int, cells: Sequence[str]) -> float | None:
        """Return the total that a platform gets from the cells of a learner's assignments."""
        for cell, final, week in zip(cells, self.finals[number], self.weeks, strict=True):
            if final is None:
                assert cell in ("", "EX")
            else:  # the platform's points: scaled once
                assert abs(Fraction(cell) - final * week.scale / week.points) < TIES
        kept = self.kept[number]
        parts = (Fraction(cells[at]) / self.weeks[at].scale * self._worth(at) for at in kept)
        exact = float(sum(parts, Fraction(0)))
        total = self.totals[number]
        return total if kept and total is not None and abs(exact - total) < 0.0051 else None


def _named(number: int) -> list[str]:
    return [] if number == NOBODY else [LEARNERS[number]]


def _half_up(score: Fraction) -> Fraction:
    return Fraction(math.floor(score * 100 + Fraction(1, 2)), 100)


def _grade(connection: sqlite3.Connection, name: str, week: Week) -> None:
    options = {"attempts": "latest" if week.counting == "latest" else "all"}
    made = [
        (key, str(at or ""), attempt)
        for key, attempts in zip(LEARNERS, week.attempts, strict=True)
        for at, attempt in enumerate(attempts)
    ]
    ids: list[int] = []
    for kind, digest in (("grade", "d"), ("regrade", "e")):
        recorder = RunRecorder(connection, "me", name)
        rules = [(exercise, digest) for exercise in week.exercises]
        recorder.begin(kind, started="now", options=options, rules=rules)
        if kind == "grade":
            recorder.enrol([Learner(key).row for key in LEARNERS])
            recorder.add_submissions(_found(*one) for one in made)
            query = "SELECT id FROM submission WHERE seen = ? ORDER BY learner, attempt"
            ids = [at for (at,) in connection.execute(query, (recorder.run,))]
        recorder.record(
            (at, _marks(week, attempt.graded if kind == "grade" else attempt.regraded))
            for at, (_, _, attempt) in zip(ids, made, strict=True)
        )
        recorder.finish("later")
    for key in _named(week.by_hand[0]):
        override(connection, key, "", Override(week.by_hand[1], "me", "now", "why"), name)
    for key in _named(week.one_exercise[0]):
        score = week.one_exercise[1]
        decision = Override(score, "me", "now", "why", "excused" if score is None else "score")
        override(connection, key, week.exercises[0].name, decision, name)


def _found(key: str, label: str, attempt: Attempt) -> FoundSubmission:
    time = None if attempt.hours is None else DUE + timedelta(hours=attempt.hours)
    return FoundSubmission(key, label, "folder", "/c", key, time.isoformat() if time else "")


def _marks(week: Week, scores: Sequence[int]) -> list[Mark]:
    return [
        Mark(exercise, Outcome.FAIL, score, Results(exercise.checks, "f"))
        for exercise, score in zip(week.exercises, scores, strict=True)
    ]


def _totals(cohort: TermCohort, folder: Path) -> Iterator[list[float | None]]:
    """Yield the totals of the learners, from one export after the other."""
    table, document, pages = folder / "w.csv", folder / "j.json", folder / "html"
    settings = Settings(print)
    csv_tables.WIDE.write(cohort, str(table), settings)
    yield [float(row["total"]) if row["total"] else None for row in rows_of(table)]
    json_documents.DOCUMENT.write(cohort, str(document), settings)
    yield [one["total"] for one in json.loads(document.read_text("utf-8"))["standings"]]
    yield [gradescope.results(standing).get("score") for standing in cohort.standings()]
    site.FORMAT.write(cohort, str(pages), settings)
    texts = [(pages / "learners" / f"{key}.html").read_text("utf-8") for key in LEARNERS]
    shown = [re.search('<strong class="figure">([0-9.]+)</strong> of', text) for text in texts]
    yield [float(found[1]) if found else None for found in shown]


def _filled(term: MadeTerm, folder: Path, cohort: TermCohort) -> Iterator[list[float | None]]:
    """Yield the same from the tables of platforms, each filled in."""
    headers = [f"{name} Title (1{at})" for at, name in enumerate(term.names)]
    scales = [str(week.scale) for week in term.weeks]
    blank = [""] * len(headers)
    points = ["    Points Possible", "", "", "", *scales]
    people = [[key, "", key, "", *blank] for key in LEARNERS]
    rows = [["Student", "ID", "SIS Login ID", "Section", *headers], points, *people]
    found = _written(canvas.FORMAT, rows, folder, cohort)[1:]
    yield [term.total_of(at, [row[name] for name in headers]) for at, row in enumerate(found)]
    ends = zip(term.names, scales, strict=True)
    made = [f"{name} [Total Pts: {scale} Score] |7" for name, scale in ends]
    rows = [["Username", *made], *([key, *blank] for key in LEARNERS)]
    found = _written(blackboard.FORMAT, rows, folder, cohort)
    yield [term.total_of(at, [row[name] for name in made]) for at, row in enumerate(found)]
    ends = zip(term.names, scales, strict=True)
    made = [f"{name} Points Grade <Numeric MaxPoints:{scale}>" for name, scale in ends]
    rows = [["Username", *made, "End-of-Line Indicator"]]
    rows += [[f"#{key}", *blank, "#"] for key in LEARNERS]
    found = _written(brightspace.FORMAT, rows, folder, cohort)
    yield [term.total_of(at, [row[name] for name in made]) for at, row in enumerate(found)]
    rows = [["id", "mark"], *([key, ""] for key in LEARNERS)]
    found = _written(any_table.FORMAT, rows, folder, cohort)
    yield [float(row["mark"]) if row["mark"] else None for row in found]
    largest = 100
    heading = ["Identifier", "Username", "Grade", "Maximum Grade", "Last modified (grade)"]
    rows = [heading]
    rows += [[f"Participant {at}", key, "", str(largest), ""] for at, key in enumerate(LEARNERS)]
    found = _written(moodle.FORMAT, rows, folder, cohort)
    totals: list[float | None] = []
    for row, total, worth in zip(found, term.totals, term.worths, strict=True):
        exact = None if total is None else Fraction(str(total)) * largest / worth
        same = exact is not None and abs(Fraction(row["Grade"]) - exact) < TIES
        totals.append(total if same else float(row["Grade"]) if row["Grade"] else None)
    yield totals


def _written(
    format_: Format, rows: Sequence[Sequence[str]], folder: Path, cohort: TermCohort
) -> list[dict[str, str]]:
    """Return the rows of a platform's table after it has been filled in."""
    source, target = folder / f"{format_.name}.csv", folder / f"{format_.name}-filled.csv"
    with open(source, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    where = source if format_.in_place else target
    settings = Settings(print, source=str(source), columns={"": "mark"} if format_.in_place else {})
    format_.write(cohort, str(where), settings)
    return rows_of(where)


@pytest.mark.figure
def test_t1_totals_agree_in_every_export_and_with_a_sum_by_hand(
    how_many: Callable[[int, int], int],
) -> None:
    count, compared = how_many(16, 2_000), 0
    for seed in range(count):
        term = MadeTerm(Random(seed))  # noqa: S311  # no secret
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with writing(str(folder / "g.db")) as connection:
                cohort = term.grade(connection)
                found = [*_totals(cohort, folder), *_filled(term, folder, cohort)]
        assert found == [term.totals] * len(found), seed
        compared += len(found) * len(LEARNERS)
    print(f"{count:,} terms, {compared:,} totals are as worked out by hand")
