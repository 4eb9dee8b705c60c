"""What git says of the histories of the fixtures is what the grader says."""

from __future__ import annotations

import csv
import json
import random
import re
import shlex
import shutil
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.histories import bundled, fresh, made, packed, report_on, with_artifacts
from tests.stubs.repositories import git
from tools.histories import COURSES, FIXTURES, Course
from verify.cli import main
from verify.course import catalog

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.grading.model import Report

CASES = [
    pytest.param(course, name, id=f"{course.folder}/{name}")
    for course in COURSES
    for name in ("solved", "solved-forwarded", "solved-merged", "broken-other-files")
    if name in course.histories
]


@pytest.mark.parametrize(("course", "name"), CASES)
def test_git_says_of_a_history_what_the_grader_says(
    course: Course, name: str, tmp_path: Path
) -> None:
    folder = Path(ROOT, FIXTURES, course.folder, name, ".pipeline")
    result, worker = (
        json.loads((folder / course.issue / f"{artifact}.json").read_text())
        for artifact in ("git-result", "worker-result")
    )
    git(tmp_path, "clone", "--quiet", "--bare", str(folder / "history.bundle"), "clone")
    clone, sha = tmp_path / "clone", result["commit_sha"]
    changed = git(clone, "diff", "--name-only", f"{sha}^", sha).split()

    assert git(clone, "fsck", "--strict") == ""
    assert git(clone, "log", "-1", "--format=%s", sha) == result["commit_message"]
    assert (changed == sorted(worker["files_changed"])) == name.startswith("solved")


TABLES = Path(__file__).parent / "histories"
CONTAINERS = ("clone", "fresh clone", "bundle", "packed")


def scripts(table: str) -> list[tuple[str, str]]:
    """Return the names and the scripts of a table."""
    lines = (TABLES / table).read_text("utf-8").splitlines()
    rows = [line.partition(": ") for line in lines if not line.startswith("#")]
    return [(name, script) for name, _, script in rows]


def submitted(alice: Path, folder: Path) -> dict[str, Path]:
    """Return one repository as people submit it, by the container."""
    ways = (alice, fresh(alice, folder), bundled(alice, folder), packed(alice, folder))
    return dict(zip(CONTAINERS, ways, strict=True))


def outcomes(report: Report) -> dict[str, str]:
    return {result.check.code: result.outcome.value for result in report.results}


def tried(table: str, how_many: Callable[[int, int], int]) -> list[tuple[str, str]]:
    rows = scripts(table)
    assert len(rows) >= 60
    return random.Random(26).sample(  # noqa: S311  # the same each time
        rows, how_many(6, len(rows))
    )


@pytest.mark.figure
def test_an_honest_history_keeps_all_its_points_however_it_is_submitted(
    how_many: Callable[[int, int], int], tmp_path: Path
) -> None:
    wrong = []
    rows = tried("honest.txt", how_many)
    for number, (name, script) in enumerate(rows):
        folder = tmp_path / str(number)
        ways = submitted(made(script, folder), folder)
        reports = {way: report_on(path) for way, path in ways.items()}
        wrong += [(name, way, outcomes(r)) for way, r in reports.items() if r.score < r.points]
        if outcomes(reports["clone"]) != outcomes(reports["packed"]):
            wrong.append((name, "clone and zip differ", outcomes(reports["packed"])))
    print(f"honest histories: {len(rows)}, each submitted in {len(CONTAINERS)} ways")

    assert wrong == []


@pytest.mark.figure
def test_a_forged_history_is_refused_however_it_is_submitted(
    how_many: Callable[[int, int], int], tmp_path: Path
) -> None:
    wrong = []
    rows = tried("forged.txt", how_many)
    for number, (name, script) in enumerate(rows):
        folder = tmp_path / str(number)
        ways = submitted(made(script, folder), folder)
        reports = {way: report_on(path) for way, path in ways.items()}
        wrong += [(name, way, outcomes(r)) for way, r in reports.items() if r.passed]
        if outcomes(reports["clone"]) != outcomes(reports["packed"]):
            wrong.append((name, "clone and zip differ", outcomes(reports["packed"])))
    print(f"forged histories: {len(rows)}, each submitted in {len(CONTAINERS)} ways")

    assert wrong == []


# `main` goes on by so many commits, each with a file of its own
PAD = """
pad() {{
    from=$(git rev-parse HEAD)
    for n in $(seq {0}); do
        printf 'commit refs/heads/main\\ncommitter A <a> %d +0000\\ndata 1\\nc' $((T + n))
        [ $n = 1 ] && printf '\\nfrom %s' $from
        printf '\\nM 100644 inline pad/%d/f\\ndata 6\\n%06d\\n\\n' $((n % 100)) $n
    done | git fast-import --quiet --force
    git reset -q --hard main; T=$((T + {0})); }}
pad; """


