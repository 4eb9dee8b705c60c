"""What a git result claims is compared with the history, and every contradiction is reported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.host import FixedHost
from tools.bundles import Bundle, Stamp
from verify.attempt import Attempt, Source
from verify.checks import evidence
from verify.selftest.overlay import Overlay
from verify.verdicts import PASSED, Finding, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.attempt import CheckFunction
    from verify.model import Exercise
    from verify.verdicts import Verdict

GIT = Source("git-result.json")
FILE = ".pipeline/ISSUE-7/git-result.json"
BRANCH = "feature/issue-7-health"
REF, MAIN = f"refs/heads/{BRANCH}", "refs/heads/main"
SAID = "feat: add a health endpoint"
NOON = 1_767_268_800  # 2026-01-01 12:00 UTC
HOUR = 3_600


class Scene:
    """A bundle with two commits on main and one on the branch, and a git result about it."""

    def __init__(self, toy: Callable[..., Exercise], result: dict[str, Any]) -> None:
        self.toy = toy
        self.bundle = Bundle()
        self.tree = self.bundle.tree({"src/app.py": b"x = 1\n"})
        self.begun = self.commit([], 0, "chore: begin")
        self.work = self.commit([self.begun], 2, f"{SAID}\n\nWith a body\n\nRefs: ISSUE-7")
        self.main = self.commit([self.begun], 1, "docs: more")
        self.bundle.refs = {MAIN: self.main, REF: self.work}
        self.result = {**result, "commit_sha": self.work}

    def commit(self, parents: list[str], hours: int, message: str, author: int = 0) -> str:
        stamp = Stamp(NOON + (hours + author) * HOUR, NOON + hours * HOUR)
        return self.bundle.commit(self.tree, parents, stamp, message)

    def verdict(self, check: CheckFunction, **changes: str) -> Verdict:
        files = {
            FILE: json.dumps({**self.result, **changes}).encode(),
            ".pipeline/history.bundle": self.bundle.data(),
        }
        return check(Attempt(self.toy(), Overlay("memory", files), None, FixedHost({})))

    def finding(self, check: CheckFunction, **changes: str) -> Finding:
        verdict = self.verdict(check, **changes)
        assert (verdict.outcome, len(verdict.findings)) == (Outcome.FAIL, 1)
        return verdict.findings[0]


@pytest.fixture
def scene(toy_exercise: Callable[..., Exercise], git_result: dict[str, Any]) -> Scene:
    return Scene(toy_exercise, git_result)


def told(finding: Finding) -> tuple[str, str, str, str]:
    return finding.path, finding.message, finding.expected, finding.found


# --- commit_sha ---------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [7, 40])
def test_a_commit_of_the_history_passes_also_abbreviated(digits: int, scene: Scene) -> None:
    check = evidence.names_a_commit(GIT)

    assert scene.verdict(check, commit_sha=scene.work[:digits]) is PASSED


def test_a_commit_that_git_does_not_have_is_told(scene: Scene) -> None:
    finding = scene.finding(evidence.names_a_commit(GIT), commit_sha="f" * 40)

    assert told(finding) == (
        "$.commit_sha",
        "git has no commit of this name",
        "a commit of the history",
        f'"{"f" * 40}"',
    )
    assert (finding.file, finding.line > 0) == (FILE, True)


def test_where_the_history_is_not_whole_that_is_told_as_well(scene: Scene) -> None:
    files = {FILE: json.dumps({**scene.result, "commit_sha": "f" * 40}).encode()}
    submission = Overlay("memory", {**files, ".pipeline/history.bundle": scene.bundle.data()})
    history = submission.history()
    assert history is not None
    history.cut = "the clone is shallow"
    submission.history = lambda: history  # type: ignore[method-assign]  # a fake's
    attempt = Attempt(scene.toy(), submission, None, FixedHost({}))

    assert evidence.names_a_commit(GIT)(attempt).findings[0].expected == (
        "a commit of the history (and a part of it is not here: "
        "the clone is shallow, or borrows from another one)"
    )


def test_what_is_no_commit_is_told(scene: Scene) -> None:
    finding = scene.finding(evidence.names_a_commit(GIT), commit_sha=scene.tree)

    assert told(finding)[1] == "git knows this as a tree, not as a commit"


def test_an_abbreviation_of_two_commits_is_told(scene: Scene) -> None:
    prefixes: dict[str, str] = {}
    number = 0
    while True:
        made = scene.commit([], 3, f"chore: {number}")
        other = prefixes.setdefault(made[:4], made)
        if other != made:
            break
        number += 1
    finding = scene.finding(evidence.names_a_commit(GIT), commit_sha=made[:4])

    assert told(finding)[1:3] == (
        "git has several commits whose names begin so",
        "more of the digits",
    )
    assert made in finding.found
    assert other in finding.found


# --- branch -------------------------------------------------------------------------------------


def test_a_commit_on_another_branch_is_told(scene: Scene) -> None:
    scene.bundle.refs |= {REF: scene.begun, "refs/heads/feature/other": scene.work}

    assert told(scene.finding(evidence.lies_on_its_branch(GIT))) == (
        "$.branch",
        "the commit is not on the branch",
        f"a branch with {scene.work[:10]}",
        f'"{BRANCH}" ends at {scene.begun[:10]}',
    )


def test_a_branch_that_git_does_not_have_is_told(scene: Scene) -> None:
    scene.bundle.refs = {MAIN: scene.main, "refs/heads/feature/other": scene.work}

    assert told(scene.finding(evidence.lies_on_its_branch(GIT))) == (
        "$.branch",
        "git has no such branch, and the commit was not merged",
        f'"{BRANCH}", or {scene.work[:10]} on "main"',
        'branches "feature/other", "main"',
    )


def test_a_commit_that_was_there_before_the_branch_is_told(scene: Scene) -> None:
    finding = scene.finding(evidence.lies_on_its_branch(GIT), commit_sha=scene.begun)

    assert told(finding) == (
        "$.commit_sha",
        'the commit was on "main" before the branch began',
        f"a commit after {scene.begun[:10]}",
        scene.begun[:10],
    )


def test_without_a_main_branch_the_branch_alone_is_asked(scene: Scene) -> None:
    scene.bundle.refs = {REF: scene.work}

    assert scene.verdict(evidence.lies_on_its_branch(GIT)) is PASSED


# --- commit_message -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        SAID,
        f"{SAID}\n\nWith a body",
        f"{SAID}\r\n\r\nWith a body\r\n\r\nRefs: ISSUE-7",
        f"{SAID}  \n\nWith a body\n\nRefs: ISSUE-7\n\n",
    ],
)
def test_the_whole_message_or_its_first_paragraphs_pass(message: str, scene: Scene) -> None:
    assert scene.verdict(evidence.says_its_message(GIT), commit_message=message) is PASSED


@pytest.mark.parametrize(
    "message",
    ["feat: add a health", f"{SAID}s", f"{SAID}\n\nWith", f"{SAID}\n\nWith a body\n\nRefs: X"],
)
def test_another_message_is_told_beside_gits(message: str, scene: Scene) -> None:
    finding = scene.finding(evidence.says_its_message(GIT), commit_message=message)

    assert told(finding)[:2] == ("$.commit_message", "git has another message")
    assert finding.expected.startswith(f'git: "{SAID}')
    assert finding.expected != finding.found


# --- advice -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("hours", "author"), [(0, 0), (-1, 0), (5, -90), (5, 1)])
def test_commits_in_their_order_pass(hours: int, author: int, scene: Scene) -> None:
    scene.work = scene.commit([scene.begun], hours, SAID, author)
    scene.bundle.refs[REF] = scene.work

    other = scene.commit([scene.begun], 3, "feat: on no branch")
    scene.bundle.refs["refs/heads/other"] = other

    check = evidence.has_times_in_order(GIT)
    assert scene.verdict(check, commit_sha=scene.work) is PASSED
    assert scene.verdict(check, commit_sha=other) is PASSED  # another check tells


def test_a_commit_that_is_older_than_what_it_builds_on_is_told(scene: Scene) -> None:
    scene.work = scene.commit([scene.begun], -2, SAID)
    scene.bundle.refs[REF] = scene.work
    finding = scene.finding(evidence.has_times_in_order(GIT), commit_sha=scene.work)

    assert told(finding) == (
        "$.commit_sha",
        f"commit {scene.work[:10]} is dated before {scene.begun[:10]}, which it follows",
        "2026-01-01 12:00:00 UTC or later",
        "2026-01-01 10:00:00 UTC",
    )


def test_a_commit_that_was_written_after_it_was_made_is_told(scene: Scene) -> None:
    scene.work = scene.commit([scene.begun], 2, SAID, author=200_000_000)
    scene.bundle.refs[REF] = scene.work
    finding = scene.finding(evidence.has_times_in_order(GIT), commit_sha=scene.work)

    assert told(finding)[1:] == (
        f"commit {scene.work[:10]} was written after it was made",
        "at most 2026-01-01 14:00:00 UTC",
        f"{NOON + 200_000_002 * HOUR} seconds after 1970",
    )
