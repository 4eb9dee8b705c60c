"""Hostile and damaged repositories: nothing outside is read, nothing large is inflated."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import struct
import zlib
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from pipeline.reading import DENIED, TOO_LARGE, Unreadable
from tests.stubs.repositories import UserRepository, git
from verify.history.bundles import Most
from verify.history.packs import MAX_OBJECT
from verify.sources.git_source import GitBackend
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from pathlib import Path

    from verify.submission import Submission

BLOB, BASE_BY_NAME = 3, 7
HUGE = 64 << 20
sha1 = functools.partial(hashlib.sha1, usedforsecurity=False)


@pytest.fixture
def work(tmp_path: Path) -> UserRepository:
    """Return a learner's repository with one file, all objects in files of their own."""
    made = UserRepository(tmp_path / "place" / "alice")
    made.write("plan.json", "{}")
    made.commit()
    return made


def door_of(work: UserRepository) -> Submission:
    with GitBackend(os.path.dirname(work.folder)) as backend:
        return backend.submission(work.folder.name)


def refusal(work: UserRepository, path: str = "plan.json") -> tuple[str, str]:
    door = door_of(work)
    try:
        with pytest.raises(Unreadable) as refused:
            door.read(path)
    finally:
        door.close()
    return refused.value.reason, str(refused.value)


def file_of(work: UserRepository, name: str) -> Path:
    return work.folder / ".git" / "objects" / name[:2] / name[2:]


def numbered(kind: int, size: int) -> bytes:
    """Return the head of a pack's entry."""
    first, size = kind << 4 | size & 15, size >> 4
    made = bytearray()
    while size:
        made.append(first | 0x80)
        first, size = size & 0x7F, size >> 7
    return bytes([*made, first])


def sized(number: int) -> bytes:
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*made, number])


def pack(work: UserRepository, entries: list[tuple[bytes, bytes]]) -> None:
    """Put a pack of (name, entry) and its index, as git lays them out, into a repository."""
    data, offsets = b"PACK" + struct.pack(">II", 2, len(entries)), {}
    for name, entry in entries:
        offsets[name] = len(data)
        data += entry
    names = sorted(offsets)
    fan = [sum(1 for name in names if name[0] <= first) for first in range(256)]
    index = b"\xfftOc" + struct.pack(">I256I", 2, *fan) + b"".join(names)
    index += bytes(4 * len(names)) + b"".join(struct.pack(">I", offsets[name]) for name in names)
    folder = work.folder / ".git" / "objects" / "pack"
    folder.mkdir(exist_ok=True)
    (folder / "pack-0.pack").write_bytes(data + sha1(data).digest())
    (folder / "pack-0.idx").write_bytes(index + bytes(40))


def blob_name(data: bytes) -> bytes:
    return sha1(b"blob %d\0" % len(data) + data).digest()


def naming(work: UserRepository, file: str, name: bytes) -> None:
    """Commit a file whose object need not exist."""
    work.git("update-index", "--add", "--cacheinfo", f"100644,{name.hex()},{file}")
    tree = work.git("write-tree", "--missing-ok")
    work.git("update-ref", "refs/heads/main", work.git("commit-tree", "-m", "feat: it", tree))


def test_a_small_file_made_from_a_huge_base_is_refused_before_that_is_inflated(
    work: UserRepository,
) -> None:
    small = bytes(10)
    delta = sized(HUGE) + sized(10) + b"\x90\x0a"
    base = b"b" * 20
    pack(
        work,
        [
            (base, numbered(BLOB, HUGE) + zlib.compress(b"no zeros at all")),
            (blob_name(small), numbered(BASE_BY_NAME, len(delta)) + base + zlib.compress(delta)),
        ],
    )
    naming(work, "bomb.json", blob_name(small))

    assert refusal(work, "bomb.json") == (
        TOO_LARGE,
        "is larger than 1024 KiB, the most that is read",
    )


def test_a_small_file_at_the_end_of_a_long_way_of_large_ones_is_refused(
    work: UserRepository,
) -> None:
    large = MAX_OBJECT.to_bytes(3, "little")
    whole = sized(MAX_OBJECT) + sized(MAX_OBJECT) + b"\xf0" + large
    names = [bytes([n]) * 20 for n in range(1, 20)]
    entries = [(names[0], numbered(BLOB, MAX_OBJECT) + zlib.compress(bytes(MAX_OBJECT)))]
    for base, name in pairwise(names):
        entry = numbered(BASE_BY_NAME, len(whole)) + base + zlib.compress(whole)
        entries.append((name, entry))
    last, small = sized(MAX_OBJECT) + sized(1) + b"\x90\x01", blob_name(b"\0")
    entries.append((small, numbered(BASE_BY_NAME, len(last)) + names[-1] + zlib.compress(last)))
    pack(work, entries)
    naming(work, "far.json", small)

    assert refusal(work, "far.json")[0] == TOO_LARGE


