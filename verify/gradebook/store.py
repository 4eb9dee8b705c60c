"""The file of a gradebook: created, opened for readers or for one writer, or refused."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing, contextmanager, suppress
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from pipeline.files import reason_of
from pipeline.terminal.display import visible
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

VERSION = 7
_UPGRADED = {  # earlier versions that are upgraded, with the digest of their statements
    5: "93516a9a1f4a2bd74314c3dd08f6389bf82b30cd66241041c8e48b37dcd0da06",
    6: "2100d10c06003e5844d953681981d80e0ffa3ac19d87d13aee5a14f76c78aab4",
}
_IDENTITIES = """
INSERT INTO main.identity -- of a roster that version 5 kept
  SELECT learner.key, replace(replace(lower(c.key), '_', ' '), '-', ' ') AS heading, lower(c.value)
  FROM learner, json_each(learner.ids) c WHERE heading IN ('name', 'email', 'e mail', 'id', 'login',
    'username', 'user name', 'github', 'github username', 'gitlab', 'student id', 'student number',
    'matrikelnummer', 'sid', 'netid', 'sis user id', 'sis login id', 'integration id', 'id number')
  ON CONFLICT DO NOTHING;
"""
APPLICATION = 0x47524442  # which SQLite files are gradebooks
_SQLITE = (3, 37)  # strict tables
_ROW_LENGTH = 0  # SQLITE_LIMIT_LENGTH
_MAX_ROW = 32 << 20  # bytes: what we write has half of that at most
_WAIT = 10  # seconds for another process's transaction to end
_SCRATCH = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -1000; -- KiB: what is beyond is in a temporary file
"""

_LOCAL = "choose a gradebook on a local disk"
_BUSY = (
    "is in use by another verify command: wait for it to finish, or choose a different gradebook"
)
_DAMAGED = "is damaged: restore a backup, or move it away and grade again"
_CHANGED = "so another program changed it: restore a backup"
_OTHER_SCHEMA = f"does not have the schema of a gradebook, {_CHANGED}"
# SQLite's messages, and what they mean to an instructor; the first that fits
_MEANINGS = {
    "is full": "cannot grow because the disk is full: make space and run this again",
    "disk I/O": "cannot be used because the disk is full or failing: check it and run this again",
    "is locked": "is in use by another program: close it there and run this again",
    "readonly": "cannot be written: choose a path that you can write to",
    "unable to open": "cannot be opened: check its name, its folder and your permissions",
    "not a database": "is not a gradebook: choose a different gradebook, or move the file away",
    "too big": f"contains a value that is too large, {_CHANGED}",
    "to UTF-8": f"contains text that is not UTF-8, {_CHANGED}",
    "malformed": _DAMAGED,
}


class UnusableGradebook(Fault):
    """A gradebook that cannot be used: one line that says why, and what to do."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{visible(path, 300)} {why}")


@contextmanager
def reading(path: str) -> Iterator[sqlite3.Connection]:
    """Open a gradebook for reading, also while it is written to; raises `UnusableGradebook`."""
    if not os.path.lexists(path):
        step = "run verify batch first, or give the path of a gradebook with --gradebook"
        raise UnusableGradebook(path, f"does not exist: {step}")
    _refuse_folder(path)
    with _connected(path, _reader_mode(path)) as connection:
        connection.execute("PRAGMA query_only = ON")
        version = _version(connection, path)
        if not version:
            raise UnusableGradebook(path, "is empty: run verify batch first")
        if version in _UPGRADED:
            with writing(path):
                pass
        _refuse_other_schema(connection, path)
        yield connection


@contextmanager
def writing(path: str, *, existing: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a gradebook for writing, alone; it is created if missing, unless `existing`.

    Raises `UnusableGradebook`, also in the middle of the work, when the disk is full.
    """
    if existing:
        with reading(path):
            pass
    with alone(path), _connected(path, "mode=rwc") as connection:
        version = _version(connection, path)
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            why = "is on a file system that does not support shared reading (a network share?)"
            raise UnusableGradebook(path, f"{why}: {_LOCAL}")
        # what is committed survives a kill; losing power may cost the last batches, never the file
        connection.execute("PRAGMA synchronous = NORMAL")
        if version != VERSION:
            script = _upgrade(connection, path, version) if version else _schema()
            marks = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"
            connection.executescript(f"BEGIN IMMEDIATE; {script} {marks}")
        _refuse_other_schema(connection, path)  # an upgrade is rolled back then
        if connection.in_transaction:
            connection.execute("COMMIT")
        yield connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit all changes or none; inside another transaction it is part of that one."""
    if connection.in_transaction:
        yield
        return
    with connection:  # commits, or rolls back what has not ended yet
        connection.execute("BEGIN IMMEDIATE")
        yield


class _Scratch(sqlite3.Connection):
    """A connection that closes itself when nothing refers to it any more."""

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # another thread collects it
            self.close()


def scratch(tables: str) -> sqlite3.Connection:
    """Return a database that vanishes when it is closed, in one transaction that never ends."""
    connection = sqlite3.connect(
        "", isolation_level=None, check_same_thread=False, factory=_Scratch
    )
    connection.executescript(f"{_SCRATCH}{tables}BEGIN")
    return connection


def copied(path: str, tables: Sequence[str]) -> sqlite3.Connection:
    """Return a gradebook in memory with some of the tables of another one, if there is one."""
    copy = sqlite3.connect(":memory:", isolation_level=None, factory=_Scratch)
    copy.executescript(_schema())
    if os.path.exists(path):
        with reading(path) as connection:
            for table in tables:
                rows = connection.execute(f"SELECT * FROM {table}")  # noqa: S608  # our own words
                marks = ", ".join("?" * len(rows.description))
                copy.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608
    return copy


def copy_of(path: str, copy: str) -> None:
    """Write a copy of a gradebook as it is now, in this version; it is untouched itself.

    Raises `UnusableGradebook`, also for a damaged one.
    """
    if not os.path.lexists(path):
        raise UnusableGradebook(path, "does not exist: check its path")
    _refuse_folder(path)
    # whoever may write to it and closes it last would move what is in the -wal file
    mode = "mode=ro" if os.path.exists(f"{os.path.realpath(path)}-wal") else _reader_mode(path)
    with _connected(path, mode) as connection:
        if not _version(connection, path):
            step = "give a gradebook that verify batch has written"
            raise UnusableGradebook(path, f"is empty: {step}")
        with closing(sqlite3.connect(copy)) as place:
            connection.backup(place)
    if damage := damage_of(copy):
        raise UnusableGradebook(path, damage.removeprefix(f"{visible(copy, 300)} "))


def utf8(text: str) -> str:
    """Return the text with each lone surrogate as an escape, because SQLite stores UTF-8.

    Bytes of a name that this system's encoding lacks, such as ASCII, are read as UTF-8.
    """
    if text.isascii():
        return text
    with suppress(UnicodeEncodeError):  # it does not come from the bytes of a path
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    return text.encode("utf-8", "backslashreplace").decode()


def utf8_row(row: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values of a row, each of its texts as `utf8` returns it."""
    return tuple([utf8(value) if isinstance(value, str) else value for value in row])


