"""The runner and the grader ask the same of artifacts, in one place."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.protocol.agreement import (
    differences,
    is_blank,
    is_by,
    is_unexplained,
    planned,
    says_nothing,
    spelt_as,
    unmapped,
)

NFC, NFD = "caf\u00e9.js", "cafe\u0301.js"


@pytest.mark.parametrize(
    ("names", "others", "found"),
    [
        (["a", "b"], ["b", "a"], ([], [])),
        ([NFC], [NFD], ([], [])),
        ([NFD, "a"], [NFC, "b"], (["a"], ["b"])),
        (["A"], ["a"], (["A"], ["a"])),
        ([], ["a"], ([], ["a"])),
    ],
)
def test_t10_names_are_compared_whatever_their_form_of_unicode(
    names: list[str], others: list[str], found: tuple[list[str], list[str]]
) -> None:
    assert differences(names, others) == found


def test_t10_names_are_spelt_as_they_are_on_disk() -> None:
    assert spelt_as([NFC, NFD, "a"], {NFD}) == [NFD, NFD, "a"]
    assert spelt_as([NFC, NFD], {NFC, NFD}) == [NFC, NFD]


@pytest.mark.parametrize(
    ("status", "blockers", "unexplained"),
    [
        ("completed", [], False),
        ("blocked", ["the database is down"], False),
        ("failed", [{"reason": "no network"}], False),
        *((status, [], True) for status in ("done", "Completed", "success", "blocked")),
        ("blocked", ["", None, " "], True),
    ],
)
def test_t10_work_is_completed_or_a_blocker_says_why_not(
    status: str, blockers: list[Any], *, unexplained: bool
) -> None:
    assert is_unexplained({"status": status, "blockers": blockers}) is unexplained


def test_t10_a_criterion_is_known_by_its_number() -> None:
    plan = {"acceptance_mapping": {"AC1_other_words": "a"}}

    assert unmapped(["AC1_status", "AC2_shape"], plan) == ["AC2_shape"]
    assert unmapped(["AC1_status"], {}) == ["AC1_status"]


def test_t10_a_marker_names_an_agent_exactly() -> None:
    assert is_by({"produced_by": "x-git"}, ("x-git",))
    assert not is_by({"produced_by": "X-git"}, ("x-git",))
    assert not is_by({}, ("x-git",))


@pytest.mark.parametrize(
    ("affected", "files", "added"),
    [
        (["package.json"], ["package.json", "package-lock.json"], ["package-lock.json"]),
        (
            ["a/b/package.json"],
            ["yarn.lock", "a/pnpm-lock.yaml"],
            ["yarn.lock", "a/pnpm-lock.yaml"],
        ),
        (["a/package.json"], ["b/package-lock.json", "aa/yarn.lock", "a/b/yarn.lock"], []),
        (["src/a.js"], ["package-lock.json"], []),
        (["Cargo.toml", "go.mod"], ["Cargo.lock", "go.sum", "uv.lock"], ["Cargo.lock", "go.sum"]),
    ],
)
def test_p10_a_lock_file_belongs_to_a_planned_manifest_beside_or_below_it(
    affected: list[str], files: list[str], added: list[str]
) -> None:
    assert planned(files, affected) == [*affected, *added]


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        *(
            (text, True)
            for text in ("x", " x ", "xx", "XXX", "-", "...", "a b", "1.", "TODO", "TBD")
        ),
        *(
            (text, False)
            for text in (
                "add",
                "Do it",
                "\u5199",
                "\u0434\u043e\u0431\u0430\u0432\u0438\u0442\u044c",
            )
        ),
    ],
)
def test_t12_a_letter_or_a_placeholder_says_nothing(text: str, *, nothing: bool) -> None:
    assert says_nothing(text) is nothing


@pytest.mark.parametrize(
    ("data", "blank"),
    [
        *(
            (data, True)
            for data in (b"", b"\0", b" \n\t", b"\xef\xbb\xbf", b"\xff\xfe", b"\0\0\r\n")
        ),
        ("\u200b\u00a0\u3000".encode(), True),
        *((data, False) for data in (b"x", b"\0x", b"\x89PNG", b"\xff\xfea\0", b"#")),
    ],
)
def test_t12_a_file_of_nul_or_blanks_is_blank(data: bytes, *, blank: bool) -> None:
    assert is_blank(data) is blank
