"""An issue's text gives its id, its title and its acceptance criteria in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.issues import Issue, MalformedIssue, parse_issue, read_issue

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
# ISSUE-7: Add a health endpoint

Some words.

- AC9_elsewhere: not in its section

## Acceptance criteria

- AC1_status: GET /health answers 200
Words between.
- AC2_json: the body is JSON: {"ok": true}

## Notes

- AC6_later: after the section
"""
ISSUE = Issue(
    id="ISSUE-7",
    title="Add a health endpoint",
    criteria={
        "AC1_status": "GET /health answers 200",
        "AC2_json": 'the body is JSON: {"ok": true}',
    },
)
CRITERIA = "## Acceptance criteria\n- AC1_a: b\n"
NO_TITLE = "i.md:1: expected a title line '# ISSUE-7: Title'"
NO_CRITERIA = "i.md: expected '## Acceptance criteria' and '- AC1_name: …' lines"


def test_an_issue_has_the_criteria_of_its_section_only() -> None:
    issue = parse_issue(TEXT, "i.md")

    assert issue == ISSUE
    assert list(issue.criteria) == ["AC1_status", "AC2_json"]


@pytest.mark.parametrize("text", [TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT])
def test_an_issue_may_be_written_by_an_editor_on_windows(text: str) -> None:
    assert parse_issue(text, "i.md") == ISSUE


def test_a_section_may_end_the_text() -> None:
    text = "# P2-42: A title \n## Acceptance criteria\n- AC1_a: b"

    assert parse_issue(text, "i.md") == Issue(id="P2-42", title="A title", criteria={"AC1_a": "b"})


@pytest.mark.parametrize(
    "title",
    ["", "ISSUE-7: Title", "## ISSUE-7: Title", "# issue-7: Title", "# ISSUE-7:", "# Title"],
)
def test_an_issue_without_a_title_line_is_malformed(title: str) -> None:
    with pytest.raises(MalformedIssue) as caught:
        parse_issue(f"{title}\n{CRITERIA}", "i.md")

    assert str(caught.value) == NO_TITLE


@pytest.mark.parametrize(
    "section",
    [
        "",
        "## Acceptance criteria\n",
        "- AC1_a: b\n",
        "## Acceptance criteria (draft)\n- AC1_a: b\n",
        "## Acceptance criteria\n## Notes\n- AC1_a: b\n",
    ],
)
def test_an_issue_without_criteria_is_malformed(section: str) -> None:
    with pytest.raises(MalformedIssue) as caught:
        parse_issue(f"# ISSUE-7: Title\n{section}", "i.md")

    assert str(caught.value) == NO_CRITERIA


@pytest.mark.parametrize(
    "line",
    [
        *("- AC2: no name", "- ac2_case: x", "* AC2_star: x", "  - AC2_in: x", "- AC0_a: b"),
        *("- AC2_a:", "- AC2-name: x", "- A list of something else"),
    ],
)
def test_a_list_item_that_is_no_criterion_is_never_passed_over(line: str) -> None:
    with pytest.raises(MalformedIssue) as caught:
        parse_issue(f"# ISSUE-7: Title\n{CRITERIA}{line}\n", "i.md")

    assert str(caught.value) == "i.md:4: expected a line '- AC1_name: …'"


def test_a_criterion_has_a_number_of_its_own() -> None:
    with pytest.raises(MalformedIssue) as caught:
        parse_issue(f"# ISSUE-7: Title\n{CRITERIA}- AC1_other: c\n", "i.md")

    assert str(caught.value) == "i.md:4: AC1 stands twice"


def with_domains(*lines: str, heading: str = "## Domains") -> str:
    return "\n".join([f"# ISSUE-7: Title\n{CRITERIA}", heading, *lines, ""])


def test_an_issue_names_its_domains_and_their_folders_in_order() -> None:
    lines = ("", "- limits: `src/limits/`, `test/limits/`  ", "- audit-2: `sandbox/src/audit/`", "")
    issue = parse_issue(with_domains(*lines) + "\n## Notes\n\n- other: `x/`\n", "i.md")

    assert list(issue.domains.items()) == [
        ("limits", ("src/limits/", "test/limits/")),
        ("audit-2", ("sandbox/src/audit/",)),
    ]
    assert ISSUE.domains == {}


