"""What a history is called, why it cannot be read, and what to do about it."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pipeline.files import TOO_LARGE, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")

GIT = ".git"
BUNDLE = ".pipeline/history.bundle"
SUBMODULE = 0o160000  # git's mode

MAKE_BUNDLE = f"git bundle create {BUNDLE} --all"
FETCH_ALL = "git fetch origin '+refs/heads/*:refs/remotes/origin/*'"
SET_HEAD = "git remote set-head origin --auto"
SHALLOW = "the clone is shallow"
PART = "the bundle was made from a shallow clone"
ELSEWHERE = "it uses the objects of other repositories, which are not read"
PARTIAL = "the clone is partial (made with a filter)"
POINTER = "the history of a work tree is in another folder, which is not read"
NO_MAIN = "there is no default branch (origin/HEAD or a branch such as main)"
_FETCH_ALL_OF = f"run {FETCH_ALL.replace('fetch', 'fetch --unshallow')}, then {SET_HEAD}"
_BUNDLE_AGAIN = f"In the clone, {_FETCH_ALL_OF}, and create the zip again, or {MAKE_BUNDLE}."
_WAYS_OUT = {
    SHALLOW: f"In the clone, {_FETCH_ALL_OF}.",
    PART: _BUNDLE_AGAIN,
    PARTIAL: "Clone again into a new folder without --filter, and copy .pipeline there.",
    '"refs/': "Clone again into a new folder, and copy .pipeline there.",
    POINTER: f"Submit the zip that verify pack makes, or run {MAKE_BUNDLE}.",
    NO_MAIN: f"Run {FETCH_ALL}, then {SET_HEAD}. If that is not possible, create the branch main"
    " where the work begins (git branch main COMMIT).",
    "is missing": _BUNDLE_AGAIN,
    "SHA-256": "Use a repository with SHA-1 ids, git's default.",
    "only part of the history": f"In a full clone, run {MAKE_BUNDLE}.",
    "limit": "Submit a bundle of the branch and the default branch only.",
}


def way_out(error: object) -> str:
    """Return what to do about a history that cannot be read, by what its error says."""
    text = str(error)
    found = (action for what, action in _WAYS_OUT.items() if what in text)
    return next(found, f"In the clone, run {MAKE_BUNDLE}. Then the bundle is read.")


class BeyondLimits(Unreadable):
    """A question that needs more of a history than is read; `what` is the limit."""

    def __init__(self, what: str) -> None:
        super().__init__(TOO_LARGE, f"cannot be read within the limits: {what}")


def once(ask: F) -> F:
    """Keep the answer to a question about a history as long as the history."""

    @wraps(ask)
    def kept(history: Any, *args: Any) -> Any:
        question = (ask.__name__, *args)
        if question not in history.answers:
            history.answers[question] = ask(history, *args)
        return history.answers[question]

    return cast("F", kept)