@pytest.mark.parametrize("size", [HUGE, 1 << 60])
def test_a_large_file_is_refused_by_the_size_that_stands_before_it(
    size: int, work: UserRepository
) -> None:
    name = b"n" * 20
    pack(work, [(name, numbered(BLOB, size) + zlib.compress(b"a"))])
    naming(work, "packed.json", name)
    loose = "ab" * 20
    file_of(work, loose).parent.mkdir(exist_ok=True)
    file_of(work, loose).write_bytes(zlib.compress(b"blob %d\0a" % size))
    naming(work, "loose.json", bytes.fromhex(loose))

    assert refusal(work, "packed.json")[0] == TOO_LARGE
    assert refusal(work, "loose.json")[0] == TOO_LARGE


def test_an_entry_that_inflates_to_more_than_it_states_is_damaged(work: UserRepository) -> None:
    name = b"n" * 20
    pack(work, [(name, numbered(BLOB, 3) + zlib.compress(bytes(HUGE), 9))])
    naming(work, "lie.json", name)

    told = "an entry of its pack is not of the size that it states"

    assert refusal(work, "lie.json") == (
        DENIED,
        f"cannot be read: git object {name.hex()[:12]} is damaged or lacking: {told}",
    )


def test_deltas_that_are_each_others_base_end(work: UserRepository) -> None:
    one, other = b"1" * 20, b"2" * 20
    delta = zlib.compress(sized(1) + sized(1) + b"\x90\x01")
    pack(
        work,
        [
            (one, numbered(BASE_BY_NAME, 4) + other + delta),
            (other, numbered(BASE_BY_NAME, 4) + one + delta),
        ],
    )
    naming(work, "loop.json", one)

    assert "a delta in its pack has no end of bases" in refusal(work, "loop.json")[1]


@pytest.mark.parametrize(
    ("delta", "told"),
    [
        (sized(3) + sized(4) + b"\x90\x04", "copies from beyond its base"),
        (sized(3) + sized(4) + b"\x00\x00\x00\x00", "has an unknown step"),
        (sized(3) + sized(9) + b"\x01a", "makes something of another size"),
        (sized(3) + sized(1) + b"\x01a\x01b", "makes something of another size"),
        (sized(9) + sized(1) + b"\x01a", "is for another base"),
        (b"\x83" * 12, "a number in it does not end"),
        (sized(3) + sized(4) + b"\x91", "is cut off"),
    ],
)
def test_a_damaged_delta_is_told(delta: bytes, told: str, work: UserRepository) -> None:
    base, name = b"b" * 20, b"n" * 20
    pack(
        work,
        [
            (base, numbered(BLOB, 3) + zlib.compress(b"abc")),
            (name, numbered(BASE_BY_NAME, len(delta)) + base + zlib.compress(delta)),
        ],
    )
    naming(work, "delta.json", name)

    assert told in refusal(work, "delta.json")[1]


@pytest.mark.parametrize("packed", [False, True])
def test_an_object_under_a_wrong_name_is_refused(packed: bool, work: UserRepository) -> None:  # noqa: FBT001  # a case
    name = "cd" * 20
    if packed:
        pack(work, [(bytes.fromhex(name), numbered(BLOB, 3) + zlib.compress(b"abc"))])
    else:
        file_of(work, name).parent.mkdir(exist_ok=True)
        file_of(work, name).write_bytes(zlib.compress(b"blob 3\0abc"))
    naming(work, "plan.json", bytes.fromhex(name))

    assert refusal(work)[1].endswith("is damaged or lacking: its content is another one's")


def test_other_repositories_objects_are_not_borrowed(work: UserRepository, tmp_path: Path) -> None:
    other = UserRepository(tmp_path / "other")
    other.write("plan.json", "the work of another one")
    other.commit()
    name = other.git("rev-parse", "HEAD:plan.json")
    (work.folder / ".git/objects/info").mkdir(exist_ok=True)
    (work.folder / ".git/objects/info/alternates").write_text(f"{other.folder}/.git/objects\n")
    naming(work, "plan.json", bytes.fromhex(name))

    assert git(work.folder, "show", "HEAD:plan.json") == "the work of another one"
    assert refusal(work)[1].endswith(
        "it is not there, and the other repositories that this one borrows from are not read"
    )


