"""Hostile and damaged objects: nothing without bounds is unpacked, none passes for another one."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import pytest

from pipeline.files import DENIED, TOO_LARGE, Unreadable
from tests.stubs.hostile.gits import BLOB, COMMIT, DELTA_BY_NAME, TREE, made_of, packed, sha1
from verify.submissions.history.objects import Commit, ObjectStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.repositories import UserRepository
    from verify.submissions.history.history import History

    Opened = Callable[[Path], History]

PARENT = "3" * 40
WHO = "A <a@example.org>"
LIMITS = "cannot be read within the limits"


def refusal(work: UserRepository, history_in: Opened, name: bytes) -> tuple[str, str]:
    """Return why an object cannot be looked at."""
    with pytest.raises(Unreadable) as refused:
        history_in(work.folder).find(name.hex())
    return refused.value.reason, str(refused.value)


def damaged(name: bytes) -> tuple[str, str]:
    return DENIED, f"cannot be read: git object {name.hex()[:12]} is damaged"


def loose(work: UserRepository, name: bytes, stored: bytes) -> None:
    """Put an object into a file of its own."""
    file = work.folder / ".git" / "objects" / name.hex()[:2] / name.hex()[2:]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(zlib.compress(stored))


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
    index += sha1(data).digest()
    (folder / "pack-0.idx").write_bytes(index + sha1(index).digest())


def entry(kind: int, data: bytes, base: bytes = b"") -> bytes:
    return packed(kind, len(data), base + zlib.compress(data))


@pytest.mark.parametrize("kept", ["packed", "loose"])
def test_an_object_under_the_name_of_another_one_is_damaged(
    kept: str, work: UserRepository, history_in: Opened
) -> None:
    name = b"n" * 20
    if kept == "packed":
        pack(work, [(name, entry(BLOB, b"abc"))])
    else:
        loose(work, name, b"blob 3\0abc")

    assert refusal(work, history_in, name) == damaged(name)


@pytest.mark.parametrize(
    "stored", [b"blob 4\0abc", b"blob -3\0abc", b"gitlink 3\0abc", b"abc", b"\xff 3\0abc"]
)
def test_a_loose_object_whose_head_is_a_lie_is_damaged(
    stored: bytes, work: UserRepository, history_in: Opened
) -> None:
    name = sha1(stored).digest()
    loose(work, name, stored)

    assert refusal(work, history_in, name) == damaged(name)


@pytest.mark.parametrize("kind", ["an object", "a delta", "what a delta makes"])
def test_more_than_is_read_is_refused_before_it_is_unpacked(
    kind: str, work: UserRepository, history_in: Opened
) -> None:
    name, base, huge = b"n" * 20, made_of(BLOB, b"abcd"), 129 << 20
    bomb = sized(4) + sized(huge) + b"\x90\x04"
    entries = {
        "an object": packed(BLOB, huge, zlib.compress(b"no such size")),
        "a delta": packed(DELTA_BY_NAME, huge, base.name + zlib.compress(b"no such size")),
        "what a delta makes": entry(DELTA_BY_NAME, bomb, base.name),
    }
    pack(work, [(base.name, entry(BLOB, base.data)), (name, entries[kind])])

    assert refusal(work, history_in, name) == (
        TOO_LARGE,
        f"{LIMITS}: a pack unpacks to more than 128 MiB",
    )


@pytest.mark.parametrize(
    "delta",
    [
        sized(3) + sized(4) + b"\x90\x04",  # copies from beyond its base
        sized(3) + sized(4) + b"\x00\x00\x00\x00",  # an unknown step
        sized(3) + sized(9) + b"\x01a",  # makes something of another size
        sized(4) + sized(1) + b"\x01a",  # for another base
        b"\xff" * 30,  # a size without an end
    ],
)
def test_a_damaged_delta_is_refused(delta: bytes, work: UserRepository, history_in: Opened) -> None:
    name, base = b"n" * 20, made_of(BLOB, b"abc")
    pack(work, [(base.name, entry(BLOB, b"abc")), (name, entry(DELTA_BY_NAME, delta, base.name))])

    assert refusal(work, history_in, name) == damaged(name)


def test_what_runs_out_of_memory_is_beyond_the_limits(
    work: UserRepository, history_in: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(*_: object) -> None:
        raise MemoryError

    history = history_in(work.folder)
    monkeypatch.setattr(ObjectStore, "_loose", exhausted)

    with pytest.raises(Unreadable, match=f"^{LIMITS}: it needs too much memory$"):
        history.find(work.git("rev-parse", "main"))


@pytest.mark.parametrize("names", [[b"plan.json"] * 2, [b"a/b"], [b""]])
def test_a_tree_with_a_name_twice_or_a_path_is_damaged(
    names: list[bytes], work: UserRepository, history_in: Opened
) -> None:
    blob = bytes.fromhex(work.git("rev-parse", "main:README.md"))
    made = made_of(TREE, b"".join(b"100644 " + name + b"\0" + blob for name in names))
    loose(work, made.name, b"tree %d\0" % len(made.data) + made.data)
    history = history_in(work.folder)

    with pytest.raises(Unreadable, match=r"is damaged$"):
        history.tree(made.name.hex())


def read(work: UserRepository, history_in: Opened, text: bytes) -> Commit:
    """Return a commit by its text, of which `TREE` is a tree's id."""
    data = text.replace(b"TREE", work.git("rev-parse", "main^{tree}").encode())
    made = made_of(COMMIT, data)
    loose(work, made.name, b"commit %d\0" % len(data) + data)
    return history_in(work.folder).commit(made.name.hex())


