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
