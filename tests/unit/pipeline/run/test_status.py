"""The state of an issue: every state of the specification, and every way to leave its order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

from pipeline.bootstrap import called_as
from pipeline.run.artifacts import StageArtifact, read_artifact
from pipeline.run.lock import hold_of
from pipeline.run.status import issues_of, state_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]

PLAN, WORKER, GIT = "plan.json", "worker-result.json", "git-result.json"
FAST = {"produced_by": "x-worker-fast"}
READY = "pull request ready for review"
PUBLISHES = "x-git publishes the work and writes git-result.json"
WITHOUT_AN_ADDRESS = "review and merge feature/issue-7-health (its pull request has no URL:"
BLOCKED = {"status": "blocked", "blockers": ["no network", {"code": 7}]}
SAMPLES: dict[str, dict[str, Any]] = {
    PLAN: {
        "affected_files": ["src/health.js"],
        "steps": [{"order": 1, "file": "src/health.js", "description": "answer"}],
        "acceptance_mapping": {"AC1_status": "src/health.js"},
        "produced_by": "x-subplanner",
    },
    WORKER: {
        "status": "completed",
        "files_changed": ["src/health.js"],
        "blockers": [],
        "summary": "It answers.",
        "produced_by": "x-worker",
    },
    GIT: {
        "branch": "feature/issue-7-health",
        "commit_sha": "0123abc",
        "commit_message": "feat: answer",
        "pr_url": "https://git.example.org/pull/7",
        "produced_by": "x-git",
    },
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty target project, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(project: Path) -> Callable[..., Path]:
    """Return a function that writes one artifact of ISSUE-7, with changes; None drops a field."""

    def write_artifact(name: str, changes: dict[str, Any] | str | None = None) -> Path:
        path = project / ".pipeline" / "ISSUE-7" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(changes, str):
            path.write_text(changes, encoding="utf-8")
            return path
        value = {**SAMPLES[name], **(changes or {})}
        kept = {field: each for field, each in value.items() if each is not None}
        path.write_text(json.dumps(kept, indent=2), encoding="utf-8")
        return path

    return write_artifact


def message(issue: str = "ISSUE-7") -> tuple[str, str, str]:
    """Return an issue's stage, why it is stopped, and its next step."""
    state = state_of(".", issue)
    return state.state, state.stopped, state.next_step


@pytest.mark.usefixtures("project")
@pytest.mark.spec("3.1")
def test_an_issue_without_files_is_received() -> None:
    state = state_of(".", "ISSUE-7")

    assert (state.state, state.running, state.stopped) == ("issue received", False, "")
    assert (
        state.next_step == f'start it: {called_as("pipeline")} run "work on issue ISSUE-7: <task>"'
    )
    assert [each.condition for each in state.artifacts] == ["absent"] * 3


@pytest.mark.spec("3.1", "3.4", "3.5", "3.6")
@pytest.mark.parametrize(
    ("artifacts", "stage", "stopped", "next_step"),
    [
        ({"run.lock": ""}, "planning", "", "a planner writes plan.json"),
        (
            {PLAN: {"status": 7}},
            "implementing",
            "",
            "a worker reads plan.json and writes worker-result.json",
        ),
        ({PLAN: None, WORKER: None}, "publishing", "", PUBLISHES),
        ({WORKER: FAST}, "publishing", "", PUBLISHES),
        (
            {PLAN: None, WORKER: None, GIT: None},
            READY,
            "",
            "review and merge https://git.example.org/pull/7",
        ),
        (
            {WORKER: FAST, GIT: {"pr_url": None}},
            READY,
            "",
            f"{WITHOUT_AN_ADDRESS} see .pipeline/forge/pulls)",
        ),
        (
            {PLAN: None, WORKER: None, GIT: {"pr_url": None, "forge": "gitea"}},
            READY,
            "",
            f"{WITHOUT_AN_ADDRESS} see the pull requests on gitea)",
        ),
        (
            {PLAN: "{", WORKER: FAST},
            "planning",
            "plan.json is not valid",
            "fix plan.json, or run the issue again to rewrite it",
        ),
    ],
)
def test_the_artifacts_say_at_which_stage_an_issue_is_and_what_comes_next(
    write: Write, artifacts: dict[str, Any], stage: str, stopped: str, next_step: str
) -> None:
    for name, changes in artifacts.items():
        write(name, changes)

    assert message() == (stage, stopped, next_step)


