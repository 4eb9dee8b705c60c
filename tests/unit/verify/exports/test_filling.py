"""Cells go into the row that is surely a learner's; what finds no place is told."""

from __future__ import annotations

from verify.exports.filling import Filling, told_unlisted
from verify.exports.matching import Identity, Rows
from verify.gradebook.values import Learner

IDENTITY = Identity({"identifier": 0}, ["identifier"], name=1, weak="identifier")


def filling_of(*rows: list[str]) -> tuple[list[list[str]], Filling]:
    table = list(rows)
    return table, Filling(table, Rows(IDENTITY, table))


def told_by(filling: Filling) -> list[str]:
    notes: list[str] = []
    filling.tell("--moodle-from", notes.append)
    return notes


def test_a_row_takes_its_learners_cells_and_grows_where_it_is_short() -> None:
    table, filling = filling_of(["1", "Ada", "old"], ["2"])
    done = [
        filling.fill(Learner("1"), {2: "14"}),
        filling.fill(Learner("2"), {2: "7", 4: "well done"}),
    ]

    assert done == [True, True]
    assert table == [["1", "Ada", "14"], ["2", "", "7", "", "well done"]]
    assert told_by(filling) == []


def test_a_row_is_seen_as_it_stands() -> None:
    _, filling = filling_of(["1", "Ada"])

    assert filling.row_of(Learner("1")) == ["1", "Ada"]
    assert filling.row_of(Learner("2")) is None


def test_a_row_that_several_claim_stays_as_it_was() -> None:
    table, filling = filling_of(["1", "Ada", "old"], ["2", "Bob", ""])
    first = Learner("x", ids={"identifier": "1"})
    done = [
        filling.fill(each, {2: score})
        for each, score in ((first, "14"), (Learner("1"), "7"), (Learner("1"), "3"))
    ]

    assert done == [True, False, False]
    assert table == [["1", "Ada", "old"], ["2", "Bob", ""]]
    assert told_by(filling) == [
        '--moodle-from has no row that is surely theirs for "1", "1": see --csv-wide',
        "--moodle-from: 1 row is claimed by several learners and left as before",
    ]


def test_whoever_has_no_row_is_named_or_counted_where_they_are_many() -> None:
    _, few = filling_of(["1", "Ada"])
    _, many = filling_of(["1", "Ada"])
    left = [few.fill(Learner("zoe"), {2: "1"})]
    left += [many.fill(Learner(f"x{number}"), {2: "1"}) for number in range(101)]

    assert not any(left)
    assert told_by(few) == [
        '--moodle-from has no row that is surely theirs for "zoe": see --csv-wide'
    ]
    assert told_by(many) == [
        "--moodle-from has no row that is surely theirs for 101 learners: see --csv-wide"
    ]


def test_a_row_of_another_name_is_told_and_of_many_the_rest_is_counted() -> None:
    rows = [[f"{number}", "Bob Roe\x1b[2J", ""] for number in range(23)]
    table, filling = filling_of(*rows)
    for number in range(23):
        filling.fill(Learner(f"k{number}", "Ada", ids={"identifier": f"{number}"}), {2: "14"})
    notes = told_by(filling)

    assert [row[2] for row in table] == [""] * 23
    assert notes[0] == (
        '--moodle-from: row 2 (0, Bob Roe\\u{1b}[2J) was found for "k0", Ada, and is another\'s:'
        " left as before"
    )
    assert notes[20:] == [
        "--moodle-from: 3 more rows are another's by their names and left as before"
    ]


def test_who_is_not_on_the_roster_is_counted() -> None:
    notes: list[str] = []
    for number in (0, 1, 2):
        told_unlisted(number, "--moodle", notes.append)

    assert notes == [
        "--moodle leaves out who is not on the roster: 1 learner is; see --csv-wide",
        "--moodle leaves out who is not on the roster: 2 learners are; see --csv-wide",
    ]