@pytest.mark.figure
def test_t1_no_number_of_commits_before_it_makes_an_empty_commit_work(
    how_many: Callable[[int, int], int], tmp_path: Path
) -> None:
    count = how_many(120, 10_050)
    begun, found = process_time(), []
    for number, work in enumerate(("work", "empty", "part", "work; change new; commit x")):
        alice = made(f"{PAD.format(count)} begin; {work}; ff", tmp_path / str(number))
        reports = (report_on(alice), report_on(packed(alice, tmp_path / str(number))))
        found.append([report.passed for report in reports])
    print(f"commits before the work: {count}, {(process_time() - begun) / 8:.2f} s of CPU a time")

    assert found == [[True, True], [False, False], [False, False], [False, False]]


INCOMPLETE = {
    "a shallow clone of the branch": ("remote; begin; part; rest; push", "--depth=1 -b $BRANCH"),
    "a shallow clone of main": ("remote; begin; work; push; main", "--depth=1"),
    "a shallow clone of all": ("remote; begin; part; rest; push", "--depth=1 --no-single-branch"),
    "a clone of one branch": ("remote; begin; work; push", "--single-branch -b $BRANCH"),
    "a clone of main alone": ("remote; begin; work; push; main", "--single-branch"),
    "another default branch": (
        "git branch -m 2026; remote; begin; work; push",
        "--depth=1 -b $BRANCH",
    ),
    "a clone that borrows objects": ("remote; begin; work; push", "--shared"),
    "a work tree": ("remote; begin; work; push", "worktree"),
    "a work tree of a shallow clone": ("remote; begin; part; rest; push", "--depth=1 worktree"),
}
COMMAND = re.compile(r"git (?:fetch|remote|bundle) [^,(]+?(?=,|\.(?:\s|$)|\))")


@pytest.mark.parametrize("name", INCOMPLETE)
def test_m4_the_advice_on_a_clone_that_is_not_whole_works_as_it_is_written(
    name: str, tmp_path: Path
) -> None:
    script, how = INCOMPLETE[name]
    url = "../origin" if "--shared" in how else f"file://{tmp_path}/origin"
    clone = f"git clone -q {how.replace('worktree', '')} {url} ../clone"
    tree = 'git -C ../clone worktree add -q --detach ../tree "origin/$BRANCH"'
    if name == "a work tree of a shallow clone":
        tree = "git -C ../clone worktree add -q --detach ../tree origin/HEAD"
    alice = made("; ".join([script, clone, *([tree] if "worktree" in how else [])]), tmp_path)
    place = with_artifacts(alice, tmp_path / ("tree" if "worktree" in how else "clone"))
    files = {path for path in (tmp_path / "clone").rglob("*") if path.is_file()}
    before = report_on(place)
    for _ in range(3):
        findings = [found for result in report_on(place).results for found in result.findings]
        actions = [found.action or found.message for found in findings]
        for command in COMMAND.findall("".join(actions[:1])):
            subprocess.run(shlex.split(command), cwd=place, capture_output=True, check=False)
    after = report_on(place)

    # where a branch begins is not checked; a history that is not here proves nothing
    is_unchecked = name == "a clone of one branch"
    assert (before.passed, after.passed, after.score) == (is_unchecked, True, 20)
    assert not [path for path in files if not path.exists() and "/shallow" not in str(path)]


def graded(cohort: Path, exercise: str) -> dict[str, dict[str, str]]:
    """Return the outcomes of the checks of each learner of a cohort, by `verify batch`."""
    table = cohort.parent / "grades.csv"
    words = ["--gradebook", str(cohort.parent / "gradebook.db"), "--csv", str(table)]
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        main(["batch", str(cohort), "--exercise", exercise, *words])
    found: dict[str, dict[str, str]] = {}
    with open(table, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["learner"], {})[row["check"]] = row["check_outcome"]
    return found


EXERCISES = list(catalog.exercises())


@pytest.mark.figure
def test_t8_check_pack_and_batch_give_one_answer_to_one_submission(
    how_many: Callable[[int, int], int], tmp_path: Path
) -> None:
    wrong, counted = [], 0
    some = random.Random(8).sample(EXERCISES, how_many(1, len(EXERCISES)))  # noqa: S311
    for exercise in some:
        cohort = tmp_path / exercise.code / "cohort"
        folder = Path(ROOT, FIXTURES, exercise.level, f"{exercise.number:02}-{exercise.slug}")
        checked = {}
        for fixture in sorted(path for path in folder.iterdir() if path.is_dir()):
            shutil.copytree(fixture, cohort / f"folder {fixture.name}", symlinks=True)
            checked[f"folder {fixture.name}"] = outcomes(report_on(fixture, exercise.name))
            (cohort / f"zip {fixture.name}").mkdir()
            if packed(fixture, cohort / f"zip {fixture.name}", exercise.name).exists():
                checked[f"zip {fixture.name}"] = checked[f"folder {fixture.name}"]
        for name, found in graded(cohort, exercise.name).items():
            expected = {code: checked.get(name, found)[code] for code in found if code}
            wrong += [(exercise.name, name, found, expected)] if found != expected else []
            counted += name in checked
    print(f"submissions graded as folders and as zips: {counted}, of {len(some)} exercises")

    assert wrong == []
