"""Members of a zip are unpacked whole, and refused where they lie; more stands in the corpus."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

import pytest

from pipeline.limits import MAX_BYTES
from pipeline.reading import DENIED, TOO_LARGE, Unreadable
from tests.stubs.archives import zip_bytes
from verify.sources.archive_bytes import MemoryBytes
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


REFUSED: dict[str, tuple[bytes, str]] = {
    "cut short": (
        _changed(zip_bytes(("p", DATA)), "<I", 20, 10),
        "it is cut short",
    ),
    "beyond the archive": (
        _changed(zip_bytes(("p", DATA), stored=True), "<I", 20, 9_999),
        "it is cut short",
    ),
    "no deflated bytes": (
        _changed(zip_bytes(("p", b"\xff" * 50), stored=True), "<H", 10, 8),
        "it does not unpack",
    ),
    "in another one's place": (
        _changed(zip_bytes(("p", DATA)), "<I", 42, 5),
        "another one stands in its place",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_member_that_lies_is_refused(case: str) -> None:
    archive, how = REFUSED[case]

    with pytest.raises(Unreadable) as refused:
        _first(archive)

    told = f"cannot be read: it is damaged in the archive ({how})"
    assert (refused.value.reason, str(refused.value)) == (DENIED, told)


class _Streamed(io.BytesIO):
    """A pipe: nothing can be written to an earlier place."""

    def tell(self) -> int:
        raise OSError


def test_a_streamed_archive_has_its_sizes_in_the_directory() -> None:
    out = _Streamed()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("p", DATA)

    assert _first(out.getvalue()) == DATA


def test_zip64_fields_are_read() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, archive.open("p", "w", force_zip64=True) as member:
        member.write(DATA)

    assert _first(out.getvalue()) == DATA
