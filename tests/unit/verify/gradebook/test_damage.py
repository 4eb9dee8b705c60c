"""A gradebook that somebody changed ends a command in one line with what to do."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.stubs.marks import mark_of
from tests.unit.verify.gradebook.conftest import EVIDENCE
from verify.cli import main
from verify.gradebook.overrides import override
from verify.gradebook.records import (
    Enlisted,
    Learner,
    NotOurs,
    Override,
    checks_of,
    ids_of,
    options_of,
    outcomes_of,
    reads_of,
)
from verify.gradebook.store import damage_of, meaning_of
from verify.model import CheckInfo, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.gradebook.recording import Book
    from verify.model import ExerciseInfo

FAILED = mark_of(EVIDENCE, "pf", reads='[["read", "a.json"]]', digests=bytes(16))


@pytest.fixture
def gradebook(path: str, begun: Callable[..., Book], evidence: ExerciseInfo) -> str:
    """Return a gradebook with a bit of everything."""
    book = begun(evidence)
    book.enrol([Learner("zoe", "Zoë", ids={"sis": "7"}).row, Learner("abe").row])
    book.enlist([Enlisted("zoe", "", "folder", "/srv/cohort", "zoe")])
    book.record([(1, (mark_of(EVIDENCE, "ee"),))])
    book.record([(1, (FAILED,))])
    book.finish("2026-03-01T13:00:00Z")
    return path


def change(path: str, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(statement)
        connection.commit()


def test_a_sound_gradebook_has_no_damage_and_neither_has_one_that_is_not_there(
    gradebook: str, connection: sqlite3.Connection
) -> None:
    override(connection, "zoe", "expert/04", Override(4.5, "ada", "2026-03-02", "oral exam"))

    assert (damage_of(gradebook), damage_of(f"{gradebook}.other")) == ("", "")


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (
            "UPDATE result SET provenance = 'L9', outcomes = 'z'",
            "has a value that is not a list of",
        ),
        ("UPDATE rules SET points = -3", "has a value that is not a number of points: -3"),
        (
            "INSERT INTO override VALUES (1, 'zoe', 'expert/04', 9e999, '', '', '', NULL, NULL)",
            "has a value that is not a score: inf: somebody changed it; put a copy of it back",
        ),
        (
            "DELETE FROM rules",
            "is damaged (a row in run_exercise refers to a missing row in rules)",
        ),
        ("DELETE FROM reads", "is damaged (a row in result refers to a missing row in reads)"),
        (
            "UPDATE result SET outcome = 'good'",
            "is damaged (CHECK constraint failed in result)",
        ),
        ("UPDATE run SET options = '['", "has a value that is not JSON: somebody changed it"),
        ("UPDATE learner SET ids = '7'", "has a value that is not a JSON object of texts"),
        ("UPDATE rules SET checks = '[{}]'", "has a value that is not a list of checks"),
        ("UPDATE reads SET text = 'x' || id", "has a value that is not JSON"),
        ("UPDATE result SET outcomes = 'pz'", "has a value that is not a list of outcomes"),
        ("UPDATE result SET outcomes = 'p'", "has a value that is not a list of outcomes"),
        ("UPDATE finding SET message = CAST(x'61ff' AS TEXT)", "has a text that is not UTF-8"),
        (
            "UPDATE sqlite_schema SET sql = 'noise', name = CAST(x'61ff' AS TEXT)",
            "is damaged: put a copy of it back",
        ),
    ],
)
def test_a_command_on_it_is_refused_in_one_line(
    gradebook: str, statement: str, told: str, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    change(gradebook, statement)
    code = main(["export", "--gradebook", gradebook, "--json", f"{tmp_path}/grades.json"])
    out, err = capsys.readouterr()

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"verify: {gradebook} {told}")


KEPT = "what was graded so far is kept"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            sqlite3.OperationalError("database or disk is full"),
            f"cannot grow, the disk is full; {KEPT}: free some space and run this again",
        ),
        (
            sqlite3.OperationalError("disk I/O error"),
            f"cannot be used, the disk is full or failing; {KEPT}: look at the disk",
        ),
        (
            sqlite3.OperationalError("database is locked"),
            "is in use by another program: close it there and run this again",
        ),
        (
            sqlite3.OperationalError("unable to open database file"),
            "cannot be opened: look at its name, its folder and your permissions",
        ),
        (
            sqlite3.OperationalError("Could not decode to UTF-8 column 'message'"),
            "has a text that is not UTF-8, somebody changed it: put a copy of it back",
        ),
        (sqlite3.OperationalError('near "SELEC": syntax error'), ""),
        (sqlite3.IntegrityError("UNIQUE constraint failed"), ""),
        (sqlite3.ProgrammingError("Cannot operate on a closed database."), ""),
    ],
)
def test_an_error_says_what_to_do(error: sqlite3.DatabaseError, sentence: str) -> None:
    assert meaning_of(error) == sentence


ODD = 'a"], ["read", "b\\", "\u2028é\ud800\x00'  # as a hostile artifact may name a file
CHECK = {"code": "E04.1", "title": "Steps", "points": 2, "advisory": False, "page": "e.md#e04-1"}


def test_texts_are_read_as_they_were_written() -> None:
    asked = (("read", "a.json"), ("is_file", ODD), ("names", ""), ("history", ""))
    options = {"exercises": ["expert/04"], "target": ".", "issue": "ISSUE-7", "later": [1]}

    assert reads_of(json.dumps(asked)) == asked
    assert reads_of("[]") == ()
    assert options_of(json.dumps(options)) == options
    assert options_of('{"target": "sandbox/app"}') == {"target": "sandbox/app"}
    assert checks_of(json.dumps([CHECK])) == (
        CheckInfo("E04.1", "Steps", 2, advisory=False, page="e.md#e04-1"),
    )
    assert ids_of('{"SIS ID": "7"}') == {"SIS ID": "7"}
    assert outcomes_of("pfse", 4) == (Outcome.PASS, Outcome.FAIL, Outcome.SKIP, Outcome.ERROR)


@pytest.mark.parametrize("text", ["{", "[" * 100_000])
def test_a_text_that_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(NotOurs, match="is not JSON"):
        ids_of(text)


@pytest.mark.parametrize(
    ("read", "value", "wrong"),
    [
        (reads_of, {"read": "a"}, "is not a list of reads"),
        (reads_of, [["read", "a"], 7], "is not a list of reads"),
        (reads_of, [["read", "a", "b"]], "is not a list of reads"),
        (reads_of, [["read", 7]], "is not a list of reads"),
        (reads_of, [["__class__", "a"]], "is not a list of reads"),
        (options_of, [], "is not a JSON object"),
        (options_of, {"strict": "no"}, 'has an option "strict" of the wrong type'),
        (options_of, {"issue": "../../secret"}, "has an issue that is not an issue's id"),
        (options_of, {"target": "../.."}, "has a target that is not within a submission"),
        (checks_of, [], "is not a list of checks"),
        (checks_of, [7], "is not a list of checks"),
        (checks_of, [{**CHECK, "points": True}], "is not a list of checks"),
        (checks_of, [{**CHECK, "points": -1}], "is not a list of checks"),
        (checks_of, [{**CHECK, "points": 10**30}], "is not a list of checks"),
        (checks_of, [{**CHECK, "colour": "red"}], "is not a list of checks"),
        (ids_of, [], "is not a JSON object of texts"),
        (ids_of, {"a": 1}, "is not a JSON object of texts"),
    ],
)
def test_what_no_grading_writes_is_refused(
    read: Callable[[str], Any], value: Any, wrong: str
) -> None:
    with pytest.raises(NotOurs) as raised:
        read(json.dumps(value))

    assert str(raised.value) == wrong


@pytest.mark.parametrize("outcomes", ["p", "ppp", "pz"])
def test_outcomes_are_one_letter_of_ours_for_each_check(outcomes: str) -> None:
    with pytest.raises(NotOurs, match="is not a list of outcomes"):
        outcomes_of(outcomes, 2)