@pytest.mark.parametrize(
    "line",
    [
        *("limits: `src/limits/`", "* limits: `src/limits/`", "  - limits: `src/limits/`"),
        *("- limits `src/limits/`", "- limits:`src/limits/`", "- Limits: `src/limits/`"),
        *("- : `src/limits/`", "- limits:", "- limits: src/limits/", "- limits: `src/limits`"),
        *("- limits: `src/a/` and `src/b/`", "- limits: `src/a/`,`src/b/`", "- limits: `src/a/`,"),
        *("- limits: `/src/a/`", "- limits: `src/../a/`", "- limits: `./src/`", "- limits: `/`"),
        *("- limits: `src//`", "- limits: `src\\\\a/`", "Words between."),
    ],
)
def test_a_line_that_is_no_domain_is_never_passed_over(line: str) -> None:
    with pytest.raises(MalformedIssue) as caught:
        parse_issue(with_domains("- audit: `src/audit/`", line), "i.md")

    assert str(caught.value) == "i.md:7: expected a line '- name: `src/name/`, `test/name/`'"


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        (("- audit: `src/a/`", "- audit: `src/b/`"), "audit"),
        (("- audit: `src/a/`", "- limits: `src/b/`, `src/a/`"), "src/a/"),
    ],
    ids=["name", "folder"],
)
def test_a_domain_has_a_name_and_folders_of_its_own(lines: tuple[str, ...], word: str) -> None:
    with pytest.raises(MalformedIssue) as caught:
        parse_issue(with_domains(*lines), "i.md")

    assert str(caught.value) == f"i.md:7: {word} stands twice"


def test_a_section_of_domains_that_names_none_is_malformed() -> None:
    with pytest.raises(MalformedIssue) as caught:
        parse_issue(with_domains("", ""), "i.md")

    assert str(caught.value) == "i.md:5: expected a line '- name: `src/name/`, `test/name/`'"


@pytest.mark.parametrize("heading", ["## Domain", "## domains", "## DOMAINS:", "## Domains "])
def test_a_heading_that_is_almost_that_of_domains_is_malformed(heading: str) -> None:
    with pytest.raises(MalformedIssue) as caught:
        parse_issue(with_domains("- audit: `src/audit/`", heading=heading), "i.md")

    assert str(caught.value) == "i.md:5: expected '## Domains'"


def test_an_issue_is_read_from_the_file_of_its_id(tmp_path: Path) -> None:
    (tmp_path / "ISSUE-7.md").write_text(TEXT, encoding="utf-8")

    assert read_issue(str(tmp_path), "ISSUE-7") == ISSUE


@pytest.mark.parametrize("issue", ["ISSUE-8", "secret", "../ISSUE-7", ""])
def test_an_issue_without_a_file_or_with_another_name_is_none(tmp_path: Path, issue: str) -> None:
    folder = tmp_path / "issues"
    folder.mkdir()
    for name in ("ISSUE-7.md", "issues/secret.md", "issues/.md"):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")

    assert read_issue(str(folder), issue) is None


def test_an_issue_that_cannot_be_read_is_malformed(tmp_path: Path) -> None:
    (tmp_path / "ISSUE-7.md").mkdir()
    (tmp_path / "ISSUE-8.md").write_bytes(b"# ISSUE-8: \xff")

    with pytest.raises(MalformedIssue) as folder:
        read_issue(str(tmp_path), "ISSUE-7")
    with pytest.raises(MalformedIssue) as latin:
        read_issue(str(tmp_path), "ISSUE-8")

    assert str(folder.value) == f"{tmp_path}/ISSUE-7.md: is a folder, not a regular file"
    assert str(latin.value) == f"{tmp_path}/ISSUE-8.md: is not UTF-8 text"


def test_an_issue_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "ISSUE-7.md").write_text(TEXT, encoding="utf-8")

    assert read_issue(str(tmp_path), "ISSUE-7") is read_issue(str(tmp_path), "ISSUE-7")
