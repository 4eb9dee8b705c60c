"""A gradebook that somebody has changed is told from a sound one, with the row and what to do."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from verify.gradebook import opening
from verify.gradebook.audit import altered
from verify.gradebook.book import Book, Enlisted
from verify.gradebook.overrides import override
from verify.gradebook.records import FindingRow, Record
from verify.gradebook.values import Learner, Override

if TYPE_CHECKING:
    from verify.gradebook.values import ExerciseInfo

FAILED = Record("fail", 2, "pf", '[["read", "a.json"]]', bytes(16), (FindingRow(1, 0, "no steps"),))
STEP = "; put a copy of it back, or name another --gradebook and grade again"


@pytest.fixture
def gradebook(path: str, evidence: ExerciseInfo) -> str:
    """Return a gradebook with a bit of everything."""
    with opening.writing(path) as connection:
        book = Book(connection)
        book.begin(
            "grade",
            started="2026-03-01T12:00:00Z",
            by="ada",
            sources=[("folder", "/srv/cohort")],
            options={"attempts": "latest", "issue": None},
            rules=[(evidence, "d1")],
        )
        book.enrol([Learner("zoe", "Zoë", ids={"sis": "7"}), Learner("abe")])
        book.enlist([Enlisted("zoe", "", "folder", "/srv/cohort", "zoe")])
        book.record([(1, (Record("error", None, "ee", "[]", b""),))])
        book.record([(1, (FAILED,))])
        override(connection, "zoe", "expert/04", Override(4.5, "ada", "2026-03-02", "oral exam"))
        book.finish("2026-03-01T13:00:00Z")
    return path


def change(path: str, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_a_sound_gradebook_has_nothing_that_no_grading_wrote(gradebook: str) -> None:
    assert altered(gradebook) == ""


def test_a_gradebook_that_is_not_there_is_nobodys_change(path: str) -> None:
    assert altered(path) == ""


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE run SET kind = 'joke'", "in run, id 1, kind is none of ours"),
        ("UPDATE run SET options = '['", "in run, id 1, options is no JSON"),
        ("UPDATE learner SET ids = '7' WHERE key = 'zoe'", "in learner, key zoe, ids is no JSON"),
        ("UPDATE rules SET checks = '[{}]'", "in rules, id 1, checks is no list of checks"),
        ("UPDATE rules SET points = -1", "in rules, id 1, points is out of bounds"),
        ("UPDATE questions SET text = 'x' || id", "in questions, id 1, text is no list of questi"),
        ("DELETE FROM questions", "in result, id 1, questions leads nowhere"),
        ("DELETE FROM rules", "in asked, run 1, position 0, rules leads nowhere"),
        ("DELETE FROM submission", "in result, id 1, submission leads nowhere"),
        ("UPDATE result SET outcome = 'good'", "in result, id 1, outcome is none of ours"),
        ("UPDATE result SET outcomes = 'pz'", "in result, id 1, outcomes is not of p, f, s and e"),
        (
            "UPDATE result SET outcomes = 'p' WHERE id = 2",
            "in result, id 2, outcomes has not one letter for each check",
        ),
        (
            "UPDATE result SET outcomes = 'ppp' WHERE id = 2",
            "in result, id 2, outcomes has not one letter for each check",
        ),
        ("UPDATE result SET score = NULL", "in result, id 2, score does not fit"),
        ("UPDATE result SET score = 1 << 62 WHERE id = 2", "in result, id 2, score is out of boun"),
        ("UPDATE result SET answers = x'00'", "in result, id 1, answers has no whole digests"),
        ("UPDATE result SET provenance = 'L9'", "in result, id 1, provenance is no level"),
        ("UPDATE finding SET line = -1", "in finding, result 2, position 1, ordinal 0, line is ou"),
        ("UPDATE override SET score = 9e999", "in override, id 1, score is no score"),
    ],
)
def test_what_no_grading_wrote_is_named_by_its_row(
    gradebook: str, statement: str, told: str
) -> None:
    change(gradebook, statement)
    line = altered(gradebook)

    assert line.startswith(f"{gradebook} has what no grading wrote: {told}")
    assert line.endswith(STEP)


def test_a_value_of_another_type_is_told_also_where_the_table_allows_it(gradebook: str) -> None:
    change(
        gradebook,
        "ALTER TABLE override RENAME TO before",
        "CREATE TABLE override AS SELECT * FROM before",
        "DROP TABLE before",
        "UPDATE override SET score = 'best', reason = x'ff'",
    )

    told = "in override, id 1, score is no real"
    assert altered(gradebook) == f"{gradebook} has what no grading wrote: {told}{STEP}"


def test_a_text_that_is_no_utf8_is_named_by_its_row(gradebook: str) -> None:
    change(gradebook, "UPDATE finding SET message = CAST(x'61ff' AS TEXT)")

    told = "in finding, result 2, position 1, ordinal 0, message is no UTF-8"
    assert altered(gradebook) == f"{gradebook} has what no grading wrote: {told}{STEP}"


def test_a_table_that_is_gone_is_damage(gradebook: str) -> None:
    change(gradebook, "DROP TABLE finding")

    assert altered(gradebook) == (
        f"{gradebook} is damaged (no such table: finding): put a copy of it back"
    )


def test_what_a_hostile_key_says_is_shown_as_data(gradebook: str) -> None:
    key = "'a' || char(27) || '[2J' || char(10)"
    change(gradebook, f"UPDATE learner SET ids = '7', key = {key} WHERE key = 'abe'")  # noqa: S608  # our own words

    assert r"in learner, key a\u{1b}[2J\u{a}, ids is no JSON" in altered(gradebook)
