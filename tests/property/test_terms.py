"""The total of a learner is the same number in every export of a random term."""

from __future__ import annotations

import csv
import json
import math
import os
import tempfile
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from verify.exports import csv_tables, gradescope, json_documents
from verify.exports.base import Settings
from verify.gradebook.recording import RunRecorder, override
from verify.gradebook.records import FoundSubmission, Learner, Mark, Override, Results
from verify.gradebook.store import writing
from verify.gradebook.term import TermCohort
from verify.gradebook.term_file import form
from verify.grading.model import CheckInfo, ExerciseInfo, Outcome

if TYPE_CHECKING:
    import sqlite3

LEARNERS = ("abe", "bob", "zoe")
DUE = datetime(2020, 10, 5, 22, tzinfo=timezone.utc)
CHECKS = (CheckInfo("E04.1", "all", 7, advisory=False, page="e.md"),)
EXERCISE = ExerciseInfo("expert/04", "Evidence", 7, CHECKS)
WEEK = st.fixed_dictionaries(
    {
        "points": st.integers(1, 30),
        "weight": st.none() | st.sampled_from([0.5, 3.0, 12.5]),
        "excused": st.sets(st.sampled_from(LEARNERS), max_size=1),
        "extended": st.sets(st.sampled_from(LEARNERS), max_size=1),
        "hours": st.tuples(*[st.none() | st.integers(-5, 100)] * 3),  # None: nothing is submitted
        "graded": st.tuples(*[st.integers(0, 7)] * 3),
        "by_hand": st.none() | st.sampled_from([0.0, 2.5, 9.0]),  # of bob, for the assignment
    }
)
TERM = st.tuples(
    st.lists(WEEK, min_size=1, max_size=4), st.permutations(range(4)), st.integers(0, 2)
)


def _document(weeks: list[dict[str, Any]], drop: int) -> str:
    names = [f"week-{number}" for number in range(len(weeks))]
    plans = {}
    for name, week in zip(names, weeks, strict=True):
        later = (DUE + timedelta(days=2)).isoformat()
        plans[name] = {
            "exercises": ["expert/04"],
            "collection": name,
            "due": DUE.isoformat(),
            "points": week["points"],
            "weight": week["weight"],
            "excused": sorted(week["excused"]),
            "extensions": dict.fromkeys(sorted(week["extended"]), later),
        }
    late = {"grace": 30, "percent_a_day": 15, "cap": 40}
    groups = {"all": {"assignments": names, "drop_lowest": drop}}
    return json.dumps({"assignments": plans, "late": late, "missing": "zero", "groups": groups})


def _week(connection: sqlite3.Connection, name: str, week: dict[str, Any]) -> None:
    recorder = RunRecorder(connection, "me", name)
    recorder.begin("grade", started="now", options={}, rules=[(EXERCISE, "d")])
    recorder.enrol([Learner(key).row for key in LEARNERS])
    there = [number for number in range(3) if week["hours"][number] is not None]
    for number in there:
        at = (DUE + timedelta(hours=week["hours"][number])).isoformat()
        key = LEARNERS[number]
        recorder.add_submissions([FoundSubmission(key, "", "folder", "/c", key, at)])
    query = "SELECT id FROM submission WHERE seen = ? ORDER BY id"
    ids = [at for (at,) in connection.execute(query, (recorder.run,))]
    marks = [
        Mark(EXERCISE, Outcome.FAIL, week["graded"][number], Results(CHECKS, "f"))
        for number in there
    ]
    recorder.record((at, (mark,)) for at, mark in zip(ids, marks, strict=True))
    recorder.finish("later")
    if week["by_hand"] is not None:
        override(connection, "bob", "", Override(week["by_hand"], "me", "now", "why"), name)


def _half_up(score: Fraction) -> Fraction:
    return Fraction(math.floor(score * 100 + Fraction(1, 2)), 100)


def _by_hand(weeks: list[dict[str, Any]], number: int, drop: int) -> float | None:
    """Return the total of a learner, worked out once more."""
    rows: list[tuple[Fraction, Fraction, Fraction]] = []  # share, score, worth of one point
    key = LEARNERS[number]
    for week in weeks:
        points, hours = week["points"], week["hours"][number]
        by_hand = week["by_hand"] if key == "bob" else None
        if key in week["excused"] and by_hand is None:
            continue
        score = Fraction(0)
        if hours is not None:
            over = hours - 48 * (key in week["extended"])
            days = math.ceil(over / 24) if over > 0 else 0
            score = Fraction(week["graded"][number] * points, 7)
            score -= min(score, Fraction(min(15 * days, 40), 100) * points)
        if by_hand is not None:
            score = Fraction(str(by_hand))
        final = _half_up(score)
        worth = Fraction(str(week["weight"] or points)) / points
        rows.append((final / points, final, worth))
    order = sorted(range(len(rows)), key=lambda at: rows[at][0])
    kept = set(order[max(0, min(drop, len(rows) - 1)) :])
    if not kept:
        return None
    return float(_half_up(sum((rows[at][1] * rows[at][2] for at in kept), Fraction(0))))


@settings(max_examples=40, deadline=None)
@given(TERM)
def test_t1_totals_agree_in_every_export_and_with_a_sum_by_hand(
    drawn: tuple[list[dict[str, Any]], list[int], int],
) -> None:
    weeks, order, drop = drawn
    with tempfile.TemporaryDirectory() as folder:
        table, document = os.path.join(folder, "w.csv"), os.path.join(folder, "j.json")
        with writing(os.path.join(folder, "g.db")) as connection:
            for number in [number for number in order if number < len(weeks)]:
                _week(connection, f"week-{number}", weeks[number])
            cohort = TermCohort(connection, form().validate_json(_document(weeks, drop)))
            csv_tables.WIDE.write(cohort, table, Settings(print))
            json_documents.DOCUMENT.write(cohort, document, Settings(print))
            scores = [gradescope.results(each).get("score") for each in cohort.standings()]
        with open(table, newline="", encoding="utf-8") as file:
            totals = [float(row["total"]) if row["total"] else None for row in csv.DictReader(file)]
        with open(document, encoding="utf-8") as file:
            of_json = [standing["total"] for standing in json.load(file)["standings"]]

    expected = [_by_hand(weeks, number, drop) for number in range(3)]
    assert (totals, of_json, scores) == (expected, expected, expected)
