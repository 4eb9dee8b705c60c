"""A file is read within limits and never blocks; it is written whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import socket
from pathlib import Path

import pytest

from pipeline.bootstrap import ROOT
from pipeline.files import (
    DENIED,
    MAX_BYTES,
    MISSING,
    NOT_REGULAR,
    TOO_LARGE,
    Unreadable,
    is_inside,
    read_descriptor,
    read_file,
    size_of,
    sweep,
    unreadable,
    write_json,
    write_whole,
    writing_whole,
)

LARGE = "is larger than the limit of 1024 KiB"


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
    assert refused(path, 3) == (TOO_LARGE, "is larger than the limit of 3 bytes")


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
        message = {path: refused(path) for path in (".", "pipe", "socket", "link", "/dev/zero")}

    assert message == {
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

    assert refused(str(tmp_path / "f")) == (DENIED, "cannot be read: permission denied")


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
        (OSError(errno.EPERM, ""), DENIED, "cannot be read: permission denied"),
        (OSError(errno.EBUSY, ""), DENIED, f"cannot be read: {os.strerror(errno.EBUSY).lower()}"),
    ],
)
def test_what_the_system_says_is_reported_in_words(
    error: OSError | ValueError, reason: str, sentence: str
) -> None:
    message = unreadable(error)

    assert (message.reason, str(message)) == (reason, sentence)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO])
def test_a_fault_of_the_process_is_not_the_files(number: int) -> None:
    error = OSError(number, os.strerror(number))

    with pytest.raises(OSError, match=os.strerror(number)) as caught:
        unreadable(error)

    assert caught.value is error


def test_a_file_that_is_written_in_parts_is_seen_only_when_all_of_it_is_there(
    tmp_path: Path,
) -> None:
    path = tmp_path / "new" / "file.txt"

    with writing_whole(str(path)) as file:
        file.write(b"one ")
        file.flush()
        before = path.exists()
        file.write(b"two")
    (tmp_path / "other").write_bytes(b"")

    assert not before
    assert path.read_bytes() == b"one two"
    assert path.stat().st_mode == (tmp_path / "other").stat().st_mode
    assert [each.name for each in path.parent.iterdir()] == ["file.txt"]


def test_what_was_there_stays_where_it_cannot_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.txt"
    path.write_text("before")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(str(path), b"after")

    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["file.txt"]


def test_what_was_there_stays_where_the_writer_gives_up(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("before")

    def give_up() -> None:
        with writing_whole(str(path)) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        give_up()

    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["file.txt"]


@pytest.mark.parametrize(("synced", "times"), [(True, 1), (False, 0)])
def test_a_file_is_forced_to_the_disk_unless_it_need_not_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, synced: bool, times: int
) -> None:
    forced: list[int] = []
    monkeypatch.setattr(os, "fsync", forced.append)

    with writing_whole(str(tmp_path / "file.txt"), synced=synced) as file:
        file.write(b"text")

    assert len(forced) == times


def test_a_link_is_replaced_and_its_target_left_alone(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("theirs")
    (tmp_path / "link").symlink_to("target")

    write_whole(str(tmp_path / "link"), b"ours")

    assert (tmp_path / "target").read_text() == "theirs"
    assert not (tmp_path / "link").is_symlink()


def test_json_is_readable_and_half_characters_are_escaped(tmp_path: Path) -> None:
    write_json(str(tmp_path / "plain.json"), {"a": "é"})
    write_json(str(tmp_path / "half.json"), {"a": "\udce9"})

    assert (tmp_path / "plain.json").read_text(encoding="utf-8") == '{\n  "a": "é"\n}\n'
    assert (tmp_path / "half.json").read_text(encoding="utf-8") == '{\n  "a": "\\udce9"\n}\n'


def test_what_a_killed_write_has_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    for name in (".write-abc.part", ".hidden", "plan.json", "x.part"):
        (tmp_path / name).write_text("")

    sweep(str(tmp_path))
    sweep(str(tmp_path / "nowhere"))

    assert sorted(path.name for path in tmp_path.iterdir()) == [".hidden", "plan.json", "x.part"]


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (1025, "1,025 bytes"),
        (1024, "1 KiB"),
        (1 << 20, "1024 KiB"),
        (64 << 20, "64 MiB"),
        (3 << 19, "1536 KiB"),
    ],
)
def test_a_size_is_reported_in_whole_units(count: int, shown: str) -> None:
    assert size_of(count) == shown


@pytest.mark.parametrize(
    ("path", "folder"),
    [("/a/b", "/a"), ("/a", "/a"), ("/a/", "/a"), ("/a", "/a/"), ("/", "/"), ("/a", "/")],
)
def test_g3_a_path_is_inside_a_folder_and_so_is_the_folder(path: str, folder: str) -> None:
    assert is_inside(path, folder)


@pytest.mark.parametrize(
    ("path", "folder"), [("/ab", "/a"), ("/a", "/a/b"), ("/A/b", "/a"), ("/a.b/c", "/a")]
)
def test_g3_a_name_that_only_begins_alike_is_not_inside(path: str, folder: str) -> None:
    assert not is_inside(path, folder)


def test_g3_containment_is_asked_of_one_function() -> None:
    spelling = re.compile(
        r"commonpath|relative_to\(|startswith\((.*(os\.sep|join\(.*, \"\"\))|root\)|top\))"
    )
    found = {
        path.name
        for path in Path(ROOT, "pipeline").rglob("*.py")
        if spelling.search(path.read_text(encoding="utf-8"))
    }

    assert found == {"files.py", "record-dispatch.py"}  # the second is copied into projects
