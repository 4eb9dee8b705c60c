"""Findings are kept with the lines around them, as text that a database takes."""

from __future__ import annotations

import pytest

from verify.batch.findings import stored_results
from verify.model import PASSED, Check, Exercise, Finding, Outcome, Report, Result, Verdict, failed

CHECKS = tuple(
    Check(code=f"F01.{number}", title="-", run=lambda _: PASSED, hint="-") for number in (1, 2, 3)
)
EXERCISE = Exercise(level="foundation", number=1, slug="a", title="A", kind="a", checks=CHECKS)
LINES = b"".join(b"line %d\r\n" % number for number in range(1, 8))


def stored(*verdicts: Verdict, waits_for: str = "", **held: bytes) -> list[Verdict]:
    results = [Result(*pair, waits_for) for pair in zip(CHECKS, verdicts, strict=False)]
    report = Report(EXERCISE, "ada", tuple(results))
    files = {f"{name}.json": data for name, data in held.items()}
    passing = EXERCISE.info.results()[: len(results)]
    return [result.verdict for result in stored_results(report, passing, files)]


def test_a_finding_is_kept_with_its_place_and_the_lines_around_it() -> None:
    finding = Finding("no step", "a step", "none", "a.json", "$.steps", 4, 2, "Write one.")
    excerpt = "line 2\nline 3\nline 4\nline 5\nline 6"

    assert stored(PASSED, failed(finding), a=LINES) == [
        PASSED,
        failed(finding._replace(excerpt=excerpt)),
    ]


@pytest.mark.parametrize(
    ("line", "excerpt"),
    [
        (0, ""),
        (1, "line 1\nline 2\nline 3"),
        (2, "line 1\nline 2\nline 3\nline 4"),
        (7, "line 5\nline 6\nline 7\n"),
        (99, ""),
    ],
)
def test_the_lines_around_a_finding_end_where_its_file_does(line: int, excerpt: str) -> None:
    (verdict,) = stored(failed(Finding("m", file="a.json", line=line)), a=LINES)

    assert verdict.findings[0].excerpt == excerpt


def test_a_check_with_more_findings_says_how_many() -> None:
    many = failed(*(Finding(f"m{number}") for number in range(7)))
    findings = (*many.findings, Finding("and 2 more like these"))

    assert stored(many) == [Verdict(Outcome.FAIL, findings)]


def test_what_a_submission_says_is_cut_and_has_no_half_characters_and_no_nul() -> None:
    wild = "a\0b\ud800" + "x" * 3_000
    data = b"\xef\xbb\xbf" + b"y" * 300 + b"\0\xff\nz\n"
    ((_, (finding,), *_),) = stored(
        failed(Finding(wild, wild, wild, "a.json", wild, 1, 1, wild)), a=data
    )
    kept = r"a\x00b\ud800" + "x" * 1_996

    assert finding[:3] == (kept, kept, kept)
    assert (finding.path, finding.action) == (kept, kept)
    assert finding.excerpt == f"{'y' * 200}\nz\n"
