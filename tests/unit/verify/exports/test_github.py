"""What goes to GitHub: annotations that command nothing, a summary that fits, one result."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from markdown_it import MarkdownIt

from verify.exports.github import write
from verify.exports.summary import Summary
from verify.reporters.github_text import MOST_SUMMARY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Standing

COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)
OURS = re.compile(
    r"^::(?:(?:error|warning) (?:file=[^:]*,)?title=[^:]*::.*"
    r"|notice::[0-9]+ more findings? (?:is|are) not annotated)$"
)
INLINE = {"text", "code_inline", "strong_open", "strong_close"}


class Job:
    """A step of a job: the files that it may write to."""

    def __init__(self, folder: Path) -> None:
        self.summary, self.output = folder / "summary.md", folder / "output"


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    job = Job(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(job.summary))
    monkeypatch.setenv("GITHUB_OUTPUT", str(job.output))
    return job


def test_one_learner_is_annotated_in_place_and_handed_to_classroom(
    sole: Cohort, job: Job, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert write(sole, "", settings) == [str(job.summary), str(job.output)]
    place = "file=sandbox/.pipeline/ISSUE-7/plan.json,line=4,col=5,"
    told = '$.steps[0]: this file stands in no step%0Aexpected a step%0Afound "a.js"%0AAdd a step.'

    assert capsys.readouterr().out == (
        f"::error {place}title=E04.2 every file is planned::{told}\n"
        f"::warning {place}title=E04.3 the branch names its issue::{told}\n"
    )
    encoded = job.output.read_text().removeprefix("result=")
    assert sum(test["score"] for test in json.loads(base64.b64decode(encoded))["tests"]) == 6


def test_a_cohort_is_named_in_annotations_and_has_no_result(
    cohort: Cohort,
    job: Job,
    settings: Settings,
    notes: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(cohort, "", settings)
    lines = capsys.readouterr().out.splitlines()

    assert lines[0].startswith("::error title=bob%3A E04.2 every file is planned::")
    assert all(OURS.match(line) for line in lines)
    assert not job.output.exists()
    assert notes == ["--github puts no result out for Classroom: that is for one learner"]


def test_ten_annotations_of_a_kind_are_shown_and_the_rest_counted(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    job: Job,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(cohort_of(*(standing_of(f"s{at:02}", "pffs") for at in range(12))), "", settings)
    lines = capsys.readouterr().out.splitlines()

    assert [line.split(" ")[0] for line in lines] == [
        *["::error"] * 10,
        *["::warning"] * 10,
        "::notice::4",
    ]
    assert job.summary.exists()


def test_the_summary_tells_counts_scores_and_reasons(
    cohort: Cohort, job: Job, settings: Settings
) -> None:
    write(cohort, "", settings)
    text = job.summary.read_text(encoding="utf-8")

    assert text.startswith(
        "## 9 learners graded\n\n"
        "| exercise | passed | failed | missing | not graded |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        "| expert/04 | 4 | 2 | 2 | 1 |\n"
        "| expert/01 | 3 | 2 | 2 | 2 |\n\n"
        "| learner | expert/04 | expert/01 | score |\n"
        "| --- | --- | --- | ---: |\n"
        "| ada | pass 10 | pass 4 | 14/14 |\n"
        "| bob | fail 2 | pass 4 | 6/14 |\n"
        "| cyd | pass 10 | error | -/14 |\n"
        "| dan | fail 7.5 | fail 0 | 7.5/14 |\n"
        "| eve | missing | missing | -/14 |\n"
    )
    assert "- **expert/04** score set to 7.5 by Dr. Grace, 2026\\-11\\-01T10\\:00\\:00Z" in text
    assert "(cut:" not in text


def test_the_summary_leaves_room_for_what_the_step_has_written_already(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    job: Job,
    settings: Settings,
) -> None:
    before = "x" * (MOST_SUMMARY - 20_000)
    job.summary.write_text(before)
    rows = [standing_of(f"s{at:03}", "pffs") for at in range(500)]

    write(cohort_of(*rows), "", settings)

    text = job.summary.read_text(encoding="utf-8")[len(before) :]
    assert len(before) + len(text.encode()) <= MOST_SUMMARY
    assert text.startswith("## 500 learners graded")
    rows_shown, reasons_shown = text.count("\n| s"), text.count("\n### ")
    cut = f"{500 - rows_shown} learners' rows and {500 - reasons_shown} learners' reasons"
    assert text.endswith(f"\n(cut: the page is full; left out are {cut})\n")
    assert rows_shown > 100
    assert reasons_shown > 10


def parts(markdown: str) -> set[str]:
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    assert "html_block" not in {token.type for token in tokens}
    return {part.type for token in tokens for part in token.children or []}


def test_nothing_hostile_takes_effect(
    hostile: Cohort, job: Job, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    for row in hostile.standings():
        one: Any = hostile
        write(one._replace(rows=(row,)), "", settings)
    printed = capsys.readouterr().out.splitlines()
    text = job.summary.read_text(encoding="utf-8")

    assert [line for line in printed if not OURS.match(line)] == []
    assert all(line.isprintable() for line in printed)
    assert COMMAND.findall(text) == []
    assert text.replace("\n", "").isprintable()
    assert parts(text) - INLINE == set()
    assert len(re.findall("^result=[A-Za-z0-9+/=]+$", job.output.read_text(), re.MULTILINE)) == len(
        job.output.read_text().splitlines()
    )


def test_outside_of_a_job_the_summary_is_printed(
    sole: Cohort,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.delenv("GITHUB_OUTPUT", raising=False)

    assert write(sole, "", settings) == []
    assert "## 1 learner graded" in capsys.readouterr().out


def test_a_page_without_room_is_still_counted(
    cohort: Cohort, standing_of: Callable[..., Standing]
) -> None:
    summary = Summary(cohort.exercises, 0)
    summary.add(standing_of("a", "pffs"))

    assert "| expert/04 | 0 | 1 | 0 | 0 |" in summary.text()
    assert "1 learners' rows and 1 learners' reasons" in summary.text()
