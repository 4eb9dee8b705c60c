"""Opens a gradebook file: makes it, brings an older one up to date, lets one writer in."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pipeline.terminal.display import visible
from verify.gradebook.transactions import transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

VERSION = 4
_SCHEMA = os.path.join(os.path.dirname(__file__), "schema.sql")
APPLICATION = 0x47524442  # tells a gradebook from any other SQLite file
_REMADE = {  # version 3: tables that are made anew, and the columns that are copied
    "submission": "id, learner, attempt, kind, container, inner, seen",
    "asked": "run, position, rules",
    "result": "id, submission, exercise, rules, run, outcome, score, outcomes, questions, answers,"
    " provenance, superseded",
}
_READABLE = range(2, VERSION + 1)  # an older one is brought up to date
_OLDEST = (3, 37)  # of SQLite: strict tables
_ROW_LENGTH = 0  # SQLITE_LIMIT_LENGTH
_MAX_ROW = 32 << 20  # bytes: what we write has half of that at most
_WAIT = 10  # seconds for another process's transaction to end

_KEPT = "what was graded so far is kept"
# What SQLite says, and what that means to somebody who grades; the first that fits.
_DAMAGED = "is damaged: put a copy of it back, or move it away and grade again"
_MEANINGS = (
    ("is full", f"cannot grow, the disk is full; {_KEPT}: free some space and run this again"),
    ("disk I/O error", f"cannot be used, the disk is full or failing; {_KEPT}: look at the disk"),
    ("is locked", "is in use by another program: close it there and run this again"),
    ("readonly database", "may not be written: name a --gradebook where you may write"),
    ("unable to open", "cannot be opened: look at its name, its folder and your permissions"),
    ("not a database", "is no gradebook: name another --gradebook, or move the file away"),
    ("too big", "has a text larger than any of ours, somebody changed it: put a copy of it back"),
    ("decode to UTF-8", "has a text that is not UTF-8, somebody changed it: put a copy of it back"),
    ("malformed", _DAMAGED),
)


class UnusableGradebook(Exception):
    """A gradebook that cannot be used; the message is one line that says what to do."""


def shown(path: str) -> str:
    """Return a path as a message shows it."""
    return visible(path, 300)


def files_of(path: str) -> list[str]:
    """Return the files of a gradebook: its own, what SQLite keeps beside it, and its lock."""
    place = os.path.realpath(path)
    return [path, *(f"{place}{ending}" for ending in ("-wal", "-shm", "-journal", ".lock"))]


@contextmanager
def reading(path: str) -> Iterator[sqlite3.Connection]:
    """Open a gradebook that is there, for reading; another process may be writing to it.

    Raises:
        UnusableGradebook: missing, no gradebook, damaged, or of another version.
    """
    if not os.path.lexists(path):
        told = f"{shown(path)} does not exist: grade a cohort first"
        raise UnusableGradebook(f"{told}, or name its file with --gradebook")
    if os.path.isdir(path):
        raise UnusableGradebook(f"{shown(path)} is a folder, not a gradebook")
    mode = _reader_mode(path)
    with _connected(path, mode) as connection:
        connection.execute("PRAGMA query_only = ON")
        version = _version(connection, path)
        if version == 0:
            raise UnusableGradebook(f"{shown(path)} is empty: grade a cohort first")
        if version not in _READABLE:
            raise UnusableGradebook(_other_version(path, version))
        if version < VERSION:
            if mode != "rw":
                step = "copy it to where you may write, that brings it up to date"
                raise UnusableGradebook(_other_version(path, version, step))
            with writing(path):
                pass
        _compare_schema(connection, path)
        yield connection


@contextmanager
def writing(path: str) -> Iterator[sqlite3.Connection]:
    """Open a gradebook for writing, alone; it is made where there is none.

    Raises:
        UnusableGradebook: as `reading`, or another process is writing to it, or it cannot be
            written: also in the middle of the work, when the disk is full.
    """
    with _alone(path), _connected(path, "rwc") as connection:
        _up_to_date(connection, path)
        yield connection


@contextmanager
def changing(path: str) -> Iterator[sqlite3.Connection]:
    """Open a gradebook that is there for writing, as `writing`.

    Raises:
        UnusableGradebook: as `writing` and `reading`.
    """
    with reading(path):
        pass
    with writing(path) as connection:
        yield connection


def damage_of(path: str) -> str:
    """Return what is wrong with a gradebook, in one line with what to do; empty for a sound one.

    It reads every row, which takes a while: ask where a command has failed.
    """
    if not os.path.lexists(path):
        return ""
    try:
        with reading(path) as connection:
            found = _broken_constraint(connection)
    except UnusableGradebook as error:
        return str(error)
    step = "put a copy of it back, or name another --gradebook and grade again"
    return f"{shown(path)} is damaged ({visible(found)}): {step}" if found else ""


def _broken_constraint(connection: sqlite3.Connection) -> str:
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        return str(found)
    row = connection.execute("PRAGMA foreign_key_check").fetchone()
    return f"a row in {row[0]} refers to a missing row in {row[2]}" if row else ""


@contextmanager
def _alone(path: str) -> Iterator[None]:
    """Keep other writers out, whatever name they call the file by."""
    if os.path.isdir(path):
        raise UnusableGradebook(f"{shown(path)} is a folder, not a gradebook")
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise UnusableGradebook(f"{shown(path)} cannot be made: its folder does not exist")
    lock = _locked(path)
    try:
        yield
    finally:
        lock.close()


def _locked(path: str) -> sqlite3.Connection:
    """Return a lock that the system takes back when this process ends, however it ends.

    It is SQLite's own, on an empty file beside the gradebook: the same on every system, and
    nothing more to import.
    """
    place = f"{os.path.realpath(path)}.lock"
    try:
        os.close(os.open(place, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666))
        lock = sqlite3.connect(place, isolation_level=None, timeout=0)
        lock.execute("BEGIN EXCLUSIVE")
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise UnusableGradebook(f"{shown(path)} cannot be written: {reason}") from None
    except sqlite3.Error as error:
        busy = f"{shown(path)} is in use: another verify command is writing to it"
        if "locked" in str(error):
            raise UnusableGradebook(f"{busy}; wait for it, or name another --gradebook") from None
        why = f"{shown(path)} cannot be locked by {shown(place)} ({visible(str(error))})"
        raise UnusableGradebook(f"{why}: name a --gradebook on a local disk") from None
    return lock


@contextmanager
def _connected(path: str, mode: str) -> Iterator[sqlite3.Connection]:
    if sqlite3.sqlite_version_info < _OLDEST:
        needed = ".".join(map(str, _OLDEST))
        raise UnusableGradebook(
            f"this Python has SQLite {visible(sqlite3.sqlite_version)}, a gradebook needs {needed}:"
            " use a newer Python"
        )
    try:
        # transactions are ours to begin and end
        connection = sqlite3.connect(
            _address(path, mode), isolation_level=None, timeout=_WAIT, uri=True
        )
    except sqlite3.Error as error:
        raise UnusableGradebook(f"{shown(path)} cannot be opened: {error}") from None
    if hasattr(connection, "setlimit"):  # Python 3.11
        connection.setlimit(_ROW_LENGTH, _MAX_ROW)
    try:
        yield connection
    except sqlite3.DatabaseError as error:
        sentence = told(path, error)
        if not sentence:
            raise
        raise UnusableGradebook(sentence) from None
    finally:
        connection.close()


def _address(path: str, mode: str) -> str:
    from urllib.parse import quote

    place = os.path.realpath(path).replace(os.sep, "/")
    root = "" if place.startswith("/") else "/"  # before the letter of a Windows drive
    asked = "mode=ro&immutable=1" if mode == "frozen" else f"mode={mode}"
    return f"file:{root}{quote(os.fsencode(place))}?{asked}"


def _reader_mode(path: str) -> str:
    """Return how to open a gradebook for reading.

    SQLite keeps files of its own beside the gradebook, for readers too; who may write removes them
    when the last one closes it. Where nobody may, and no writer has left any, it is `frozen`.
    """
    place = os.path.realpath(path)
    effective = os.access in os.supports_effective_ids
    writable = os.access(os.path.dirname(place), os.W_OK, effective_ids=effective)
    if writable:
        return "rw"
    return "ro" if os.path.exists(f"{place}-wal") else "frozen"


def _up_to_date(connection: sqlite3.Connection, path: str) -> None:
    version = _version(connection, path)
    if version and version not in _READABLE:
        raise UnusableGradebook(_other_version(path, version))
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        why = "stands on a file system that its readers cannot share (a network share?)"
        raise UnusableGradebook(f"{shown(path)} {why}: name a --gradebook on a local disk")
    # what is committed survives a kill; losing power may cost the last batches, never the file
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = OFF")  # rows are written by ids just read
    if version < VERSION:
        with transaction(connection):
            try:
                _migrate(connection, version)
            except (sqlite3.OperationalError, sqlite3.IntegrityError) as error:
                raise UnusableGradebook(told(path, error) or _altered(path)) from None
            _compare_schema(connection, path)
    else:
        _compare_schema(connection, path)


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    if version == 0:
        for statement in _schema():
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
    else:
        for statement in ("DROP TABLE IF EXISTS flight", *_remaking()):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _remaking() -> Iterator[str]:
    """Yield what makes tables of version 3 as the schema has them, with their rows."""
    yield "PRAGMA legacy_alter_table = ON"  # what refers to a table goes on to do so by its name
    yield "DROP INDEX result_current"
    for table, columns in _REMADE.items():
        yield f"ALTER TABLE {table} RENAME TO old"
        yield next(each for each in _schema() if f"CREATE TABLE {table} " in each)
        yield f"INSERT INTO {table} ({columns}) SELECT {columns} FROM old"  # noqa: S608  # our own words
        yield "DROP TABLE old"
    yield next(each for each in _schema() if "INDEX result_current" in each)


def _schema() -> list[str]:
    with open(_SCHEMA, encoding="utf-8") as script:
        return list(_statements(script.read()))


def _compare_schema(connection: sqlite3.Connection, path: str) -> None:
    """Refuse tables, constraints, triggers or views that are not ours."""
    query = "SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    if _normalised(_schema()) != _normalised(sql for (sql,) in connection.execute(query)):
        raise UnusableGradebook(_altered(path))


def _altered(path: str) -> str:
    why = "has another schema than a gradebook: somebody changed it"
    return f"{shown(path)} {why}; put a copy of it back"


def _normalised(statements: Iterable[str]) -> list[str]:
    """Return statements in order, without comments, semicolons and line breaks."""
    plain = (re.sub(r"--[^\n]*", "", each).rstrip(";\n ") for each in statements)
    return sorted(" ".join(each.split()) for each in plain)


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script: executescript would commit after each."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _version(connection: sqlite3.Connection, path: str) -> int:
    """Return a gradebook's version, 0 for a new file."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    try:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except UnicodeDecodeError:  # SQLite's message quotes the schema, which is noise
        raise UnusableGradebook(f"{shown(path)} {_DAMAGED}") from None
    if application != APPLICATION and (tables or application or version):
        raise UnusableGradebook(f"{shown(path)} is a database, but no gradebook")
    return int(version) if application == APPLICATION else 0


def _other_version(path: str, version: int, step: str = "") -> str:
    newer, older = "use a newer verify", "grade again into a new --gradebook"
    step = step or (newer if version > VERSION else older)
    return f"{shown(path)} is a gradebook of version {version}, not {VERSION}: {step}"


def told(path: str, error: sqlite3.DatabaseError) -> str:
    """Return the message for what SQLite raised; empty for what is no state of the file."""
    if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
        return ""
    for said, meaning in _MEANINGS:
        if said in str(error):
            return f"{shown(path)} {meaning}"
    if isinstance(error, sqlite3.OperationalError):
        return ""
    return f"{shown(path)} is damaged ({visible(str(error))}): put a copy of it back"
