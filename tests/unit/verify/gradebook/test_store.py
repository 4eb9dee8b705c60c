"""A gradebook is opened whole and current, by one writer, or refused in one line."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.marks import mark_of
from tests.unit.verify.gradebook.conftest import EVIDENCE
from verify.cli import main
from verify.gradebook import store
from verify.gradebook.recording import override
from verify.gradebook.records import FoundSubmission, Learner, Override
from verify.gradebook.store import (
    UnusableGradebook,
    damage_of,
    files_of,
    meaning_of,
    reading,
    writing,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from verify.gradebook.recording import RunRecorder
    from verify.grading.model import ExerciseInfo

NOBODY = 65_534
STRICT = (
    "SELECT DISTINCT strict FROM pragma_table_list"
    " WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
)
OPEN = 0o755
CHANGED = "so another program changed it: restore a backup"


HELD = """
INSERT INTO run VALUES (1, 'grade', 'then', 'later', '[["folder", "/srv/c"]]', '{}', 'eve');
INSERT INTO learner VALUES ('bob', 'Bob', '', '{"e_mail": "Bob@x"}');
INSERT INTO submission VALUES (4, 'bob', 'a', 'folder', '/srv/c', 'bob', 'noon', 1, 'two', 1);
INSERT INTO rules VALUES (2, 'expert/04', 'd', 'Evidence', 5, '[]');
INSERT INTO run_exercise VALUES (1, 0, 2, '');
INSERT INTO reads VALUES (3, '[]');
INSERT INTO result VALUES (7, 4, 'expert/04', 2, 1, 'pass', 5, 'pp', 3, x'', '', x'', NULL);
INSERT INTO override VALUES
  (1, 'ada', 'expert/04', 0, 'plagiarism', 'eve', '2026-11-27T10:00:00Z', NULL, NULL),
  (2, 'bob', 'expert/04', 3, 'oral', 'eve', '2026-11-27T10:00:00Z', 'then', 'eve');
