"""A job grades as single runs do, keeps what it asked, and outlives what it meets."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from pipeline.terminal.programs import no_version
from verify.batch import job as grading_job
from verify.batch.cache import digests_of
from verify.batch.job import (
    RESUBMIT,
    Graded,
    Job,
    grade_submission,
    stored_results,
    with_rules,
)
from verify.child.limits import CannotContinue
from verify.course.catalog import issue_text
from verify.gradebook.records import SETTLE, CacheKey, Mark, Pending
from verify.grading.artifacts import Context
from verify.grading.model import (
    PASSED,
    Check,
    Exercise,
    Finding,
    Outcome,
    Report,
    Result,
    Verdict,
    failed,
)
from verify.grading.runner import grade
from verify.intake.opening import open_entry
from verify.selftest.course import submissions_of
from verify.selftest.shipped import the_course
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from pathlib import Path

    from verify.submissions.files import Files

COURSE = the_course()
TRACE = "fixtures/submissions/foundation/04-trace"
LETTER = {"pass": "p", "fail": "f", "skip": "s", "error": "e", "not checked": "u"}
ISSUE = ".pipeline/ISSUE-102"


def job_for(*exercises: str, strict: bool = False) -> Job:
    return with_rules(Job(exercises, (), strict=strict))


@pytest.fixture
def cohort(tmp_path: Path) -> Path:
    shutil.copytree(f"{ROOT}/{TRACE}/solved", tmp_path / "ada")
    return tmp_path


def graded(
    cohort: Path,
    *items: tuple[Any, ...],
    exercises: tuple[str, ...] = ("foundation/04",),
    again: bool = False,
) -> list[Graded]:
    job = job_for(*exercises)
    return [
        grade_submission(job, (task(number, cohort, *rest), ()), again=again)
        for number, *rest in items
    ]


def task(number: int, cohort: Path, name: str, known: Any = (), conflict: str = "") -> Pending:
    return Pending(number, "folder", str(cohort), name, known, conflict)


def mark_of(cohort: Path, name: str = "ada", exercise: str = "foundation/04") -> Mark:
    (one,) = graded(cohort, (1, name), exercises=(exercise,))
    (mark,) = one.marks
    assert mark is not None
    return mark


@pytest.mark.parametrize(
    ("exercise", "name"),
    [(each, name) for each in COURSE.exercises for name in submissions_of(COURSE, each)],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_fixture_is_graded_as_by_a_single_run(exercise: Exercise, name: str) -> None:
    folder, declared = COURSE.folder_of(exercise), exercise.for_cohort()
    with open_folder(f"{folder}/{name}") as door:
        report = grade(Context(declared, door, issue_text(declared.issue), no_version))
    pending = Pending(1, "folder", folder, name, ())
    one = grade_submission(job_for(exercise.name), (pending, ()), again=False)
    (mark,) = one.marks

    assert mark is not None
    assert (mark.outcome, mark.graded, mark.stored.letters) == (
        Outcome.PASS if report.passed else Outcome.FAIL,
        report.score * declared.points // report.points,
        "".join(LETTER[result.outcome.value] for result in report.results),
    )
    shown = [f.message for result in mark.results for f in result.findings]
    findings = [f.message for result in report.results for f in result.findings]
    assert [message for message in shown if message in findings] == findings


def test_a_submission_without_a_fault_says_what_was_asked_and_nothing_else(cohort: Path) -> None:
    mark = mark_of(cohort)

    assert (mark.outcome, mark.graded, mark.stored.letters) == ("pass", 10, "p" * 12)
    assert json.loads(mark.reads) == [
        ["read", f"{ISSUE}/plan.json"],
        ["read", f"{ISSUE}/worker-result.json"],
        ["read", f"{ISSUE}/git-result.json"],
    ]
    assert (len(mark.digests), mark.crashes) == (48, ())


def test_h_missing_artifacts_cost_one_look_at_each_folder_that_there_is(cohort: Path) -> None:
    (cohort / "bob").mkdir()
    at_first = mark_of(cohort, "bob")
    (cohort / "bob" / "sandbox").mkdir()
    (cohort / "bob" / "sandbox" / "plan.json").write_text("{}")
    misplaced = mark_of(cohort, "bob")

    assert json.loads(at_first.reads) == [
        ["read", f"{ISSUE}/plan.json"],
        ["names", ISSUE],
        ["names", ".pipeline"],
        ["names", "sandbox/.pipeline"],
        ["names", ""],
        ["read", f"{ISSUE}/worker-result.json"],
        ["read", f"{ISSUE}/git-result.json"],
    ]
    assert misplaced.reason == f'{ISSUE}/plan.json is missing, but there is "sandbox/plan.json"'
    assert at_first.digests != misplaced.digests


def test_what_is_known_and_unchanged_is_not_graded_again(cohort: Path) -> None:
    mark = mark_of(cohort)
    known = CacheKey(mark.reads, mark.digests)

    assert graded(cohort, (7, "ada", (known,))) == [Graded(7, (None,))]


@pytest.mark.parametrize("change", ["content", "gone", "added"])
def test_a_change_of_anything_that_was_asked_is_graded_again(cohort: Path, change: str) -> None:
    (cohort / "ada" / ISSUE / "worker-result.json").rename(cohort / "ada" / "aside.json")
    before = mark_of(cohort)
    known = CacheKey(before.reads, before.digests)
    plan = cohort / "ada" / ISSUE / "plan.json"
    if change == "content":
        plan.write_text("[]")
    elif change == "gone":
        plan.unlink()
    else:  # where it was looked for instead
        shutil.copy(cohort / "ada" / "aside.json", cohort / "ada" / "worker-result.json")
    ((after,),) = (one.marks for one in graded(cohort, (1, "ada", (known,))))

    assert after is not None
    assert after.digests != before.digests


@pytest.mark.parametrize(
    ("item", "reason", "step"),
    [
        ((1, "gone"), "the submission does not exist", RESUBMIT),
        (
            (1, "file"),
            '"file" is empty',
            "Submit the folder of the project, or one .zip or .tar.gz of it.",
        ),
        ((1, "ada", (), "a.zip and b.zip claim ada"), "a.zip and b.zip claim ada", SETTLE),
    ],
)
def test_what_cannot_be_opened_or_is_claimed_twice_is_unresolved(
    cohort: Path, item: tuple[Any, ...], reason: str, step: str
) -> None:
    (cohort / "file").touch()
    ((mark,),) = (one.marks for one in graded(cohort, item))

    assert mark is not None
    assert (mark.outcome, mark.graded, mark.results) == (Outcome.UNRESOLVED, None, ())
    assert (mark.reason, mark.action) == (reason, step)


def test_a_submission_that_still_cannot_be_opened_is_not_graded_again(cohort: Path) -> None:
    mark = mark_of(cohort, "bo")
    known = CacheKey(mark.reads, mark.digests)
    still = graded(cohort, (1, "bo", (known,)))
    shutil.copytree(cohort / "ada", cohort / "bo")
    ((fixed,),) = (one.marks for one in graded(cohort, (1, "bo", (known,))))

    assert still == [Graded(1, (None,))]
    assert fixed is not None
    assert fixed.outcome == "pass"


def test_what_grading_raises_is_an_error_of_that_submission_alone(
    cohort: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(cohort / "ada", cohort / "bo")
    opened = open_entry

    def opening(kind: str, container: str, inner: str, *stamp: Any) -> Files:
        if inner == "ada":
            raise OSError(24, "too many open files")
        return opened(kind, container, inner, *stamp)

    monkeypatch.setattr(grading_job, "open_entry", opening)
    (first,), (second,) = (one.marks for one in graded(cohort, (1, "ada"), (2, "bo")))

    assert first is not None
    assert second is not None
    assert (first.outcome, first.graded, first.stored.letters) == ("error", None, "e" * 12)
    assert "too many open files" in first.crashes[0]
    assert second.outcome == "pass"


def test_a_worker_with_other_checks_refuses_the_job(cohort: Path) -> None:
    job = Job(("foundation/04",), ("0" * 64,))

    with pytest.raises(CannotContinue, match="different checks"):
        grade_submission(job, (task(1, cohort, "ada"), ()), again=False)


def test_asking_again_asks_only_what_grading_asks(cohort: Path) -> None:
    with open_folder(str(cohort / "ada")) as door:
        assert digests_of('[["close", ""]]', door) == b"?"
        assert digests_of("no JSON", door) == b"?"


def test_a_history_that_took_too_much_is_not_read_again(cohort: Path) -> None:
    shutil.copytree(f"{ROOT}/fixtures/submissions/expert/04-evidence/solved", cohort / "eve")
    outcomes = [
        (mark.outcome, mark.score, {result.outcome for result in mark.results})
        for again in (False, True)
        for one in graded(cohort, (1, "eve"), exercises=("expert/04",), again=again)
        for mark in one.marks
        if mark is not None
    ]

    assert outcomes == [("pass", 20, {"pass"}), ("pass", 20, {"pass", "not checked"})]


def test_a_collection_that_is_gone_stops_the_run(cohort: Path) -> None:
    graded(cohort, (1, "ada"))
    shutil.rmtree(cohort)

    with pytest.raises(CannotContinue, match="no longer exists"):
        graded(cohort, (1, "ada"))


CHECKS = tuple(
    Check(code=f"F01.{number}", title="-", run=lambda _: PASSED, hint="-") for number in (1, 2, 3)
)
EXERCISE = Exercise(level="foundation", number=1, slug="a", title="A", checks=CHECKS)
LINES = b"".join(b"line %d\r\n" % number for number in range(1, 8))


def stored(*verdicts: Verdict, waits_for: str = "", **held: bytes) -> list[Verdict]:
    results = [Result(*pair, waits_for) for pair in zip(CHECKS, verdicts, strict=False)]
    report = Report(EXERCISE, "ada", tuple(results))
    files = {f"{name}.json": data for name, data in held.items()}
    info = EXERCISE.info._replace(checks=EXERCISE.info.checks[: len(results)])
    return [result.verdict for result in stored_results(report, info, files)]


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
