"""Submissions are written down by the roster's keys, and one submission is no cohort."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from verify.sources.base import Entry, UnusableSource
from verify.sources.roster import read_roster

from verify.commands.enlisting import (
    Enlisting,
    Interrupted,
    roster_for,
)
from verify.gradebook.book import Book, Enlisted
from verify.gradebook.opening import writing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

    from verify.sources.roster import Roster

CLASSROOM = '"identifier","github_username","name"\n"s1","Jane-D","Doe, Jane"\n"s2","ake","Åke"\n'


class Listed:
    """A source that lists what it is given."""

    kind = "folder"
    container = "/srv/cohort"

    def __init__(self, *entries: Entry) -> None:
        self._entries = entries

    def entries(self) -> Iterator[Entry]:
        return iter(self._entries)

    def payload(self, inner: str) -> Any:
        return inner

    def close(self) -> None: ...


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with writing(str(tmp_path / "g.db")) as connection:
        yield connection


@pytest.fixture
def classroom(tmp_path: Path) -> Roster:
    (tmp_path / "students.csv").write_text(CLASSROOM, "utf-8")
    return read_roster(str(tmp_path / "students.csv"))


def never() -> bool:
    return False


def test_who_is_on_the_roster_is_known_by_its_key_and_who_is_not_by_the_source(
    classroom: Roster,
) -> None:
    source = Listed(Entry("jane-d", "jane-d", "2"), Entry("eve", "eve", aliases=("ake",)))
    unknown = Listed(Entry("joe", "joe"))
    enlisting = Enlisting([source, unknown], classroom, frozenset(), never)

    assert list(enlisting.rows()) == [
        Enlisted("s1", "2", "folder", "/srv/cohort", "jane-d"),
        Enlisted("s2", "", "folder", "/srv/cohort", "eve"),
        Enlisted("joe", "", "folder", "/srv/cohort", "joe"),
    ]
    assert list(enlisting.unknown) == ["joe"]


def test_a_signal_ends_the_listing() -> None:
    enlisting = Enlisting([Listed(Entry("joe", "j"))], None, frozenset(), lambda: True)

    with pytest.raises(Interrupted):
        list(enlisting.rows())


def test_a_project_among_the_learners_tells_that_one_submission_was_named() -> None:
    source = Listed(Entry("docs", "docs"), Entry("sandbox", "sandbox"))
    enlisting = Enlisting([source], None, frozenset({"sandbox"}), never)

    with pytest.raises(UnusableSource) as raised:
        list(enlisting.rows())

    assert str(raised.value) == (
        '/srv/cohort looks like one submission: it has "sandbox"; name the folder around it, or a'
        " manifest .csv with its path (where these are learners after all, add --naming plain)"
    )


def test_the_roster_that_is_there_matches_as_the_file_that_it_came_from(
    connection: sqlite3.Connection, classroom: Roster
) -> None:
    book = Book(connection)
    book.enrol(classroom.learners)
    kept = roster_for(connection, book, None, dropped=False)
    met = ["s1", "S1", "JANE-D", "Jane Doe", "DoeJane", "ake", "Ake", "joe"]

    assert kept is not None
    assert list(kept.learners) == list(classroom.learners)
    assert [kept.key_of(Entry(name, "x")) for name in met] == [
        *("s1", "s1", "s1", "s1", "s1", "s2", "s2"),
        None,
    ]
    assert [classroom.key_of(Entry(name, "x")) for name in met] == [
        kept.key_of(Entry(name, "x")) for name in met
    ]