@pytest.mark.spec("3.7", "3.8")
def test_a_worker_that_is_not_completed_stops_the_run(write: Write) -> None:
    write(PLAN)
    write(WORKER, BLOCKED)
    state = state_of(".", "ISSUE-7")

    assert message() == (
        "implementing",
        "the worker's status is blocked, not completed, with 2 blockers",
        "resolve what stopped the worker, then run the issue again with --retry",
    )
    assert (state.worker_status, state.blockers) == (
        "blocked",
        ("no network", "an object with 1 field"),
    )


@pytest.mark.parametrize(
    ("name", "changes", "stage", "problem"),
    [
        (PLAN, {"steps": []}, "planning", ":5:12: $.steps: "),
        (WORKER, {"blockers": ["red tests"]}, "implementing", ":6:15: $.blockers: "),
        (GIT, "", "publishing", ":1:1: "),
    ],
)
def test_an_invalid_artifact_stops_the_run_and_says_where(
    write: Write, name: str, changes: dict[str, Any] | str, stage: str, problem: str
) -> None:
    for each in (PLAN, WORKER, GIT):
        write(each)
    write(name, changes)
    state = state_of(".", "ISSUE-7")
    broken = next(each for each in state.artifacts if each.name == name)

    assert (state.state, state.stopped) == (stage, f"{name} is not valid")
    assert state.next_step == f"fix {name}, or run the issue again to rewrite it"
    assert (broken.condition, broken.more) == ("invalid", 0)
    assert broken.problems[0].startswith(f".pipeline/ISSUE-7/{name}{problem}")


def test_a_run_that_continues_is_shown_and_not_called_stopped(write: Write) -> None:
    lock = write("run.lock", "")
    write(PLAN, "{")
    with FileLock(lock):
        assert state_of(".", "ISSUE-7").running
        state = state_of(".", "ISSUE-7")  # asking has not let go of it

    assert (state.state, state.running, state.stopped) == ("planning", True, "")
    assert state.next_step == "wait: a run of this issue is in progress"
    assert (state_of(".", "ISSUE-7").running, message()[1]) == (False, "plan.json is not valid")


def test_an_issue_behind_a_link_is_not_read(project: Path, write: Write) -> None:
    for name in (PLAN, WORKER, GIT):
        write(name)
    (project / ".pipeline" / "ISSUE-8").symlink_to("ISSUE-7")
    state = state_of(".", "ISSUE-8")

    assert state.stopped == ".pipeline/ISSUE-8 is a link, which is not followed"
    assert {each.condition for each in state.artifacts} == {"absent"}


FOLDER = ".pipeline/ISSUE-7"
PLACE = ".pipeline/ISSUE-7/plan.json"


@pytest.mark.parametrize(
    ("changes", "condition", "files"),
    [(None, "valid", ["src/health.js"]), ({"steps": []}, "invalid", None)],
)
def test_an_invalid_artifact_says_nothing_but_its_producer(
    write: Write, changes: Any, condition: str, files: list[str] | None
) -> None:
    write(PLAN, changes)
    artifact = read_artifact(FOLDER, PLAN)

    assert (artifact.condition, artifact.says("affected_files")) == (condition, files)
    assert artifact.producer == "x-subplanner"


def test_the_first_problems_are_shown_and_the_rest_counted(write: Write) -> None:
    write("plan.json", {"affected_files": [], "steps": [{}] * 3})
    artifact = read_artifact(FOLDER, "plan.json", most=3)

    assert (len(artifact.problems), artifact.more) == (3, 1)


def test_a_link_is_not_followed(project: Path) -> None:
    (project / FOLDER).mkdir(parents=True)
    (project / "secret.json").write_text('{"token": "s3cr3t"}')
    (project / PLACE).symlink_to(project / "secret.json")

    expected = (f"{PLACE}: is a link, not a regular file",)
    assert read_artifact(FOLDER, PLAN) == StageArtifact(PLAN, "invalid", problems=expected)


def test_a_link_in_the_place_of_the_lock_is_none(tmp_path: Path) -> None:
    (tmp_path / "run.lock").symlink_to("/dev/null")

    assert hold_of(str(tmp_path)) == "absent"


def test_issues_come_in_natural_order_without_other_names(project: Path) -> None:
    issues = ("API-100", "ISSUE-007", "ISSUE-7", "ISSUE-9", "ISSUE-10")
    for name in (*reversed(issues), "issue-7", ".cache", "forge", "ISSUE-7.bak"):
        (project / "sandbox" / ".pipeline" / name).mkdir(parents=True)

    assert issues_of("sandbox") == list(issues)
    assert issues_of(".") == []
