"""The door to a submission: real files, no links, nothing outside, the same through both doors."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from pipeline.files import (
    DENIED,
    MAX_BYTES,
    MISSING,
    NOT_REGULAR,
    TOO_LARGE,
    Unreadable,
)
from verify.submissions.files import (
    MAX_FOLDER_ENTRIES,
    MAX_FOLDER_LEVELS,
    Folder,
    NoSubmission,
    PortableFolder,
    folder_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from verify.submissions.files import Files

TREE = "tree"
PLAN = b'{"steps": []}'

# path -> what reading it answers: bytes, or why it is refused
READ: dict[str, bytes | str] = {
    "plan.json": PLAN,
    "sandbox/.pipeline/ISSUE-7/plan.json": PLAN,
    "sandbox/\u00e9t\u00e9.json": PLAN,
    "missing.json": MISSING,
    "missing/plan.json": MISSING,
    "plan.json/plan.json": MISSING,
    "link-to-file.json": NOT_REGULAR,
    "link-to-nothing.json": NOT_REGULAR,
    "link-out.json": NOT_REGULAR,
    "link-to-folder/plan.json": NOT_REGULAR,
    "link-to-folder": NOT_REGULAR,
    "link-to-root/plan.json": NOT_REGULAR,
    "sandbox/link-out/secret.json": NOT_REGULAR,
    "fifo": NOT_REGULAR,
    "socket": NOT_REGULAR,
    "sandbox": NOT_REGULAR,
    "large.json": TOO_LARGE,
    "{outside}/secret.json": MISSING,
    "/plan.json": MISSING,
    "//plan.json": MISSING,
    "../outside/secret.json": MISSING,
    "sandbox/../plan.json": MISSING,
    "./plan.json": MISSING,
    "sandbox//.pipeline/ISSUE-7/plan.json": MISSING,
    "sandbox/": MISSING,
    "": MISSING,
    "sandbox\\.pipeline": MISSING,
    "back\\slash.json": MISSING,
    "sandbox\\..\\..\\outside/secret.json": MISSING,
    "n" * 300: MISSING,
    "n" * 300 + "/plan.json": MISSING,
    "plan.json\0": MISSING,
    "nul\0/plan.json": MISSING,
    "\ud800.json": MISSING,
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    base = tmp_path_factory.mktemp("s")  # short: the path of a socket has about 100 bytes
    root, outside = base / TREE, base / "outside"
    issue = root / "sandbox" / ".pipeline" / "ISSUE-7"
    issue.mkdir(parents=True)
    outside.mkdir()
    for file in (root / "plan.json", issue / "plan.json", root / "sandbox" / "\u00e9t\u00e9.json"):
        file.write_bytes(PLAN)
    (root / "back\\slash.json").write_bytes(PLAN)  # a name for POSIX, a path for Windows
    (outside / "secret.json").write_bytes(b"secret")
    (root / "large.json").write_bytes(b" " * (MAX_BYTES + 1))
    (root / "link-to-file.json").symlink_to("plan.json")
    (root / "link-to-nothing.json").symlink_to("nothing")
    (root / "link-out.json").symlink_to(outside / "secret.json")
    (root / "link-to-folder").symlink_to("sandbox")
    (root / "link-to-root").symlink_to(root)
    (root / "sandbox" / "link-out").symlink_to(outside)
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "socket"))
        yield root


@pytest.fixture(params=[Folder, PortableFolder])
def door(request: pytest.FixtureRequest, tree: Path) -> Iterator[Files]:
    with request.param(str(tree)) as opened:
        yield opened


def answer(door: Files, path: str) -> bytes | str:
    try:
        return door.read(path)
    except Unreadable as error:
        return error.reason


@pytest.mark.parametrize("path", READ, ids=ascii)
def test_a_path_is_read_or_refused_and_seen_where_it_leads_to_a_file_without_a_link(
    door: Files, tree: Path, path: str
) -> None:
    real = path.format(outside=tree.parent / "outside")

    assert answer(door, real) == READ[path]
    assert door.is_file(real) is (READ[path] in (PLAN, TOO_LARGE))


def test_the_answers_are_the_same_when_asked_again(door: Files) -> None:
    first = [answer(door, path) for path in READ]

    assert [answer(door, path) for path in READ] == first


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("sandbox", [".pipeline", "link-out", "\u00e9t\u00e9.json"]),
        ("sandbox/.pipeline/ISSUE-7", ["plan.json"]),
        ("missing", MISSING),
        ("plan.json", MISSING),
        ("link-to-folder", NOT_REGULAR),
        ("sandbox/link-out", NOT_REGULAR),
        ("..", MISSING),
        ("/sandbox", MISSING),
    ],
)
def test_a_folders_names_are_sorted_or_refused_with_a_reason(
    door: Files, path: str, names: list[str] | str
) -> None:
    try:
        found: list[str] | str = door.names(path)
    except Unreadable as error:
        found = error.reason

    assert found == names


def test_the_root_lists_its_names(door: Files, tree: Path) -> None:
    assert door.names("") == sorted(os.listdir(tree))


@pytest.mark.parametrize("kind", [Folder, PortableFolder])
def test_no_more_names_than_the_limit_are_returned(kind: type[Folder], tmp_path: Path) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(MAX_FOLDER_ENTRIES + 5):
        (many / str(number)).touch()
    with kind(str(tmp_path)) as door:
        names = door.names("many")

    assert len(names) == MAX_FOLDER_ENTRIES


@pytest.mark.parametrize("kind", [Folder, PortableFolder])
def test_what_lies_deeper_than_the_limit_is_refused(kind: type[Folder], tmp_path: Path) -> None:
    folder = "/".join(["d"] * MAX_FOLDER_LEVELS)
    (tmp_path / folder / "d").mkdir(parents=True)
    for deep in (f"{folder}/plan.json", f"{folder}/d/plan.json"):
        (tmp_path / deep).write_bytes(PLAN)
    with kind(str(tmp_path)) as door:
        answers = [answer(door, f"{folder}/{name}") for name in ("plan.json", "d/plan.json")]

    assert answers == [PLAN, MISSING]


@pytest.mark.parametrize("kind", [Folder, PortableFolder])
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("missing", "does not exist"),
        ("", "does not exist"),
        ("nul\0", "does not exist"),
        ("n" * 300, "does not exist"),
        ("{tree}/plan.json", "is not a folder"),
        ("{tree}/fifo", "is not a folder"),
    ],
    ids=["missing", "empty", "nul", "too long", "a file", "a pipe"],
)
def test_a_root_that_is_no_folder_is_refused(
    kind: type[Folder], tree: Path, name: str, sentence: str
) -> None:
    with pytest.raises(NoSubmission) as refusal:
        kind(name.format(tree=tree))

    assert str(refusal.value) == sentence


@pytest.mark.parametrize("kind", [Folder, PortableFolder])
def test_a_root_may_be_named_by_a_link(kind: type[Folder], tree: Path) -> None:
    with kind(str(tree / "link-to-root")) as door:
        found = door.read("plan.json")

    assert found == PLAN


@pytest.mark.parametrize("kind", [Folder, PortableFolder])
def test_what_may_not_be_read_is_denied(kind: type[Folder], tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_bytes(PLAN)
    (tmp_path / "plan.json").chmod(0)
    (tmp_path / "closed").mkdir(mode=0)
    if os.access(tmp_path / "closed", os.R_OK):
        pytest.skip("nothing is closed to root")
    with kind(str(tmp_path)) as door:
        answers = [answer(door, "plan.json"), answer(door, "closed/plan.json")]

    assert answers == [DENIED, DENIED]
    with pytest.raises(NoSubmission, match="permission denied"):
        kind(str(tmp_path / "closed"))


def test_closing_the_door_releases_every_folder(tree: Path) -> None:
    descriptors = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    before = len(os.listdir(descriptors))
    with Folder(str(tree)) as door:
        for path in READ:
            answer(door, path)

    assert len(os.listdir(descriptors)) == before


def test_the_descriptor_walk_is_used_where_the_system_has_it(tree: Path) -> None:
    with folder_at(str(tree)) as door:
        kind = type(door)

    assert kind is (Folder if os.open in os.supports_dir_fd else PortableFolder)
