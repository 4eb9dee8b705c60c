"""The porcelain of `git status` is read field by field, whatever the names are."""

from __future__ import annotations

import pytest

from pipeline.git.status import read_branch, read_status

HASH = "0" * 40


def entry(kind: str, state: str, path: str, more: str = "") -> str:
    modes = "100644 100644 100644 100644" if kind == "u" else "100644 100644 100644"
    hashes = f"{HASH} {HASH} {HASH}" if kind == "u" else f"{HASH} {HASH}"
    return f"{kind} {state} N... {modes} {hashes} {more}{path}\0"


def test_each_kind_of_entry_is_read() -> None:
    printed = (
        "# branch.oid (initial)\0"
        + entry("1", ".M", "a b")
        + entry("1", "A.", "c\nd")
        + entry("2", "R.", "new", "R100 ")
        + "old\0"
        + entry("u", "UU", "both")
        + "? fresh\0"
        + "! ignored\0"
    )

    assert read_status(printed) == {
        "a b": ".M",
        "c\nd": "A.",
        "new": "R.",
        "old": "D.",
        "both": "UU",
        "fresh": "??",
    }


def test_a_file_that_left_only_the_index_is_deleted_not_new() -> None:
    assert read_status(entry("1", "D.", "kept") + "? kept\0") == {"kept": "D."}


def test_nothing_printed_is_no_change() -> None:
    assert read_status("") == {}


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("# branch.oid 1234\0# branch.head main\0# branch.upstream o/main\0", ("main", "1234")),
        ("# branch.oid (initial)\0# branch.head main\0", ("main", "")),
        ("# branch.oid 1234\0# branch.head (detached)\0? a\0", ("", "1234")),
        ("? # branch.head not\0", ("", "")),
    ],
)
def test_the_branch_and_the_commit_stand_in_the_header(
    printed: str, expected: tuple[str, str]
) -> None:
    assert read_branch(printed) == expected
