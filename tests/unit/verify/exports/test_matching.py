"""A learner's row is found for sure or not at all."""

from __future__ import annotations

import pytest

from verify.exports.matching import Identity, Rows, column_name
from verify.gradebook.values import Learner

IDENTITY = Identity({"id": 0, "sis login id": 1}, ["sis login id", "id"], email=2, name=3)
ROWS = Rows(
    IDENTITY,
    [
        ["1", "ada", "ada@example.org", "Lovelace, Ada"],
        ["2", "3", "bob@example.org", "Bob"],
        ["3", "cyd", "cyd@example.org", "Smith"],
        ["4", "dan", "dan@example.org", "Smith"],
        ["5"],
    ],
)


@pytest.mark.parametrize(
    ("learner", "row"),
    [
        (Learner("x", ids={"ID": "2"}), 1),
        (Learner("x", ids={"id": "3", "SIS_Login-ID": "cyd"}), 2),
        (Learner("x", ids={"id": "3", "SIS_Login-ID": "ada"}), None),
        (Learner("x", ids={"ID": "2"}, email="ada@example.org"), None),
        (Learner("x", email="ADA@example.org"), 0),
        (Learner("dan@example.org"), 3),
        (Learner("cyd"), 2),
        (Learner("3"), None),
        (Learner("4"), 3),
        (Learner("x", name="Ada Lovelace"), 0),
        (Learner("x", name=" bob "), 1),
        (Learner("x", name="Smith"), None),
        (Learner("x"), None),
        (Learner(""), None),
    ],
)
def test_ids_and_mail_come_before_the_key_names_last_and_what_is_as_sure_agrees(
    learner: Learner, row: int | None
) -> None:
    assert ROWS.row_of(learner) == row


def test_names_of_columns_are_compared_by_their_words() -> None:
    assert {column_name(text) for text in ("SIS_User-ID", "sis user id", " SIS  User ID")} == {
        "sis user id"
    }


NUMBERED = Identity(
    {"identifier": 0, "id number": 1}, ["identifier"], email=2, name=3, weak="identifier"
)


@pytest.mark.parametrize(
    ("name", "there", "same"),
    [
        ("Ada Lovelace", "Lovelace, Ada", True),
        ("Ada Lovelace", "ADA  LOVELACE", True),
        ("Åke Ångström", "Ake Angstrom", True),
        ("Ada Lovelace", "Ada King Lovelace", True),
        ("Ada Lovelace-King", "Ada Lovelace", True),
        ("山田太郎", "山田 太郎", True),
        ("Ada Lovelace", "", True),
        ("", "Ada Lovelace", True),
        ("Ada Lovelace", "Ada Smith", False),
        ("Ada Lovelace", "Bob Roe", False),
    ],
)
def test_a_number_that_each_assignment_gives_anew_finds_nobody_of_another_name(
    name: str,
    there: str,
    same: bool,  # noqa: FBT001  # a column of the table
) -> None:
    rows = Rows(NUMBERED, [["Participant 12", "", "", there]])
    learner = Learner("ada", name, ids={"identifier": "Participant 12"})

    assert rows.row_of(learner) == (0 if same else None)
    assert rows.contradicted == ({} if same else {"ada": 0})


def test_a_number_counts_where_anything_else_finds_the_same_row() -> None:
    rows = Rows(NUMBERED, [["Participant 12", "s-7", "ada@example.org", "Countess of Lovelace"]])
    ids = {"identifier": "Participant 0012"}
    learners = (
        Learner("a", "Ada King", "ADA@example.org", ids),
        Learner("a", "Ada King", ids={**ids, "ID number": "S-7"}),
        Learner("a", "Ada King", ids=ids),
        Learner("Participant 12", "Ada King"),
    )

    assert [rows.row_of(learner) for learner in learners] == [0, 0, None, None]