HEAD = f"tree TREE\nparent {PARENT}\nauthor {WHO} 10 +0200\ncommitter {WHO} 20 -0000\n"


def test_a_commit_has_its_fields(work: UserRepository, history_in: Opened) -> None:
    found = read(work, history_in, f"{HEAD}\nfeat: it\n\nWith a body\n".encode())

    assert found[1:] == (
        work.git("rev-parse", "main^{tree}"),
        (PARENT,),
        10,
        20,
        "feat: it\n\nWith a body",
    )


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        (b"\n", ""),
        (b"encoding ISO-8859-1\n\nfeat: f\xfcr alle", "feat: f\u00fcr alle"),
        (b"encoding latin1\n\nfeat: f\xfcr alle", "feat: f\u00fcr alle"),
        (b"encoding utf-7\n\nfeat: +AGE-\xff", "feat: +AGE-\ufffd"),
        (b"encoding zlib_codec\n\nfeat: +AGE-\xff", "feat: +AGE-\ufffd"),
    ],
)
def test_a_message_is_read_in_its_encoding_else_as_utf_8(
    rest: bytes, message: str, work: UserRepository, history_in: Opened
) -> None:
    assert read(work, history_in, HEAD.encode() + rest).message == message


@pytest.mark.parametrize(
    "data",
    [
        "",
        HEAD.replace("tree", "folder"),
        HEAD.replace("TREE", "2" * 39),
        HEAD.replace("TREE", "G" * 40),
        HEAD.replace("tree TREE\n", "tree TREE\ntree TREE\n"),
        HEAD.replace("author", "Author"),
        HEAD.replace(" 10 ", " "),
        HEAD.replace(" 10 ", f" {'9' * 13} "),
        HEAD.replace(" 20 ", " -20 "),
        HEAD.replace(f"parent {PARENT}\n", f"parent {PARENT}\n" * 65),
    ],
)
def test_a_commit_that_git_does_not_write_is_damaged(
    data: str, work: UserRepository, history_in: Opened
) -> None:
    with pytest.raises(Unreadable, match=r"is damaged$"):
        read(work, history_in, f"{data}\nfeat: it\n".encode())
