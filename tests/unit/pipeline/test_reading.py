"""One regular file is read whole, or refused at once with the reason."""

from __future__ import annotations

import errno
import os
import socket
from typing import TYPE_CHECKING

import pytest

from pipeline.limits import MAX_BYTES
from pipeline.reading import (
    DENIED,
    MISSING,
    NOT_REGULAR,
    TOO_LARGE,
    Unreadable,
    read_descriptor,
    read_file,
    unreadable,
)

if TYPE_CHECKING:
    from pathlib import Path

LARGE = "is larger than 1024 KiB, the most that is read"


def refused(path: str, limit: int = MAX_BYTES) -> tuple[str, str]:
    with pytest.raises(Unreadable) as caught:
        read_file(path, limit)
    return caught.value.reason, str(caught.value)


@pytest.mark.parametrize("data", [b"", b"{}", b"\x00\xff\r\n", b"a" * MAX_BYTES])
def test_a_regular_file_is_read_as_it_is_and_a_link_followed(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "f").write_bytes(data)
    (tmp_path / "link").symlink_to(tmp_path / "f")

    assert read_file(str(tmp_path / "f")) == read_file(str(tmp_path / "link")) == data


def test_a_file_that_tells_no_size_is_read_to_its_end() -> None:
    path = "/proc/self/cmdline"
    if not os.path.exists(path):
        pytest.skip("this system has no /proc")
    with open(path, "rb") as file:
        expected = file.read()

    assert os.stat(path).st_size == 0
    assert read_file(path) == expected
    assert refused(path, 3) == (TOO_LARGE, "is larger than 3 bytes, the most that is read")


@pytest.mark.parametrize(
    "name", ["nowhere", "nowhere/f", "f/below", "n" * 300, "a\0b", "\udcff\ud800"]
)
def test_a_name_that_leads_to_nothing_is_missing(tmp_path: Path, name: str) -> None:
    (tmp_path / "f").write_bytes(b"{}")

    assert refused(os.path.join(tmp_path, name)) == (MISSING, "does not exist")


def test_what_is_no_regular_file_is_refused_without_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    os.mkfifo("pipe")
    os.symlink("link", "link")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        told = {path: refused(path) for path in (".", "pipe", "socket", "link", "/dev/zero")}

    assert told == {
        ".": (NOT_REGULAR, "is a folder, not a regular file"),
        "pipe": (NOT_REGULAR, "is a named pipe, not a regular file"),
        "socket": (NOT_REGULAR, "is a socket or a device, not a regular file"),
        "link": (NOT_REGULAR, "is a link, not a regular file"),
        "/dev/zero": (NOT_REGULAR, "is a device, not a regular file"),
    }


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_without_permission_is_denied(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"{}")
    (tmp_path / "f").chmod(0)

    assert refused(str(tmp_path / "f")) == (DENIED, "may not be read: permission denied")


@pytest.mark.parametrize("size", [1, 2000])
def test_a_descriptor_is_closed_whether_it_was_read_or_not(tmp_path: Path, size: int) -> None:
    (tmp_path / "f").write_bytes(b"a" * size)
    descriptor = os.open(tmp_path / "f", os.O_RDONLY)

    try:
        data = read_descriptor(descriptor, 1024)
    except Unreadable:
        data = b"refused"

    assert data == (b"a" if size == 1 else b"refused")
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


@pytest.mark.parametrize(
    ("error", "reason", "sentence"),
    [
        (OSError(errno.ENOTDIR, ""), MISSING, "does not exist"),
        (OSError(errno.EPERM, ""), DENIED, "may not be read: permission denied"),
        (OSError(errno.EBUSY, ""), DENIED, f"cannot be read: {os.strerror(errno.EBUSY).lower()}"),
    ],
)
def test_what_the_system_says_is_told_in_words(
    error: OSError | ValueError, reason: str, sentence: str
) -> None:
    told = unreadable(error)

    assert (told.reason, str(told)) == (reason, sentence)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO])
def test_a_fault_of_the_process_is_not_the_files(number: int) -> None:
    error = OSError(number, os.strerror(number))

    with pytest.raises(OSError, match=os.strerror(number)) as caught:
        unreadable(error)

    assert caught.value is error
