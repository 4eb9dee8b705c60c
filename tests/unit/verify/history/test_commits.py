"""A commit's bytes are read strictly; what is not as git writes it is damage."""

from __future__ import annotations

import pytest

from verify.history.commits import MAX_PARENTS, Commit, parsed
from verify.history.deltas import DamagedObject

NAME, TREE, PARENT = "1" * 40, "2" * 40, "3" * 40
WHO = "A <a@example.org>"
HEAD = f"tree {TREE}\nparent {PARENT}\nauthor {WHO} 10 +0200\ncommitter {WHO} 20 -0000\n"


def test_a_commit_has_its_fields() -> None:
    assert parsed(NAME, f"{HEAD}\nfeat: it\n\nWith a body\n".encode()) == Commit(
        NAME, TREE, (PARENT,), 10, 20, "feat: it\n\nWith a body"
    )


def test_a_commit_without_a_message_has_an_empty_one() -> None:
    assert parsed(NAME, f"{HEAD}\n".encode()).message == ""


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "latin1"])
def test_a_message_is_read_in_the_encoding_that_the_commit_names(encoding: str) -> None:
    data = f"{HEAD}encoding {encoding}\n\nfeat: f".encode() + b"\xfcr alle"

    assert parsed(NAME, data).message == "feat: f\u00fcr alle"


@pytest.mark.parametrize("encoding", ["utf-7", "zlib_codec"])
def test_any_other_encoding_is_taken_for_utf_8(encoding: str) -> None:
    data = f"{HEAD}encoding {encoding}\n\nfeat: +AGE-".encode() + b"\xff"

    assert parsed(NAME, data).message == "feat: +AGE-\ufffd"


@pytest.mark.parametrize(
    "data",
    [
        "",
        HEAD.replace("tree", "folder"),
        HEAD.replace(TREE, TREE[:39]),
        HEAD.replace(TREE, TREE.replace("2", "G")),
        HEAD.replace(f"tree {TREE}\n", f"tree {TREE}\ntree {TREE}\n"),
        HEAD.replace("author", "Author"),
        HEAD.replace(" 10 ", " "),
        HEAD.replace(" 10 ", f" {'9' * 13} "),
        HEAD.replace(" 20 ", " -20 "),
        HEAD.replace(f"parent {PARENT}\n", f"parent {PARENT}\n" * (MAX_PARENTS + 1)),
    ],
)
def test_what_git_does_not_write_is_damaged(data: str) -> None:
    with pytest.raises(DamagedObject):
        parsed(NAME, f"{data}\nfeat: it\n".encode())
