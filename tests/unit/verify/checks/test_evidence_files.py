"""Listed files are held against the files that git says were changed: matched, extra, missing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.host import FixedHost
from tools.bundles import Bundle, Stamp
from verify.attempt import Attempt, Source
from verify.checks.evidence_files import leaves_artifacts_out, names_the_changed_files
from verify.selftest.overlay import Overlay
from verify.verdicts import PASSED, Finding, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verify.model import Exercise
    from verify.verdicts import Verdict

GIT, WORKER = Source("git-result.json"), Source("worker-result.json")
BRANCH = "feature/issue-7-health"
CHECK = names_the_changed_files(WORKER, "files_changed", GIT)
BEFORE = {"README.md": b"# It\n", "src/app.py": b"x = 1\n"}


@pytest.fixture
def verdict(
    toy_exercise: Callable[..., Exercise], git_result: dict[str, Any], worker_result: dict[str, Any]
) -> Callable[..., Verdict]:
    """Return what grades the files listed by a worker against those of a commit."""

    def of(
        listed: list[str],
        after: Mapping[str, bytes] | bytes,
        target: str = ".",
        check: Any = CHECK,
        result: Mapping[str, Any] | None = None,
    ) -> Verdict:
        made = Bundle()
        begun = made.commit(made.tree(BEFORE), [], Stamp(1, 1), "chore: begin")
        tree = made.add("tree", after) if isinstance(after, bytes) else made.tree(after)
        work = made.commit(tree, [begun], Stamp(2, 2), "feat: add it")
        made.refs = {"refs/heads/main": begun, f"refs/heads/{BRANCH}": work}
        folder = ".pipeline/ISSUE-7" if target == "." else f"{target}/.pipeline/ISSUE-7"
        documents = {
            "git-result.json": {**git_result, "commit_sha": work, **(result or {})},
            "worker-result.json": {**worker_result, "files_changed": listed},
        }
        files = {f"{folder}/{name}": json.dumps(each).encode() for name, each in documents.items()}
        files[".pipeline/history.bundle"] = made.data()
        exercise = toy_exercise(target=target)
        found: Verdict = check(Attempt(exercise, Overlay("m", files), None, FixedHost({})))
        return found

    return of


def told(verdict: Verdict) -> list[tuple[str, str, str, str]]:
    assert verdict.outcome is Outcome.FAIL
    return [(each.path, each.message, each.expected, each.found) for each in verdict.findings]


def test_the_files_that_git_says_were_changed_pass_in_any_order(
    verdict: Callable[..., Verdict],
) -> None:
    after = {"src/app.py": b"x = 2\n", "src/health.py": b"y\n"}  # README.md is removed

    assert verdict(["src/health.py", "src/app.py", "README.md"], after) is PASSED


def test_a_submodule_is_not_the_file_that_is_claimed(verdict: Callable[..., Verdict]) -> None:
    found = verdict(["README.md", "src"], b"160000 src\0" + b"1" * 20)

    assert ("$.files_changed[1]", "this is a submodule, not a file") in [
        (each.path, each.message) for each in found.findings
    ]


def test_a_file_too_many_and_one_too_few_are_told(verdict: Callable[..., Verdict]) -> None:
    after = {**BEFORE, "src/app.py": b"x = 2\n", "src/health.py": b"y\n"}
    found = verdict(["src/app.py", "src/other.py"], after)

    assert told(found) == [
        (
            "$.files_changed",
            "git has a change of a file that is not listed",
            'git: "src/health.py"',
            '"src/app.py", "src/other.py"',
        ),
        (
            "$.files_changed[1]",
            "git has no change of this file",
            'git: "src/app.py", "src/health.py"',
            '"src/other.py"',
        ),
    ]
    (action,) = {finding.action for finding in found.findings}
    assert action.startswith("Compare with git diff --name-only ")
    assert action.endswith(
        " (1 match, 1 too many, 1 missing). If the work is complete, have the agent of this"
        " artifact write it again; if not, commit the rest and publish again."
    )


@pytest.mark.parametrize(
    ("listed", "after", "target"),
    [
        ("src/app.py", {"src/app.py": b"x = 2\n", ".pipeline/ISSUE-7/plan.json": b"{}"}, "."),
        (
            "src/a.py",
            {"service/src/a.py": b"a\n", "service/.pipeline/ISSUE-7/plan.json": b"{}"},
            "service",
        ),
        ("src/cafe\u0301.py", {"src/caf\u00e9.py": b"a\n"}, "."),
    ],
    ids=["beside artifacts", "of the target project", "in another form of Unicode"],
)
def test_changed_files_are_recognised(
    verdict: Callable[..., Verdict], listed: str, after: dict[str, bytes], target: str
) -> None:
    assert verdict([listed], {**BEFORE, **after}, target) is PASSED


def test_a_change_outside_the_target_project_is_told(verdict: Callable[..., Verdict]) -> None:
    after = {**BEFORE, "service/src/a.py": b"a\n", "other/b.py": b"b\n"}

    assert told(verdict(["src/a.py"], after, "service"))[0][2] == 'git: "other/b.py"'


def test_very_many_differences_are_cut_and_counted(verdict: Callable[..., Verdict]) -> None:
    after = {**BEFORE, **{f"src/{n:03}.py": b"x\n" for n in range(400)}}
    found = verdict(["src/000.py"], after)

    assert (len(found.findings), found.more) == (5, 394)


def test_a_hostile_name_in_git_is_shown_harmless_and_no_name_as_none(
    verdict: Callable[..., Verdict],
) -> None:
    after = {**BEFORE, "src/\x1b[2J\u202e.py": b"x\n"}

    assert told(verdict([], after))[0][2] == 'git: "src/\\u001b[2J\\u202e.py"'
    assert told(verdict(["src/app.py"], BEFORE))[0][2] == "git: no file"


def test_an_artifact_in_the_commit_is_told(verdict: Callable[..., Verdict]) -> None:
    check = leaves_artifacts_out(GIT, (GIT, WORKER))
    path = ".pipeline/ISSUE-7/git-result.json"
    another = verdict([], {**BEFORE, ".pipeline/ISSUE-8/git-result.json": b"{}"}, check=check)
    (finding,) = verdict([], {**BEFORE, path: b"{}"}, check=check).findings
    message, expected = "the artifact is part of the work's commit", "the files of the work only"

    assert another is PASSED
    assert finding == Finding(message, expected, finding.found, path)