def files_of(path: str) -> list[str]:
    """Return the files of a gradebook: its own, what SQLite keeps beside it, and its lock."""
    place = os.path.realpath(path)
    return [path, *(f"{place}{ending}" for ending in ("-wal", "-shm", "-journal", ".lock"))]


def damage_of(path: str) -> str:
    """Return what is wrong with a gradebook and what to do, in one line; empty for a sound one.

    It reads every row, which takes a while: call it after a command has failed.
    """
    if not os.path.lexists(path):
        return ""
    try:
        with reading(path) as connection:
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            row = connection.execute("PRAGMA foreign_key_check").fetchone()
    except UnusableGradebook as error:
        return str(error)
    if found == "ok" and not row:
        return ""
    what = found if found != "ok" else f"a row in {row[0]} refers to a missing row in {row[2]}"
    step = "restore a backup, or choose a different gradebook and grade again"
    return f"{visible(path, 300)} is damaged ({visible(what)}): {step}"


@contextmanager
def alone(path: str) -> Iterator[None]:
    """Keep other writers out, even if they use another name for the file.

    The lock is SQLite's, on an empty file beside the gradebook: the system releases it when this
    process ends, however it ends.
    """
    _refuse_folder(path)
    place = f"{os.path.realpath(path)}.lock"
    if not os.path.isdir(os.path.dirname(place)):
        raise UnusableGradebook(path, "cannot be created: create its folder first")
    try:
        os.close(os.open(place, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666))
        lock = sqlite3.connect(place, isolation_level=None, timeout=0)
        lock.execute("BEGIN EXCLUSIVE")
    except OSError as error:
        reason = reason_of(error)
        raise UnusableGradebook(path, f"cannot be written: {reason}") from None
    except sqlite3.Error as error:
        why = f"cannot be locked ({visible(str(error))}): {_LOCAL}"
        raise UnusableGradebook(path, _BUSY if "locked" in str(error) else why) from None
    with closing(lock):
        yield


def _refuse_folder(path: str) -> None:
    if os.path.isdir(path):
        raise UnusableGradebook(path, "is a folder: choose a different gradebook")


@contextmanager
def _connected(path: str, mode: str) -> Iterator[sqlite3.Connection]:
    if sqlite3.sqlite_version_info < _SQLITE:
        needed, has = ".".join(map(str, _SQLITE)), sqlite3.sqlite_version
        why = f"needs SQLite {needed}, but this Python has {has}: use a newer Python"
        raise UnusableGradebook(path, why)
    try:
        connection = sqlite3.connect(  # without transactions that we did not begin
            _address(path, mode), isolation_level=None, timeout=_WAIT, uri=True
        )
    except sqlite3.Error as error:
        raise UnusableGradebook(path, f"cannot be opened: {error}") from None
    if hasattr(connection, "setlimit"):  # Python 3.11
        connection.setlimit(_ROW_LENGTH, _MAX_ROW)
    with closing(connection):
        try:
            yield connection
        except sqlite3.DatabaseError as error:
            meaning = meaning_of(error)
            if not meaning:
                raise
            raise UnusableGradebook(path, meaning) from None


