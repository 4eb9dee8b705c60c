"""An archive answers as a folder would; what cannot be read is unresolved, and quickly said."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import struct
import time
import zipfile
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pipeline.files import DENIED, FILE, MAX_BYTES, MISSING, NOT_REGULAR, TOO_LARGE, Unreadable
from tests.stubs.archives import LINK, tar_bytes, zip_bytes
from tests.stubs.clock import slowness
from verify.submissions import archives
from verify.submissions.archives import bounded_zip, member_path, open_archive, zip_member
from verify.submissions.files import SUBMIT, Unresolved
from verify.submissions.members import Member, Members

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PLAN = b'{"steps": []}'
MEMBERS: tuple[tuple[str, bytes | int], ...] = (
    ("plan.json", PLAN),
    ("sandbox\\.pipeline\\ISSUE-7\\plan.json", PLAN),
    ("sandbox/\u00e9t\u00e9.json", PLAN),
    ("sandbox/e\u0301te\u0301-nfd.json", PLAN),
    ("./empty/", b""),
    ("link-to-folder", LINK),
    ("link-to-folder/plan.json", PLAN),
    ("large.json", b" " * (MAX_BYTES + 1)),
    ("full.json", b" " * MAX_BYTES),
    ("both", PLAN),
    ("both/plan.json", PLAN),
    ("twice", PLAN),
    ("twice", b"{}"),
    ("sandbox/../escaped.json", PLAN),
    ("sandbox//double.json", PLAN),
    ("../outside.json", PLAN),
    ("/absolute.json", PLAN),
    ("C:drive.json", PLAN),
    ("__MACOSX/plan.json", PLAN),
    ("sandbox/._plan.json", PLAN),
    ("Thumbs.db", PLAN),
)
# path -> what reading it answers: bytes, or why it is refused
READ: dict[str, bytes | str] = {
    "plan.json": PLAN,
    "sandbox/.pipeline/ISSUE-7/plan.json": PLAN,
    "sandbox/\u00e9t\u00e9.json": PLAN,
    "sandbox/e\u0301te\u0301-nfd.json": PLAN,
    "full.json": b" " * MAX_BYTES,
    "both": PLAN,
    "missing/plan.json": MISSING,
    "plan.json/plan.json": MISSING,
    "link-to-folder": NOT_REGULAR,
    "link-to-folder/plan.json": NOT_REGULAR,
    "link-to-folder/other.json": NOT_REGULAR,
    "sandbox": NOT_REGULAR,
    "empty": NOT_REGULAR,
    "large.json": TOO_LARGE,
    "both/plan.json": DENIED,
    "twice": DENIED,
    "twice/plan.json": DENIED,
    "escaped.json": MISSING,
    "sandbox/../escaped.json": MISSING,
    "sandbox/double.json": MISSING,
    "sandbox//double.json": MISSING,
    "outside.json": MISSING,
    "absolute.json": MISSING,
    "drive.json": MISSING,
    "__MACOSX/plan.json": MISSING,
    "sandbox/._plan.json": MISSING,
    "Thumbs.db": MISSING,
    "": MISSING,
    "sandbox/": MISSING,
    "plan.json\0": MISSING,
    "\ud800.json": MISSING,
    "/".join("n" * 70): MISSING,
}
KINDS: dict[str, Callable[[], bytes]] = {
    "zip": lambda: zip_bytes(*MEMBERS),
    "stored": lambda: zip_bytes(*MEMBERS, stored=True),
    "tar": lambda: tar_bytes(*MEMBERS),
    "gz": lambda: tar_bytes(*MEMBERS, packed="gz"),
    "xz": lambda: tar_bytes(*MEMBERS, packed="xz"),
    "bz2": lambda: tar_bytes(*MEMBERS, packed="bz2"),
}


def opened(content: bytes, name: str = "work") -> Members:
    return open_archive(name, io.BytesIO(content), "root")


def answer(files: Members, path: str) -> bytes | str:
    try:
        return files.read(path)
    except Unreadable as refused:
        return refused.reason


@pytest.mark.parametrize("kind", KINDS)
def test_a_member_is_read_as_a_file_would_be_whatever_it_is_packed_in(kind: str) -> None:
    files = opened(KINDS[kind](), "any name.txt")
    regular = {path for path, expected in READ.items() if isinstance(expected, bytes)}

    assert {path: answer(files, path) for path in READ} == READ
    assert {path for path in READ if files.is_file(path)} == {*regular, "large.json"}
    assert files.names("sandbox") == [".pipeline", "e\u0301te\u0301-nfd.json", "\u00e9t\u00e9.json"]
    assert (files.names("empty"), files.names("", 2)) == ([], ["both", "empty"])
    for path, reason in (("plan.json", MISSING), ("link-to-folder", NOT_REGULAR), ("..", MISSING)):
        with pytest.raises(Unreadable) as refused:
            files.names(path)
        assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\x28\xb5\x2f\xfd1", "is a Zstandard archive, which is not supported"),
        (gzip.compress(b"hi", mtime=0), "is not a .zip or .tar archive"),
    ],
)
def test_what_cannot_be_read_is_unresolved_and_says_what_to_submit(
    content: bytes, what: str
) -> None:
    with pytest.raises(Unresolved) as refused:
        opened(content)

    assert (refused.value.reason, refused.value.step) == (f'"work" {what}', SUBMIT)


def test_a_zip_with_a_huge_directory_is_refused_before_it_is_read(tmp_path: Path) -> None:
    size = 512 << 20
    with open(tmp_path / "sparse.zip", "w+b") as file:
        file.truncate(size)
        file.seek(size)
        file.write(struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, size, 0, 0))
        begun = time.process_time()
        with pytest.raises(
            Unresolved, match="has more than 100,000 files, or a file list larger than 16 MiB"
        ):
            open_archive("work", file, "root")

    assert time.process_time() - begun < 0.2 * slowness()


def test_a_zip_of_a_class_may_have_a_larger_directory() -> None:
    content = zip_bytes(("ada\\plan.json", PLAN), ("__MACOSX/x", b""))
    with pytest.raises(Unresolved, match="has more than 1 files"):
        bounded_zip(io.BytesIO(content), members=1)
    file = io.BytesIO(content)
    with bounded_zip(file, 1 << 30, 10) as archive:
        paths = [member_path(info) for info in archive.infolist()]
        member = zip_member(file, archive.infolist()[0])

        assert (paths, member.nature, member.read(20)) == (["ada/plan.json", ""], FILE, PLAN)
        with pytest.raises(Unreadable, match="larger than the limit of 12 bytes"):
            member.read(len(PLAN) - 1)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_pieces_that_were_packed_one_by_one_are_one(pack: Callable[[bytes], bytes]) -> None:
    whole = tar_bytes(("a", PLAN * 900))
    pieces = [pack(whole[at : at + 2_000]) for at in range(0, len(whole), 2_000)]

    assert opened(bytes(9_000).join(pieces) + bytes(9_000)).read("a") == PLAN * 900


def test_xz_that_wants_too_much_memory_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    small = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, 1 << 16)
    monkeypatch.setattr(archives, "UNPACKERS", {b"\xfd7zXZ": small})

    with pytest.raises(Unresolved, match="needs more than 256 MiB of memory to unpack"):
        opened(tar_bytes(("a", PLAN), packed="xz"))


def test_an_encrypted_member_is_unresolved() -> None:
    content = bytearray(zip_bytes(("plan.json", PLAN)))
    content[content.index(b"PK\1\2") + 8] |= 1

    file = io.BytesIO(content)
    message = '"plan.json" cannot be read: it is encrypted in the archive'
    with bounded_zip(file) as archive:  # whose others are read
        files = Members("", [("a", zip_member(file, archive.infolist()[0]))])
        with pytest.raises(Unresolved, match=message):
            files.read("a")


@pytest.mark.parametrize(("method", "name"), [(9, "Deflate64"), (14, "LZMA"), (77, "method 77")])
def test_a_member_packed_by_another_method_is_unresolved_once_it_is_read(
    method: int, name: str
) -> None:
    content = bytearray(zip_bytes(("plan.json", PLAN), ("other", b"x")))
    content[content.index(b"PK\1\2") + 10] = method

    assert opened(bytes(content)).read("other") == b"x"
    message = f'"plan.json" .* compressed with {name}, not with Deflate'
    with pytest.raises(Unresolved, match=message):
        opened(bytes(content)).read("plan.json")


class Failing(io.BytesIO):
    """A file on a disk that fails, after some reads."""

    def __init__(self, content: bytes, left: int) -> None:
        super().__init__(content)
        self.left = left

    def read(self, size: int | None = -1, /) -> bytes:
        self.left -= 1
        if self.left < 0:
            raise OSError(errno.EIO, "Input/output error")
        return super().read(size)


@pytest.mark.parametrize("packed", ["", "gz", "zip"])
@pytest.mark.parametrize("reads", range(3))
def test_a_disk_that_fails_is_not_the_learners_fault(packed: str, reads: int) -> None:
    members = (("plan.json", PLAN),)
    content = zip_bytes(*members) if packed == "zip" else tar_bytes(*members, packed=packed)
    with pytest.raises(OSError, match="Input/output error"):
        open_archive("work", Failing(content, reads), "root")


def test_names_without_a_flag_are_utf8_where_they_can_be() -> None:
    infos = [zipfile.ZipInfo(b.decode("cp437")) for b in ("caf\u00e9".encode(), b"caf\x82")]

    assert [member_path(info) for info in infos] == ["caf\u00e9", "caf\u00e9"]


def test_too_many_members_or_folders_or_too_long_names_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def members(*paths: str) -> Members:
        return Members("root", [(path, Member(FILE, lambda _: b"")) for path in paths])

    for limit, most in (("MEMBERS", "2 files"), ("FOLDERS", "2 folders"), ("NAMES", "total more")):
        with monkeypatch.context() as patched:
            patched.setattr(f"verify.submissions.members.MAX_ARCHIVE_{limit}", 2)
            with pytest.raises(Unresolved, match=most):
                members("a/a", "b/b", "c/c")


def test_closing_closes_the_file() -> None:
    file = io.BytesIO(zip_bytes(("a", b"")))
    open_archive("work", file, "root").close()

    assert file.closed
