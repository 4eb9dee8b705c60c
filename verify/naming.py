"""Finds a file of a submission under the name that it has there: names are compared after NFC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.files import Unreadable
from pipeline.protocol.names import composed

if TYPE_CHECKING:
    from verify.submission import Submission


def stands_at(
    submission: Submission, path: str, seen: dict[str, dict[str, str]] | None = None
) -> str:
    """Return the path at which a file or folder is; the path itself where there is none.

    Args:
        submission: where it is looked for.
        path: the path, in whatever form.
        seen: the folders that were looked into, for the next path.
    """
    if path.isascii():
        return path
    seen = {} if seen is None else seen
    walked = ""
    for name in path.split("/"):
        if walked not in seen:
            seen[walked] = _by_form(submission, walked)
        there = seen[walked].get(name) or seen[walked].get(composed(name))
        if there is None:
            return path
        walked = f"{walked}/{there}" if walked else there
    return walked


def _by_form(submission: Submission, folder: str) -> dict[str, str]:
    """Return a folder's names by themselves and by their form, the first of several."""
    try:
        names = submission.names(folder)
    except Unreadable:
        return {}
    return {**{composed(name): name for name in reversed(names)}, **{name: name for name in names}}
