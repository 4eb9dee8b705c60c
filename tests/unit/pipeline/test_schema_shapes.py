"""Texts, paths and labels are accepted or refused by their form alone."""

from __future__ import annotations

import json

import pytest

from pipeline.schema import KINDS
from pipeline.validation import validate

TEXT = "text that is not blank"
LINE = "one line that is not blank"
PATH = "a file's path relative to the project, with / between its parts and no . or .. among them"
LABEL = "a label AC<N>_<short_name>, such as AC1_status"

BLANKS = [
    "",
    " ",
    "\t \r\n",
    "\x00",
    "\x7f",
    "\x85",
    "\xa0",
    "\u1680",
    "\u2000\u200a",
    "\u200b",
    "\u200d",
    "\u200e\u200f",
    "\u2028\u2029",
    "\u202e",
    "\u202f",
    "\u205f\u2060",
    "\u3000",
    "\ufeff",
]


def worker_errors(field: str, value: str) -> list[tuple[str, str, str]]:
    result = {"status": "completed", "files_changed": [], "blockers": [], "summary": "Done"}
    found = validate(json.dumps({**result, field: value}).encode(), KINDS["worker-result"])
    return [(p.rule, p.message, p.expected) for p in found.problems]


def plan_errors(path: str, label: str = "AC1_a") -> list[tuple[str, str, str]]:
    plan = {
        "affected_files": ["a"],
        "steps": [{"order": 1, "file": "a", "description": "Write it"}],
        "acceptance_mapping": {label: path},
    }
    found = validate(json.dumps(plan).encode(), KINDS["plan"])
    return [(p.rule, p.message, p.expected) for p in found.problems if p.rule != "mapping"]


@pytest.mark.parametrize(
    "text", ["a", "0", "-", "é", "任务", "\U0001f600", " a ", "\na", "a\nb", "a\u200b", "\xada"]
)
def test_a_text_that_says_something_is_accepted(text: str) -> None:
    assert worker_errors("status", text) == []


@pytest.mark.parametrize("text", BLANKS)
def test_a_text_that_shows_nothing_is_refused(text: str) -> None:
    assert worker_errors("status", text) == [("text", "wrong form", TEXT)]


@pytest.mark.spec("2.3.8")
@pytest.mark.parametrize("line", ["a", " a ", "\ta", "a\tb", "a\xa0b", "Done: \U0001f600", "a\x7f"])
def test_a_summary_of_one_line_is_accepted(line: str) -> None:
    assert worker_errors("summary", line) == []


@pytest.mark.spec("2.3.8")
@pytest.mark.parametrize(
    "line",
    [
        *BLANKS,
        "a\nb",
        "a\n",
        "\na",
        "a\r",
        "a\r\nb",
        "a\x0bb",
        "a\x0cb",
        "a\x1cb",
        "a\x1db",
        "a\x1eb",
        "a\x85b",
        "a\u2028b",
        "a\u2029",
    ],
)
def test_a_summary_that_is_blank_or_has_a_line_break_is_refused(line: str) -> None:
    assert worker_errors("summary", line) == [("summary", "wrong form", LINE)]


@pytest.mark.parametrize(
    "path",
    [
        "a",
        "a/b.py",
        "src/app.js",
        ".gitignore",
        ".github/workflows/ci.yml",
        "..foo",
        "..foo/bar",
        "a/..foo",
        "...",
        "a/.../b",
        "a/.b/c",
        "a b/c d.txt",
        "é/任务.md",
        "\U0001f600.md",
        "ab:c",
        "a/C:/b",
        "1:b",
        "-a",
        "~/a",
        "$HOME/a",
        "*.py",
        "a\u2028b",
        " a",
        " .a/ b/\u200b.c",
        "\xa0C:a",
    ],
)
def test_a_relative_posix_path_is_accepted(path: str) -> None:
    assert plan_errors(path) == []


@pytest.mark.spec("2.2.2", "2.2.7", "2.2.12")
@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "..",
        "./a",
        "../a",
        "a/.",
        "a/..",
        "a/./b",
        "a/../b",
        "/",
        "/a",
        "//a",
        "a//b",
        "a/",
        "a/b/",
        "C:",
        "C:a",
        "a:b",
        "C:/a",
        "c:\\a",
        "\\a",
        "a\\b",
        "\\\\server\\share",
        "a\x00",
        "a\nb",
        "a\n",
        "\ta",
        "a\x1f/b",
        "a\x7fb",
        " ",
        " /a",
        "a/ ",
        "a/\u200b\xa0/b",
    ],
)
def test_any_other_path_is_refused(path: str) -> None:
    assert plan_errors(path) == [("path", "wrong form", PATH)]


@pytest.mark.spec("2.2.14")
@pytest.mark.parametrize(
    "label", ["AC1_a", "AC12_status", "AC1_status_code", "AC1_not-found", "AC9_A1_b2", "AC100_404"]
)
def test_a_criterion_label_with_a_number_and_a_name_is_accepted(label: str) -> None:
    assert plan_errors("a", label) == []


@pytest.mark.spec("2.2.14")
@pytest.mark.parametrize(
    "label",
    [
        "",
        "AC1",
        "AC1_",
        "AC1_a_",
        "AC1__a",
        "AC1_-a",
        "AC1_a--b",
        "AC_a",
        "AC0_a",
        "AC01_a",
        "ac1_a",
        "AC1-a",
        "AC1_a b",
        "AC1_é",
        "AC1_a\n",
        " AC1_a",
        "AC\u0661_a",
        "[key]",
    ],
)
def test_any_other_criterion_label_is_refused(label: str) -> None:
    assert plan_errors("a", label) == [("criterion-label", "wrong form", LABEL)]