def test_links_and_pipes_in_a_repository_are_not_followed(
    work: UserRepository, tmp_path: Path
) -> None:
    other = UserRepository(tmp_path / "other")
    other.write("plan.json", "the work of another one")
    other.commit()
    objects, refs, head = (work.folder / ".git" / n for n in ("objects", "refs", "HEAD"))
    told = []
    for place, target in ((objects, other.folder / ".git/objects"), (refs, tmp_path), (head, "/x")):
        moved = tmp_path / "moved"
        place.rename(moved)
        place.symlink_to(target)
        with pytest.raises(NoSubmission) as refused:
            door_of(work)
        told.append(str(refused.value))
        place.unlink()
        moved.rename(place)
    head.unlink()
    os.mkfifo(head)
    with pytest.raises(NoSubmission):
        door_of(work)

    assert [text.partition(" is reached")[0] for text in told] == [
        "cannot be read as a git repository:",
        "cannot be read as a git repository:",
        "is no git repository: it has no HEAD, nor a folder .git with one",
    ]


def test_a_git_file_that_points_elsewhere_is_not_followed(
    work: UserRepository, tmp_path: Path
) -> None:
    other = UserRepository(tmp_path / "other")
    other.commit(plan="{}")
    shutil.rmtree(work.folder / ".git")
    (work.folder / ".git").write_text(f"gitdir: {other.folder}/.git\n")

    with pytest.raises(NoSubmission, match=r"its \.git is a file that points elsewhere"):
        door_of(work)


def test_replaced_objects_are_read_as_they_were(work: UserRepository) -> None:
    old = work.git("rev-parse", "HEAD:plan.json")
    work.write("plan.json", "replaced")
    new = work.git("hash-object", "-w", "plan.json")
    work.git("replace", old, new)
    door = door_of(work)
    found = door.read("plan.json")
    door.close()

    assert git(work.folder, "show", "HEAD:plan.json") == "replaced"
    assert found == b"{}"


def test_a_tree_that_names_a_file_twice_is_damaged(work: UserRepository) -> None:
    blob = bytes.fromhex(work.git("rev-parse", "HEAD:plan.json"))
    data = 2 * (b"100644 plan.json\0" + blob)
    stored = b"tree %d\0" % len(data) + data
    name = sha1(stored).hexdigest()
    file_of(work, name).parent.mkdir(exist_ok=True)
    file_of(work, name).write_bytes(zlib.compress(stored))
    commit = work.git("commit-tree", "-m", "feat: twice", name)
    work.git("update-ref", "refs/heads/main", commit)

    assert refusal(work)[1].endswith("is damaged or lacking: it names something twice")


def test_a_tree_bomb_costs_nothing_but_the_paths_that_are_asked_for(work: UserRepository) -> None:
    entry, name = "100644 blob", work.git("rev-parse", "HEAD:plan.json")
    for _ in range(12):
        lines = "".join(f"{entry} {name}\tf{n}\n" for n in range(10))
        name, entry = work.git("mktree", text=lines), "040000 tree"
    work.git("update-ref", "refs/heads/main", work.git("commit-tree", "-m", "feat: bomb", name))
    door = door_of(work)
    found = door.read("/".join(["f3"] * 12))
    door.close()

    assert found == b"{}"


@pytest.mark.parametrize("cut", [0, 4, 40, 200])
def test_a_bundle_that_is_cut_off_is_that_learners_outcome(
    cut: int, work: UserRepository, tmp_path: Path
) -> None:
    place = tmp_path / "bundles"
    place.mkdir()
    work.git("bundle", "create", "--quiet", str(place / "a.bundle"), "--all")
    data = (place / "a.bundle").read_bytes()
    (place / "a.bundle").write_bytes(data[:cut])
    with GitBackend(str(place)) as backend, pytest.raises(NoSubmission):
        backend.submission("a.bundle")


def test_a_bundle_of_a_bomb_is_given_up(
    work: UserRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify.sources.git_opening.Most", lambda: Most(inflated=1 << 20))
    work.write("zeros", "\0" * (2 << 20))
    work.commit()
    work.git("bundle", "create", "--quiet", str(tmp_path / "a.bundle"), "--all")
    with (
        GitBackend(str(tmp_path)) as backend,
        pytest.raises(NoSubmission, match="holds more than a grader reads through"),
    ):
        backend.submission("a.bundle")


def test_a_bundle_that_claims_very_many_objects_is_given_up_at_once(
    work: UserRepository, tmp_path: Path
) -> None:
    work.git("bundle", "create", "--quiet", str(tmp_path / "a.bundle"), "--all")
    head, mark, rest = (tmp_path / "a.bundle").read_bytes().partition(b"PACK\0\0\0\2")
    (tmp_path / "a.bundle").write_bytes(head + mark + b"\xff" * 4 + rest[4:])
    with (
        GitBackend(str(tmp_path)) as backend,
        pytest.raises(NoSubmission, match="holds more than a grader reads through"),
    ):
        backend.submission("a.bundle")
