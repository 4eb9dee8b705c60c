"""Where artifacts live (specification, section 2.1) and what an issue id looks like."""

from __future__ import annotations

import re
from functools import lru_cache

PLAN, WORKER_RESULT, GIT_RESULT = "plan.json", "worker-result.json", "git-result.json"
ARTIFACTS = (PLAN, WORKER_RESULT, GIT_RESULT)

_ISSUE_ID = re.compile(r"[A-Z][A-Z0-9]*-[0-9]+")
_MAX_ISSUE_ID = 64


def is_issue_id(text: str) -> bool:
    """Return whether a text is `<PROJECT>-<NN>` or `ISSUE-<N>`; nothing else reaches a path."""
    return len(text) <= _MAX_ISSUE_ID and _ISSUE_ID.fullmatch(text) is not None


@lru_cache(maxsize=256)  # the same few for every submission of a cohort
def artifact_folder(target: str, issue: str) -> str:
    """Return `<target>/.pipeline/<issue>` relative to the submission; target `.` is its root.

    Raises:
        ValueError: `issue` is not an issue id.
    """
    if not is_issue_id(issue):
        raise ValueError(f"not an issue id: {issue!r}")
    return in_target(target, f".pipeline/{issue}")


def in_target(target: str, path: str) -> str:
    """Return a path of the target project relative to the submission root."""
    return path if target == "." else f"{target}/{path}"