def _address(path: str, mode: str) -> str:
    from urllib.parse import quote

    place = os.path.realpath(path).replace(os.sep, "/")
    root = "" if place.startswith("/") else "/"  # before the letter of a Windows drive
    return f"file:{root}{quote(os.fsencode(place))}?{mode}"


def _reader_mode(path: str) -> str:
    """Return how to open a gradebook for reading.

    SQLite also writes files beside the gradebook for readers, and removes them when the last one
    closes it. Where the folder is not writable and has no such files, the gradebook is immutable.
    """
    place = os.path.realpath(path)
    effective = os.access in os.supports_effective_ids
    if os.access(os.path.dirname(place), os.W_OK, effective_ids=effective):
        return "mode=rw"
    return "mode=ro" if os.path.exists(f"{place}-wal") else "mode=ro&immutable=1"


def _schema() -> str:
    with open(os.path.join(os.path.dirname(__file__), "schema.sql"), encoding="utf-8") as script:
        return script.read()


def _upgrade(connection: sqlite3.Connection, path: str, version: int) -> str:
    """Return the script that upgrades a gradebook of an earlier version.

    A table that differs is made anew, with the rows that it had; a large one mostly does not.
    """
    former = _statements(connection)
    if _digest(former) != _UPGRADED[version]:
        raise UnusableGradebook(path, _OTHER_SCHEMA)
    ours = _ours()
    same = {key for key, sql in ours.items() if _plain(sql) == _plain(former.get(key, ""))}
    before, after = [], []
    for kind, name in former:
        if kind == "table" and (kind, name) not in same:
            columns = ", ".join(_columns(connection, name))
            before.append(f"CREATE TEMP TABLE former_{name} AS SELECT * FROM main.{name}")  # noqa: S608
            after.append(
                f"INSERT INTO main.{name} ({columns}) SELECT {columns} FROM former_{name};"  # noqa: S608  # our own words
                f" DROP TABLE temp.former_{name}"
            )
    # views go first, because they name tables
    changed = sorted((key for key in former if key not in same), reverse=True)
    before += [f"DROP {kind} IF EXISTS main.{name}" for kind, name in changed]
    made = [sql for key, sql in ours.items() if key not in same]
    return "\n;".join(
        [*before, *made, *after, "" if ("table", "identity") in same else _IDENTITIES]
    )


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]


def _refuse_other_schema(connection: sqlite3.Connection, path: str) -> None:
    """Refuse tables, constraints, triggers or views that are not ours, however laid out."""
    found, ours = _statements(connection), _ours()
    if found != ours and _digest(found) != _digest(ours):
        raise UnusableGradebook(path, _OTHER_SCHEMA)


@cache  # a command opens its gradebook three or four times
def _ours() -> Mapping[tuple[str, str], str]:
    """Return the statements of the schema."""
    with closing(sqlite3.connect(":memory:")) as ours:
        ours.executescript(_schema())
        return _statements(ours)


def _statements(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Return the statements that make a database, by the kind and the name of what each makes."""
    query = (  # SQLite makes tables and indexes with its own names, but no trigger and no view
        "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        " OR type NOT IN ('table', 'index')"
    )
    return {(kind, name): sql for kind, name, sql in connection.execute(f"{query} ORDER BY rowid")}


def _plain(statement: str) -> str:
    """Return a statement without comments and line breaks."""
    return " ".join(re.sub(r"--[^\n]*", "", statement).split())


def _digest(statements: Mapping[tuple[str, str], str]) -> str:
    """Return a digest of the statements that make a database, in any order."""
    text = "\n".join(sorted(map(_plain, statements.values())))
    return sha256(text.encode()).hexdigest()


def _version(connection: sqlite3.Connection, path: str) -> int:
    """Return the version of a gradebook, 0 for an empty one; refuse what cannot be used."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    try:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except UnicodeDecodeError:  # SQLite's message quotes the schema, which is noise
        raise UnusableGradebook(path, _DAMAGED) from None
    if not (application or version or tables):
        return 0
    if application != APPLICATION:
        raise UnusableGradebook(
            path, "is a database, but not a gradebook: choose a different gradebook"
        )
    if version not in (VERSION, *_UPGRADED):
        step = "use a newer verify" if version > VERSION else "grade again into a new gradebook"
        why = f"is a gradebook of version {version}, not {VERSION}: {step}"
        raise UnusableGradebook(path, why)
    return int(version)


def meaning_of(error: sqlite3.DatabaseError) -> str:
    """Return what an SQLite error means for the file and what to do; empty for a bug of ours."""
    if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
        return ""
    for words, meaning in _MEANINGS.items():
        if words in str(error):
            return meaning
    if isinstance(error, sqlite3.OperationalError):
        return ""
    said = visible(str(error))  # nothing where Python 3.10 cannot decode it
    return f"is damaged ({said}): restore a backup" if said else _DAMAGED
