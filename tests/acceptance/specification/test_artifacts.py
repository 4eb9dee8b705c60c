"""What the specification says of plans, results and traces, shown by verifying changed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]
    PathOf = Callable[[str], str]
    Solved = Callable[[str], Path]
    Failed = Callable[[str, Path], list[str]]
    Change = Mapping[str, Any] | Callable[[Any], Any]
    FailedAfter = Callable[[str, str, Change], list[str]]

DELEGATED = "sandbox/.pipeline/ISSUE-201"
FIRST = "sandbox/.pipeline/ISSUE-101"
TRACE = ".pipeline/ISSUE-102"


@pytest.mark.spec("4.11", "4.12", "4.13")
@pytest.mark.parametrize(
    "exercise", ["foundation/01-plan", "practitioner/01-setup", "expert/01-classify"]
)
def test_a_level_verifies_an_exercise_by_its_number(
    run: Run, fixture: PathOf, exercise: str
) -> None:
    level = exercise.partition("/")[0]
    script = f"docs/{level}/tutorials/verify.py"
    done = [
        run(script, "--exercise", "01", "--project", fixture(f"{exercise}/{name}"), cwd=ROOT)
        for name in ("solved", "unsolved")
    ]

    assert [(each.returncode, each.stderr) for each in done] == [(0, ""), (1, "")]
    assert [each.stdout.startswith(f"{level}/01 - ") for each in done] == [True, True]


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        pytest.param({"steps": []}, ["P02.3"], id="empty steps", marks=pytest.mark.spec("4.20")),
        *(
            pytest.param({field: ...}, ["P02.3"], id=f"no {field}", marks=pytest.mark.spec("4.21"))
            for field in ("affected_files", "steps", "acceptance_mapping", "produced_by")
        ),
        pytest.param(
            lambda plan: {**plan, "affected_files": [*plan["affected_files"], "src/more.js"]},
            ["P02.4"],
            id="a file without a step",
            marks=pytest.mark.spec("4.20"),
        ),
        pytest.param(
            lambda plan: {**plan, "steps": plan["steps"][::-1]},
            ["P02.5"],
            id="the steps the other way round",
            marks=pytest.mark.spec("4.20"),
        ),
        pytest.param(
            {"produced_by": "x-planner"},
            ["P02.8"],
            id="the marker of another agent",
            marks=pytest.mark.spec("2.2.18", "2.2.19", "4.8", "4.22"),
        ),
    ],
)
def test_a_delegated_plan_fails_the_check_of_what_is_wrong(
    failed_after: FailedAfter, change: Change, codes: list[str]
) -> None:
    assert failed_after("practitioner/02", f"{DELEGATED}/plan.json", change) == codes


@pytest.mark.spec("4.7", "4.19")
def test_a_delegated_plan_that_is_not_on_disk_fails(failed: Failed, solved: Solved) -> None:
    project = solved("practitioner/02")
    before = failed("practitioner/02", project)
    (project / DELEGATED / "plan.json").unlink()

    assert (before, failed("practitioner/02", project)) == ([], ["P02.1"])


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        pytest.param(
            {"status": "blocked", "blockers": ["no network"]},
            ["F02.4"],
            id="blocked",
            marks=pytest.mark.spec("2.3.2", "3.5", "3.7"),
        ),
        pytest.param({"status": "failed"}, ["F02.4"], id="failed", marks=pytest.mark.spec("3.7")),
        pytest.param(
            {"blockers": ["no network"]},
            ["F02.4"],
            id="completed with blockers",
            marks=pytest.mark.spec("2.3.6", "3.8"),
        ),
        pytest.param(
            {"produced_by": "x-git"}, ["F02.8"], id="marker", marks=pytest.mark.spec("2.3.10")
        ),
    ],
)
def test_work_fails_the_check_of_what_is_wrong(
    failed_after: FailedAfter, change: Change, codes: list[str]
) -> None:
    assert failed_after("foundation/02", f"{FIRST}/worker-result.json", change) == codes


@pytest.mark.spec("1.8", "2.3.4")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        (".pipeline/ISSUE-101/plan.json", "F02.5"),
        ("src/health/routes.js", "F02.7"),
        (".pipeline/ISSUE-101/worker-result.json", "F02.1"),
    ],
)
def test_work_needs_the_plan_the_files_and_the_result(
    failed: Failed, solved: Solved, path: str, code: str
) -> None:
    project = solved("foundation/02")
    before = failed("foundation/02", project)
    (project / "sandbox" / path).unlink()

    assert (before, failed("foundation/02", project)[:1]) == ([], [code])


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        pytest.param(
            {"produced_by": "x-worker"}, ["F03.7"], id="marker", marks=pytest.mark.spec("2.4.11")
        ),
        pytest.param(
            {"pr_url": ...}, [], id="no address", marks=pytest.mark.spec("2.4.9", "2.5.21")
        ),
        pytest.param(
            {"branch": "feature/health"}, [], id="no issue", marks=pytest.mark.spec("2.4.3")
        ),
    ],
)
def test_a_publication_fails_for_what_the_exercise_requires_only(
    failed_after: FailedAfter, change: Change, codes: list[str]
) -> None:
    assert failed_after("foundation/03", f"{FIRST}/git-result.json", change) == codes


@pytest.mark.parametrize(
    ("name", "change", "codes"),
    [
        pytest.param(
            "plan.json",
            lambda plan: {**plan, "affected_files": [*plan["affected_files"], "src/more.js"]},
            ["F04.7"],
            id="a file without a step",
            marks=pytest.mark.spec("4.25", "7.3"),
        ),
        pytest.param(
            "plan.json",
            lambda plan: {**plan, "affected_files": plan["affected_files"][1:]},
            ["F04.7"],
            id="a step without a file",
            marks=pytest.mark.spec("4.25", "7.3"),
        ),
        pytest.param(
            "worker-result.json",
            {"blockers": "none"},
            ["F04.8"],
            id="blockers are a text",
            marks=pytest.mark.spec("4.26", "7.4"),
        ),
        pytest.param(
            "worker-result.json",
            {"blockers": ...},
            ["F04.8"],
            id="no blockers",
            marks=pytest.mark.spec("2.5.22", "4.26"),
        ),
        pytest.param(
            "plan.json", {"steps": ...}, ["F04.4"], id="plan", marks=pytest.mark.spec("4.24")
        ),
        pytest.param(
            "worker-result.json",
            {"status": 1},
            ["F04.5"],
            id="worker result",
            marks=pytest.mark.spec("4.24"),
        ),
        pytest.param(
            "git-result.json",
            {"branch": "main"},
            ["F04.6"],
            id="git result",
            marks=pytest.mark.spec("4.24"),
        ),
    ],
)
def test_a_trace_fails_the_check_of_what_is_wrong(
    failed_after: FailedAfter, name: str, change: Change, codes: list[str]
) -> None:
    assert failed_after("foundation/04", f"{TRACE}/{name}", change) == codes


@pytest.mark.spec("2.1.1", "2.1.2", "2.1.3", "4.23")
def test_a_trace_is_looked_for_at_the_root_and_not_in_the_sandbox(
    failed: Failed, solved: Solved
) -> None:
    project = solved("foundation/04")
    before = failed("foundation/04", project)
    (project / "sandbox").mkdir(exist_ok=True)
    (project / ".pipeline").rename(project / "sandbox" / ".pipeline")

    assert (before, failed("foundation/04", project)) == ([], ["F04.1", "F04.2", "F04.3"])


@pytest.mark.spec("2.1.1", "2.1.4")
def test_a_plan_of_the_sandbox_is_looked_for_in_the_sandbox(failed: Failed, solved: Solved) -> None:
    project = solved("practitioner/02")
    before = failed("practitioner/02", project)
    (project / "sandbox" / ".pipeline").rename(project / ".pipeline")

    assert (before, failed("practitioner/02", project)) == ([], ["P02.1"])
