"""An issue's text gives its id, its title and its acceptance criteria in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.protocol.issue import Issue, MalformedIssue, parse_issue, read_issue

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


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT])
def test_an_issue_has_the_criteria_of_its_section_only_by_any_editor(text: str) -> None:
    issue = parse_issue(text, "i.md")

    assert issue == ISSUE._replace(text=text)
    assert list(issue.criteria) == ["AC1_status", "AC2_json"]


def test_a_section_may_end_the_text() -> None:
    text = "# P2-42: A title \n## Acceptance criteria\n- AC1_a: b"

    assert parse_issue(text, "i.md")[:3] == ("P2-42", "A title", {"AC1_a": "b"})


def complaint(text: str) -> str:
    with pytest.raises(MalformedIssue) as caught:
        parse_issue(text, "i.md")
    return str(caught.value)


def test_an_issue_without_a_title_line_is_malformed() -> None:
    titles = [
        "",
        "ISSUE-7: Title",
        "## ISSUE-7: Title",
        "# issue-7: Title",
        "# ISSUE-7:",
        "# Title",
    ]

    assert {complaint(f"{title}\n{CRITERIA}") for title in titles} == {NO_TITLE}


def test_an_issue_without_criteria_is_malformed() -> None:
    sections = [
        "",
        "## Acceptance criteria\n",
        "- AC1_a: b\n",
        "## Acceptance criteria (draft)\n- AC1_a: b\n",
        "## Acceptance criteria\n## Notes\n- AC1_a: b\n",
    ]

    assert {complaint(f"# ISSUE-7: Title\n{section}") for section in sections} == {NO_CRITERIA}


def test_a_list_item_that_is_no_criterion_is_never_passed_over() -> None:
    lines = [
        *("- AC2: no name", "- ac2_case: x", "* AC2_star: x", "  - AC2_in: x", "- AC0_a: b"),
        *("- AC2_a:", "- AC2-name: x", "- A list of something else"),
    ]
    message = {complaint(f"# ISSUE-7: Title\n{CRITERIA}{line}\n") for line in lines}

    assert message == {"i.md:4: expected a line '- AC1_name: …'"}
    assert complaint(f"# ISSUE-7: Title\n{CRITERIA}- AC1_b: c\n") == "i.md:4: AC1 is listed twice"


def with_domains(*lines: str) -> str:
    return "\n".join([f"# ISSUE-7: Title\n{CRITERIA}", "## Domains", *lines, ""])


def test_an_issue_names_its_domains_and_their_folders_in_order() -> None:
    lines = ("", "- limits: `src/limits/`, `test/limits/`  ", "- audit-2: `sandbox/src/audit/`", "")
    issue = parse_issue(with_domains(*lines) + "\n## Notes\n\n- other: `x/`\n", "i.md")

    assert list(issue.domains.items()) == [
        ("limits", ("src/limits/", "test/limits/")),
        ("audit-2", ("sandbox/src/audit/",)),
    ]
    assert ISSUE.domains == {}


def test_a_list_item_that_is_no_domain_is_never_passed_over() -> None:
    lines = [
        *("* limits: `a/`", "  - limits: `a/`", "- limits `a/`", "- limits:`a/`", "- : `a/`"),
        *("- Limits: `a/`", "- limits:", "- limits: a/", "- limits: `a`", "- b: `/`"),
        *("- limits: `b/`,", "- limits: `b/` and `c/`", "- limits: `b/`,`c/`", "- limits: `/b/`"),
        *("- limits: `b/../c/`", "- limits: `./b/`", "- limits: `b//`", "- limits: `b\\c/`"),
    ]
    first = "- audit: `src/a/`"

    assert {complaint(with_domains(first, line)) for line in lines} == {
        "i.md:7: expected a line '- name: `src/name/`, `test/name/`'"
    }
    assert complaint(with_domains(first, "- audit: `b/`")) == "i.md:7: audit is listed twice"


@pytest.mark.parametrize("issue", ["ISSUE-8", "secret", "../ISSUE-7", ""])
def test_an_issue_is_read_once_from_the_file_of_its_id_and_from_no_other(
    tmp_path: Path, issue: str
) -> None:
    folder = tmp_path / "issues"
    folder.mkdir()
    for name in ("ISSUE-7.md", "issues/secret.md", "issues/.md", "issues/ISSUE-9.md"):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    found = read_issue(str(tmp_path), "ISSUE-7")

    assert found == ISSUE._replace(text=TEXT)
    assert read_issue(str(tmp_path), "ISSUE-7") is found
    assert read_issue(str(folder), issue) is None


def test_an_issue_that_cannot_be_read_is_malformed(tmp_path: Path) -> None:
    (tmp_path / "ISSUE-7.md").mkdir()
    (tmp_path / "ISSUE-8.md").write_bytes(b"# ISSUE-8: \xff")
    message = []
    for name in ("ISSUE-7", "ISSUE-8"):
        with pytest.raises(MalformedIssue) as caught:
            read_issue(str(tmp_path), name)
        message.append(str(caught.value))

    assert message == [
        f"{tmp_path}/ISSUE-7.md: is a folder, not a regular file",
        f"{tmp_path}/ISSUE-8.md: is not UTF-8 text",
    ]