"""
MADE = "2026-11-27T10:00:00Z"
KEPT = {  # by the query
    "SELECT * FROM run": [(1, "", "grade", "then", "later", '[["folder", "/srv/c"]]', "{}", "eve")],
    "SELECT * FROM submission": [
        (4, "", "bob", "a", "folder", "/srv/c", "bob", "noon", 1, "two", 1)
    ],
    "SELECT id, submission, score, outcomes, superseded FROM result": [(7, 4, 5, "pp", None)],
    "SELECT * FROM override ORDER BY id": [
        (1, "", "ada", "expert/04", "score", 0.0, "plagiarism", "eve", MADE, None, None),
        (2, "", "bob", "expert/04", "score", 3.0, "oral", "eve", MADE, "then", "eve"),
    ],
    "SELECT * FROM grade": [("", "bob", "expert/04", 5, "pass 5")],
    "SELECT text FROM unclaimed": [("ada expert/04 (0, plagiarism)",)],
    "PRAGMA user_version": [(7,)],
    "PRAGMA integrity_check": [("ok",)],
    "PRAGMA foreign_key_check": [],
}


def _refused(path: str, *, by: Callable[..., object] = writing) -> str:
    with pytest.raises(UnusableGradebook) as refusal, by(path):  # type: ignore[attr-defined]  # one of two context managers
        pass
    return str(refusal.value)


@pytest.fixture
def readable() -> Iterator[str]:
    """Return a folder that everybody may read and nobody else may write to."""
    folder = tempfile.mkdtemp()
    os.chmod(folder, OPEN)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def stranger(readable: str) -> Iterator[Callable[[], None]]:
    """Return a function that takes away the right to write to the folder."""

    def become() -> None:
        if os.geteuid() == 0:
            os.seteuid(NOBODY)
        else:
            os.chmod(readable, OPEN & ~0o222)

    yield become
    if os.getuid() == 0:
        os.seteuid(0)
    else:
        os.chmod(readable, OPEN)


def _read_through(path: str) -> None:
    with reading(path) as connection:
        for table in _columns(connection):
            connection.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608  # our own names


def _columns(connection: sqlite3.Connection) -> dict[str, list[str]]:
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema")]
    return {
        name: [column[1] for column in connection.execute(f"PRAGMA table_info({name})")]
        for name in names
    }


def test_a_new_gradebook_is_made_and_can_be_read(path: str) -> None:
    with writing(path) as connection:
        made = _columns(connection)
    with reading(path) as connection:
        assert _columns(connection) == made
        assert connection.execute("PRAGMA application_id").fetchone() == (0x47524442,)
        assert connection.execute("PRAGMA user_version").fetchone() == (7,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute(STRICT).fetchall() == [(1,)]

    assert made["run"] == [
        "id",
        "assignment",
        "kind",
        "started",
        "finished",
        "sources",
        "options",
        "by",
    ]


@pytest.fixture(params=[5, 6])
def older(path: str, request: pytest.FixtureRequest) -> str:
    """Return a gradebook of an earlier version with what it can hold."""
    stub = os.path.join(ROOT, "tests", "stubs", f"gradebook-{request.param}.sql")
    with open(stub, encoding="utf-8") as script, closing(sqlite3.connect(path)) as connection:
        connection.executescript(script.read())
        connection.executescript(
            f"PRAGMA application_id = 0x47524442; PRAGMA user_version = {request.param}"
        )
        connection.executescript(HELD)
    return path


@pytest.mark.parametrize("by", [reading, writing])
def test_g2_t1_a_gradebook_of_an_earlier_version_is_upgraded_and_loses_nothing(
    older: str, by: Callable[..., AbstractContextManager[sqlite3.Connection]]
) -> None:
    with by(older) as connection:
        kept = {query: connection.execute(query).fetchall() for query in KEPT}

    assert kept == KEPT


def test_a_roster_that_version_5_kept_identifies_its_learners(older: str) -> None:
    with closing(sqlite3.connect(older)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()
    with reading(older) as connection:
        found = connection.execute("SELECT * FROM identity").fetchall()

    assert found == ([("bob", "e mail", "bob@x")] if version == (5,) else [])


@pytest.mark.parametrize(
    "changed",
    [
        "CREATE TABLE mine (x)",
        "CREATE TRIGGER better AFTER INSERT ON result BEGIN UPDATE result SET score = 9; END",
        "DROP INDEX override_holding",
        "ALTER TABLE submission ADD COLUMN mine TEXT",
    ],
)
def test_an_older_gradebook_with_another_schema_is_refused_and_stays_as_it_is(
    older: str, changed: str
) -> None:
    with closing(sqlite3.connect(older)) as connection:
        connection.execute(changed)
        before = list(connection.iterdump())
    line = f"{older} does not have the schema of a gradebook, {CHANGED}"
    refused = _refused(older), _refused(older, by=reading)
    with closing(sqlite3.connect(older)) as connection:
        after = list(connection.iterdump())

    assert (refused, after) == ((line, line), before)


def test_t1_an_upgrade_that_fails_is_rolled_back(older: str) -> None:
    with closing(sqlite3.connect(older)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        connection.execute("UPDATE run SET kind = 'other'")
        connection.commit()
        before = list(connection.iterdump())
    with pytest.raises(sqlite3.IntegrityError), writing(older):
        pass
    with closing(sqlite3.connect(older)) as connection:
        after = list(connection.iterdump())

    assert after == before


@pytest.mark.parametrize(
    ("version", "step"), [(4, "grade again into a new gradebook"), (8, "use a newer verify")]
)
def test_a_gradebook_of_any_other_version_is_refused(path: str, version: int, step: str) -> None:
    with writing(path) as connection:
        connection.execute(f"PRAGMA user_version = {version}")

    line = f"{path} is a gradebook of version {version}, not 7: {step}"
    assert [_refused(path), _refused(path, by=reading)] == [line, line]


def test_a_second_writer_is_refused_by_any_name_of_the_file(path: str) -> None:
    link = f"{path}-link"
    with writing(path):
        os.symlink(path, link)

        for name in (path, link):
            assert _refused(name) == (
                f"{name} is in use by another verify command: wait for it to finish, or choose"
                " a different gradebook"
            )


def test_a_reader_sees_what_is_committed_while_a_writer_works(
    path: str, connection: sqlite3.Connection, begun: Callable[..., RunRecorder]
) -> None:
    begun()
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM run")
    with reading(path) as reader:
        assert reader.execute("SELECT count(*) FROM run").fetchone() == (1,)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.execute("DELETE FROM run")
    connection.execute("ROLLBACK")


def test_where_there_is_none_nothing_is_read(path: str) -> None:
    assert _refused(path, by=reading) == (
        f"{path} does not exist: run verify batch first, or give the path of a gradebook with"
        " --gradebook"
    )
    assert not os.path.exists(path)


@pytest.mark.parametrize("by", [writing, reading])
def test_another_database_is_left_alone(path: str, by: Callable[..., object]) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE grades (name)")
    other.commit()
    other.close()

    assert (
        _refused(path, by=by)
        == f"{path} is a database, but not a gradebook: choose a different gradebook"
    )


def test_a_damaged_gradebook_is_distinguished_from_a_missing_one(path: str) -> None:
    with writing(path):
        pass
    with open(path, "r+b") as file:
        file.seek(4096 * 2)
        file.write(b"\xff" * 4096 * 4)

    with pytest.raises(UnusableGradebook) as refusal:
        _read_through(path)
    assert str(refusal.value) == (
        f"{path} is damaged: restore a backup, or move it away and grade again"
    )


def test_a_gradebook_in_a_folder_that_may_not_be_written_is_read(
    readable: str, stranger: Callable[[], None]
) -> None:
    path = os.path.join(readable, "a b?.db")
    with writing(path):
        pass
    stranger()

    with reading(path) as connection:
        assert connection.execute("SELECT count(*) FROM run").fetchone() == (0,)


def test_a_file_system_that_readers_cannot_share_is_refused(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = store._address  # noqa: SLF001  # SQLite is told to lock as such a system would
    monkeypatch.setattr(store, "_address", lambda *words: f"{address(*words)}&vfs=unix-none")

    assert _refused(path) == (
        f"{path} is on a file system that does not support shared reading (a network share?): "
        "choose a gradebook on a local disk"
    )


SQLITES_OWN = (  # a name that only SQLite may give
    "INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_better', 'override', 0, 'CREATE TRIGGER"
    " sqlite_better AFTER INSERT ON override BEGIN UPDATE override SET score = 9; END')"
)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER better AFTER INSERT ON result BEGIN UPDATE result SET score = 9; END",
        "CREATE VIEW better AS SELECT id, 9 AS score FROM result",
        "CREATE TABLE better (score)",
        "DROP TABLE finding",
        "DROP INDEX result_current",
        "ALTER TABLE result DROP COLUMN provenance",
        "UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '')",
        SQLITES_OWN,
    ],
)
def test_a_gradebook_of_another_schema_is_refused(path: str, statement: str) -> None:
    with writing(path) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(statement)

    why = f"does not have the schema of a gradebook, {CHANGED}"
    assert [_refused(path), _refused(path, by=reading)] == [f"{path} {why}"] * 2


def test_the_files_of_a_gradebook_are_beside_the_file_itself(tmp_path: Path) -> None:
    place = str(tmp_path.resolve() / "spring.db")
    link = str(tmp_path / "link.db")
    os.symlink("spring.db", link)

    assert files_of(link) == [
        link,
        f"{place}-wal",
        f"{place}-shm",
        f"{place}-journal",
        f"{place}.lock",
    ]


FAILED = mark_of(EVIDENCE, "pf", reads='[["read", "a.json"]]', digests=bytes(16))


@pytest.fixture
def gradebook(path: str, begun: Callable[..., RunRecorder], evidence: ExerciseInfo) -> str:
    """Return a gradebook with a bit of everything."""
    recorder = begun(evidence)
    recorder.enrol([Learner("zoe", "Zoë", ids={"sis": "7"}).row, Learner("abe").row])
    recorder.add_submissions([FoundSubmission("zoe", "", "folder", "/srv/cohort", "zoe")])
    recorder.record([(1, (mark_of(EVIDENCE, "ee"),))])
    recorder.record([(1, (FAILED,))])
    recorder.finish("2026-03-01T13:00:00Z")
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


def test_v_no_statement_has_numbered_parameters() -> None:
    """Python 3.12 warns of them, and 3.14 refuses them."""
    files = [file for pattern in ("*.py", "*.sql") for file in Path(ROOT, "verify").rglob(pattern)]

    assert [
        str(file) for file in files if re.search(r"[\s(=,]\?[0-9]", file.read_text("utf-8"))
    ] == []


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "UPDATE result SET provenance = 'L9', outcomes = 'z'",
            "has a value that is not a list of",
        ),
        (
            "DELETE FROM rules",
            "is damaged (a row in run_exercise refers to a missing row in rules)",
        ),
        ("DELETE FROM reads", "has a value that is not a list of reads"),
        (
            "UPDATE result SET outcome = 'good'",
            "is damaged (CHECK constraint failed in result)",
        ),
        (
            "UPDATE run SET options = '['",
            "has a value that is not the options of a run, so another program changed it",
        ),
        (
            """UPDATE run SET options = '{"run": "a way"}'""",
            "has a value that is not the options of a run, so another program changed it",
        ),
        (
            "UPDATE rules SET exercise = 'x' || id",
            "has a value that is not the name of an exercise",
        ),
        ("UPDATE learner SET ids = '7'", "has a value that is not a JSON object"),
        ("UPDATE rules SET checks = '[{}]'", "has a value that is not a list of checks"),
        ("UPDATE reads SET text = 'x' || id", "has a value that is not a list of reads"),
        ("UPDATE result SET outcomes = 'pz'", "has a value that is not a list of outcomes"),
        ("UPDATE result SET outcomes = 'p'", "has a value that is not a list of outcomes"),
        ("UPDATE finding SET message = CAST(x'61ff' AS TEXT)", "contains text that is not UTF-8"),
        (
            "UPDATE sqlite_schema SET sql = 'noise', name = CAST(x'61ff' AS TEXT)",
            "is damaged: restore a backup",
        ),
    ],
)
def test_a_command_on_it_is_refused_in_one_line(
    gradebook: str,
    statement: str,
    message: str,
    tmp_path: object,
    capsys: pytest.CaptureFixture[str],
) -> None:
    change(gradebook, statement)
    code = main(["export", "--gradebook", gradebook, "--json", f"{tmp_path}/grades.json"])
    out, err = capsys.readouterr()

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"verify: {gradebook} {message}")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            sqlite3.OperationalError("database or disk is full"),
            "cannot grow because the disk is full: make space and run this again",
        ),
        (
            sqlite3.OperationalError("disk I/O error"),
            "cannot be used because the disk is full or failing: check it and run this again",
        ),
        (
            sqlite3.OperationalError("database is locked"),
            "is in use by another program: close it there and run this again",
        ),
        (
            sqlite3.OperationalError("unable to open database file"),
            "cannot be opened: check its name, its folder and your permissions",
        ),
        (
            sqlite3.OperationalError("Could not decode to UTF-8 column 'message'"),
            f"contains text that is not UTF-8, {CHANGED}",
        ),
        (sqlite3.OperationalError('near "SELEC": syntax error'), ""),
        (sqlite3.IntegrityError("UNIQUE constraint failed"), ""),
        (sqlite3.ProgrammingError("Cannot operate on a closed database."), ""),
    ],
)
def test_an_error_says_what_to_do(error: sqlite3.DatabaseError, sentence: str) -> None:
    assert meaning_of(error) == sentence
