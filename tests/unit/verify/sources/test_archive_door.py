"""A submission in an archive answers as a folder would, and hostile members are never followed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipeline.limits import MAX_BYTES
from pipeline.reading import DENIED, MISSING, NOT_REGULAR, TOO_LARGE, Unreadable
from tests.stubs.archives import LINK, opened_source, tar_bytes, written, zip_bytes
from verify.sources.archive_door import FILE, ArchiveDoor, Member
from verify.sources.detect import source_of
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.submission import Submission

PLAN = b'{"steps": []}'
MEMBERS: tuple[tuple[str, bytes | int], ...] = (
    ("plan.json", PLAN),
    ("sandbox/.pipeline/ISSUE-7/plan.json", PLAN),
    ("sandbox/\u00e9t\u00e9.json", PLAN),
    ("sandbox/e\u0301te\u0301-nfd.json", PLAN),
    ("empty/", b""),
    ("link-to-folder", LINK),
    ("link-to-folder/plan.json", PLAN),
    ("large.json", b" " * (MAX_BYTES + 1)),
    ("full.json", b" " * MAX_BYTES),
    ("both", PLAN),
    ("both/plan.json", PLAN),
    ("sandbox/../escaped.json", PLAN),
    ("sandbox//double.json", PLAN),
    ("sandbox/./dot.json", PLAN),
)
OUTSIDE: tuple[tuple[str, bytes | int], ...] = (("../outside.json", PLAN),)

# path -> what reading it answers: bytes, or why it is refused; more names stand in the corpus
READ: dict[str, bytes | str] = {
    "plan.json": PLAN,
    "sandbox/.pipeline/ISSUE-7/plan.json": PLAN,
    "sandbox/\u00e9t\u00e9.json": PLAN,
    "sandbox/e\u0301te\u0301.json": PLAN,
    "sandbox/\u00e9t\u00e9-nfd.json": PLAN,
    "full.json": b" " * MAX_BYTES,
    "missing/plan.json": MISSING,
    "plan.json/plan.json": MISSING,
    "link-to-folder": NOT_REGULAR,
    "link-to-folder/plan.json": NOT_REGULAR,
    "link-to-folder/other.json": NOT_REGULAR,
    "sandbox": NOT_REGULAR,
    "empty": NOT_REGULAR,
    "large.json": TOO_LARGE,
    "both/plan.json": DENIED,
    "sandbox/../escaped.json": MISSING,
    "escaped.json": MISSING,
    "sandbox//double.json": MISSING,
    "sandbox/double.json": MISSING,
    "sandbox/./dot.json": MISSING,
    "sandbox/dot.json": MISSING,
    "../outside.json": MISSING,
    "outside.json": MISSING,
    "ada/plan.json": MISSING,
    "": MISSING,
    "sandbox/": MISSING,
    "plan.json\0": MISSING,
    "\ud800.json": MISSING,
    "/".join("n" * 70): MISSING,
}


OWN = (*MEMBERS, *OUTSIDE)
ALL: dict[str, Callable[[], bytes]] = {
    "all.zip": lambda: zip_bytes(
        *((f"ada/{name}", content) for name, content in MEMBERS), *OUTSIDE, ("bob/x", b"")
    ),
    "nested.zip": lambda: zip_bytes(("ada.zip", zip_bytes(*OWN)), ("bob.zip", b"")),
    "nested-tar.zip": lambda: zip_bytes(
        ("ada/work.tar.xz", tar_bytes(*OWN, packed="xz")), ("bob/x", b"")
    ),
    "folder/ada.tar": lambda: tar_bytes(*OWN),
    "folder/ada.zip": lambda: zip_bytes(*OWN, stored=True),
}


@pytest.fixture(scope="module", params=ALL)
def ada(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Submission]:
    folder = tmp_path_factory.mktemp("source")
    (folder / "folder").mkdir()
    path = written(folder / request.param, ALL[request.param]())
    whole = os.path.dirname(path) if request.param.startswith("folder/") else path
    with opened_source(source_of(whole)) as submissions:
        yield submissions["ada"]


def answer(door: Submission, path: str) -> bytes | str:
    try:
        return door.read(path)
    except Unreadable as refused:
        return refused.reason


def test_a_member_is_read_as_a_file_would_be(ada: Submission) -> None:
    files = {path for path, expected in READ.items() if isinstance(expected, bytes)}

    assert {path: answer(ada, path) for path in READ} == READ
    assert {path for path in READ if ada.is_file(path)} == {*files, "large.json"}


def test_a_folder_is_listed_also_where_only_paths_tell_of_it(ada: Submission) -> None:
    assert ada.names("sandbox") == [
        ".pipeline",
        "e\u0301te\u0301-nfd.json",
        "\u00e9t\u00e9.json",
    ]
    assert ada.names("sandbox/.pipeline") == ["ISSUE-7"]
    assert ada.names("empty") == []
    assert "plan.json" in ada.names("")
    for path, reason in (("plan.json", MISSING), ("link-to-folder", NOT_REGULAR), ("..", MISSING)):
        with pytest.raises(Unreadable) as refused:
            ada.names(path)
        assert refused.value.reason == reason


def test_two_spellings_of_one_name_are_unclear_unless_one_is_exact() -> None:
    door = _door("e\u0301e\u0301", "\u00e9e\u0301")

    assert door.is_file("\u00e9e\u0301")
    with pytest.raises(Unreadable, match="more than once"):
        door.read("\u00e9\u00e9")


def test_longer_names_than_are_read_are_no_submission(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.sources.archive_door.MAX_ARCHIVE_NAMES", 10)

    with pytest.raises(NoSubmission, match="has names of more than 10 bytes"):
        _door("a" * 6, "b" * 6)


def _door(*paths: str) -> ArchiveDoor:
    return ArchiveDoor("root", (Member(path, FILE, None) for path in paths), lambda *_: b"")
