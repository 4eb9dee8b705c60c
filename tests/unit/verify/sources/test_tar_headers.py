"""Headers of a tar: names put together, and whatever is wrong with one ends the reading."""

from __future__ import annotations

import io
import tarfile

import pytest

from tests.stubs.archives import tar_bytes
from verify.sources.archive_bytes import Damaged, MemoryBytes
from verify.sources.archive_door import FILE, FOLDER, SPARSE, UNKNOWN
from verify.sources.tar_headers import BLOCK, headers

LONG = "n" * 150 + "/" + "m" * 150


def _told(archive: bytes) -> list[tuple[str, str, int]]:
    return [(h.name, h.nature, h.size) for h in headers(MemoryBytes(archive), 200)]


def _made(kind: int, *infos: tarfile.TarInfo) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=kind) as archive:
        for info in infos:
            archive.addfile(info, io.BytesIO(b"x" * info.size))
    return out.getvalue()


def _info(name: str, size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size = size
    return info


@pytest.mark.parametrize("kind", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_and_other_scripts_are_put_together(kind: int) -> None:
    archive = _made(kind, _info(LONG, 3), _info("\u00e9t\u00e9", 600), _info("last"))

    assert _told(archive) == [(LONG, FILE, 3), ("\u00e9t\u00e9", FILE, 600), ("last", FILE, 0)]


def test_the_prefix_of_ustar_stands_before_the_name() -> None:
    archive = _made(tarfile.USTAR_FORMAT, _info(f"{'f' * 90}/{'n' * 90}", 1))

    assert _told(archive) == [(f"{'f' * 90}/{'n' * 90}", FILE, 1)]


def test_a_name_that_is_not_utf_8_is_a_name() -> None:
    archive = tar_bytes(("abcd", b""))
    renamed = _with_checksum(b"ab\xffd" + archive[4:])

    assert [name for name, *_ in _told(renamed)] == ["ab\u00a0d (not UTF-8)"]


def test_the_first_tars_told_folders_by_a_slash() -> None:
    archive = tar_bytes(("folder0", b""))

    assert _told(_with_checksum(archive.replace(b"folder0", b"folder/", 1))) == [
        ("folder/", FOLDER, 0)
    ]


def test_other_kinds_are_told_apart() -> None:
    odd, sparse = _info("odd", 5), _info("sparse", 5)
    odd.type, sparse.pax_headers = b"Z", {"GNU.sparse.major": "1"}

    assert _told(_made(tarfile.PAX_FORMAT, odd, sparse)) == [
        ("odd", UNKNOWN, 5),
        ("sparse", SPARSE, 5),
    ]


def test_a_size_may_be_binary() -> None:
    archive = bytearray(tar_bytes(("p", b"12345")))
    archive[124:136] = b"\x80" + bytes(10) + b"\x05"

    assert _told(_with_checksum(bytes(archive))) == [("p", FILE, 5)]


def test_a_pax_record_that_cannot_be_is_refused() -> None:
    for records in (b"9 path=ab", b"x path=a\n", b"0 path=a\n", b"-9 path=a\n", b"12 path a b\n"):
        info = _info("x", len(records))
        info.type = b"x"
        extended = info.tobuf(tarfile.GNU_FORMAT) + records.ljust(BLOCK, b"\0")
        with pytest.raises(Damaged, match=r"^is no \.tar archive, or a damaged one$"):
            _told(extended + tar_bytes(("p", b"1")))


def _with_checksum(archive: bytes) -> bytes:
    block = archive[:148] + b" " * 8 + archive[156:BLOCK]
    return archive[:148] + b"%06o\0 " % sum(block) + archive[156:]
