"""A question that no history answers is a failure with what to do, never a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.files import DENIED, Unreadable
from pipeline.host import FixedHost
from verify.attempt import Attempt, Source
from verify.checks.histories import asking
from verify.selftest.overlay import Overlay
from verify.verdicts import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.attempt import Artifact
    from verify.history.history import History
    from verify.model import Exercise
    from verify.verdicts import Verdict

GIT = Source("git-result.json")


class Damaged(Overlay):
    """A submission whose history cannot be read."""

    def history(self) -> History | None:
        raise Unreadable(DENIED, ".git cannot be read: it is \x1b[2Jdamaged")


def never(_: Attempt, _artifact: Artifact, _history: History) -> Verdict:
    raise AssertionError("nothing can be asked")


def attempt(submission: Overlay, toy: Callable[..., Exercise]) -> Attempt[Exercise]:
    return Attempt(toy(), submission, None, FixedHost({}))


def test_a_history_that_cannot_be_read_says_why_on_one_line(
    toy_exercise: Callable[..., Exercise],
) -> None:
    assert asking(GIT, never)(attempt(Damaged("memory", {}), toy_exercise)) == failed(
        Finding(
            "the git history cannot be asked",
            found=".git cannot be read: it is \\u{1b}[2Jdamaged",
            action="git fetch --unshallow, where the clone is shallow; else submit a bundle of"
            " another clone (git bundle create .pipeline/history.bundle --all).",
        )
    )


def test_a_submission_without_a_history_is_asked_for_one(
    toy_exercise: Callable[..., Exercise],
) -> None:
    assert asking(GIT, never)(attempt(Overlay("memory", {}), toy_exercise)) == failed(
        Finding(
            "no git history came with the submission",
            "a folder .git, or a bundle at .pipeline/history.bundle",
            action="In the project: git bundle create .pipeline/history.bundle --all.",
        )
    )


def test_what_fails_to_be_read_while_it_is_asked_is_told_as_well(
    toy_exercise: Callable[..., Exercise],
) -> None:
    class There(Overlay):
        def history(self) -> History | None:
            return object()  # type: ignore[return-value]  # the question fails before it is used

    def lacking(_: Attempt, _artifact: Artifact, _history: History) -> Verdict:
        raise Unreadable(DENIED, "has a hole")

    def fine(_: Attempt, _artifact: Artifact, _history: History) -> Verdict:
        return PASSED

    submission = attempt(There("memory", {}), toy_exercise)

    assert asking(GIT, lacking)(submission).findings[0].found == "has a hole"
    assert asking(GIT, fine)(submission) is PASSED
