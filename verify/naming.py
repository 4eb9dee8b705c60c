"""Finds a file of a submission under the name that it has there: names are compared after NFC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.names import composed
from pipeline.reading import Unreadable

if TYPE_CHECKING:
    from verify.submission import Submission


def stands_at(submission: Submission, path: str) -> str:
    """Return the path at which a file or folder stands; the path itself where nothing does."""
    if path.isascii():
        return path
    walked: list[str] = []
    for name in path.split("/"):
        try:
            names = submission.names("/".join(walked))
        except Unreadable:
            return path
        alike = [each for each in names if composed(each) == composed(name)]
        if not alike:
            return path
        walked.append(name if name in alike else alike[0])
    return "/".join(walked)
