"""Members of a zip whose headers lie: bounded, checked, and refused with a sentence."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import pytest

from pipeline.limits import MAX_BYTES
from pipeline.reading import DENIED, TOO_LARGE, Unreadable
from tests.stubs.archives import zip_bytes
from verify.sources.archive_bytes import Damaged, MemoryBytes
from verify.sources.zip_directory import directory_of
from verify.sources.zip_members import zip_contents, zip_reader

DATA = b"a plan that is long enough to be packed, " * 20
RECORD = b"PK\1\2"


def _first(archive: bytes, limit: int = MAX_BYTES) -> bytes:
    data = MemoryBytes(archive)
    member = next(zip_contents(data)[0])
    return zip_reader(data, directory_of(data).shift)(member.handle, limit)


def _changed(archive: bytes, field: str, at: int, value: int) -> bytes:
    """Return an archive with a field of its first record in the directory changed."""
    changed = bytearray(archive)
    struct.pack_into(field, changed, archive.index(RECORD) + at, value)
    return bytes(changed)


@pytest.mark.parametrize("stored", [True, False])
def test_a_member_is_unpacked(*, stored: bool) -> None:
    assert _first(zip_bytes(("p", DATA), stored=stored)) == DATA
    assert _first(zip_bytes(("p", b""), stored=stored)) == b""


@pytest.mark.parametrize("stored", [True, False])
def test_the_limit_is_the_most_and_no_less(*, stored: bool) -> None:
    noise = zlib.compress(bytes(range(256)) * 4096)[:900]
    archive = zip_bytes(("p", noise), stored=stored)

    assert _first(archive, 900) == noise
    with pytest.raises(Unreadable) as refused:
        _first(archive, 899)
    assert refused.value.reason == TOO_LARGE


REFUSED: dict[str, tuple[bytes, str, str]] = {
    "encrypted": (
        _changed(zip_bytes(("p", DATA)), "<H", 8, 1),
        DENIED,
        "cannot be read: it is encrypted in the archive",
    ),
    "of another method": (
        _changed(zip_bytes(("p", DATA)), "<H", 10, 12),
        DENIED,
        "cannot be read: it is packed by method 12, of which only 0 and 8 are read",
    ),
    "with a wrong checksum": (
        _changed(zip_bytes(("p", DATA)), "<I", 16, 1),
        DENIED,
        "cannot be read: it is damaged in the archive (its size or checksum is wrong)",
    ),
    "larger than it says": (
        _changed(zip_bytes(("p", DATA)), "<I", 24, len(DATA) - 1),
        DENIED,
        "cannot be read: it is damaged in the archive (its size or checksum is wrong)",
    ),
    "smaller than it says": (
        _changed(zip_bytes(("p", DATA)), "<I", 24, len(DATA) + 1),
        DENIED,
        "cannot be read: it is damaged in the archive (its size or checksum is wrong)",
    ),
    "cut short": (
        _changed(zip_bytes(("p", DATA)), "<I", 20, 10),
        DENIED,
        "cannot be read: it is damaged in the archive (it is cut short)",
    ),
    "beyond the archive": (
        _changed(zip_bytes(("p", DATA), stored=True), "<I", 20, 9_999),
        DENIED,
        "cannot be read: it is damaged in the archive (it is cut short)",
    ),
    "no deflated bytes": (
        _changed(zip_bytes(("p", b"\xff" * 50), stored=True), "<H", 10, 8),
        DENIED,
        "cannot be read: it is damaged in the archive (it does not unpack)",
    ),
    "in another one's place": (
        _changed(zip_bytes(("p", DATA)), "<I", 42, 5),
        DENIED,
        "cannot be read: it is damaged in the archive (another one stands in its place)",
    ),
    "of another name than its own header's": (
        zip_bytes(("plan", DATA)).replace(b"plan", b"none", 1),
        DENIED,
        "cannot be read: it is damaged in the archive (another one stands in its place)",
    ),
    "declared to be too large": (
        _changed(zip_bytes(("p", DATA)), "<I", 24, MAX_BYTES + 1),
        TOO_LARGE,
        "is larger than 1024 KiB, the most that is read",
    ),
    "a bomb": (
        zip_bytes(("p", bytes(64 << 20))),
        TOO_LARGE,
        "is larger than 1024 KiB, the most that is read",
    ),
    "a bomb that says it is small": (
        _changed(zip_bytes(("p", bytes(64 << 20))), "<I", 24, 100),
        DENIED,
        "cannot be read: it is damaged in the archive (its size or checksum is wrong)",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_member_that_lies_is_refused(case: str) -> None:
    archive, reason, sentence = REFUSED[case]

    with pytest.raises(Unreadable) as refused:
        _first(archive)

    assert (refused.value.reason, str(refused.value)) == (reason, sentence)


def test_members_may_share_their_bytes_each_is_bounded() -> None:
    archive = zip_bytes(("a", DATA), ("b", DATA))
    second = archive.index(RECORD, archive.index(RECORD) + 1)
    overlapping = bytearray(archive)
    struct.pack_into("<I", overlapping, second + 42, 0)
    data = MemoryBytes(bytes(overlapping))
    first, other = zip_contents(data)[0]
    read = zip_reader(data, 0)

    assert read(first.handle, MAX_BYTES) == DATA
    with pytest.raises(Unreadable, match="another one stands in its place"):
        read(other.handle, MAX_BYTES)


def test_a_streamed_archive_has_its_sizes_in_the_directory() -> None:
    class Unseekable(io.RawIOBase):
        def __init__(self) -> None:
            self.kept = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data: object) -> int:
            self.kept += bytes(data)  # type: ignore[call-overload]
            return len(bytes(data))  # type: ignore[call-overload]

    out = Unseekable()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("p", DATA)

    assert _first(bytes(out.kept)) == DATA


def test_zip64_fields_are_read() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, archive.open("p", "w", force_zip64=True) as member:
        member.write(DATA)

    assert _first(out.getvalue()) == DATA


def test_an_archive_of_too_many_files_is_refused_whatever_they_are_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("verify.sources.zip_members.MAX_ARCHIVE_MEMBERS", 2)
    members, _ = zip_contents(MemoryBytes(zip_bytes(*[(f"__MACOSX/{n}", b"") for n in range(5)])))

    with pytest.raises(Damaged, match="holds more than 4 files, the most that is read"):
        list(members)
