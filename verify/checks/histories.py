"""Asks the git history that came with a submission; where it cannot be read, a check fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.files import Unreadable
from pipeline.terminal.display import visible
from verify.history import BUNDLE, GIT
from verify.verdicts import Finding, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verify.attempt import Artifact, Attempt, CheckFunction, Source
    from verify.history.history import History

    Question = Callable[[Attempt, Artifact, History], Verdict]

_MAKE_ONE = f"In the project: git bundle create {BUNDLE} --all"
_WHOLE = "git fetch --unshallow, where the clone is shallow; else submit a bundle of another clone"


def asking(source: Source, question: Question) -> CheckFunction:
    """Return the check that puts a question about an artifact to the history."""

    def check(attempt: Attempt) -> Verdict:
        try:
            history = attempt.submission.history()
            if history is None:
                return failed(_none())
            return question(attempt, attempt.artifact(source), history)
        except Unreadable as error:
            message = "the git history cannot be asked"
            step = f"{_WHOLE} ({_MAKE_ONE.partition(': ')[2]})."
            return failed(Finding(message, "", visible(str(error), 200), action=step))

    return check


def _none() -> Finding:
    message = "no git history came with the submission"
    return Finding(message, f"a folder {GIT}, or a bundle at {BUNDLE}", action=f"{_MAKE_ONE}.")


def commit_of(history: History, written: str) -> str:
    """Return the id of the one commit that is meant: the check before has made sure of it.

    Raises:
        Unreadable: it cannot be read (any more).
    """
    return commits_in(history.find(written))[0]


def commits_in(kinds: Mapping[str, str]) -> list[str]:
    """Return the ids of commits among objects."""
    return [name for name, kind in kinds.items() if kind == "commit"]


def short(name: str) -> str:
    """Return an id as people read it."""
    return name[:10]
