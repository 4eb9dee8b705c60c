"""Faults of a worker's result: not completed, blocked, other files than the plan's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.selftest.mutants import Edit, Fault
from verify.selftest.operators.documents import with_value, without
from verify.selftest.subjects import AGREEMENT, BLOCKERS, COMPLETED, FIELDS, FILES_THERE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.selftest.mutants import Scene
    from verify.selftest.subjects import Subject

_STATUSES = (
    *("blocked", "failed", "done", "in progress", "complete", "Completed", "COMPLETED"),
    *("completed ", " completed", "completed.", "not completed", "success", "ok"),
)
_BLOCKERS: tuple[tuple[str, Any], ...] = (
    ("a text", ["the tests do not run"]),
    ("an empty text", [""]),
    ("null", [None]),
    ("an object", [{"file": "src/app.js", "reason": "locked"}]),
    ("an empty array", [[]]),
)


def not_completed(result: Any, _: Subject) -> Iterator[Edit]:
    """Give the status every other word."""
    for status in _STATUSES:
        yield Edit(f"status: {status!r}", (COMPLETED,), with_value(result, ("status",), status))


def blocked(result: Any, _: Subject) -> Iterator[Edit]:
    """List a blocker of a completed result."""
    for name, blockers in _BLOCKERS:
        edit = with_value(result, ("blockers",), blockers)
        yield Edit(f"blockers: holds {name}", (BLOCKERS, COMPLETED), edit)


def long_summary(result: Any, _: Subject) -> Iterator[Edit]:
    """Write a summary of several lines."""
    for name, end in (("a line feed", "\nMore"), ("CRLF", "\r\nMore"), ("U+2028", "\u2028More")):
        edit = with_value(result, ("summary",), result["summary"] + end)
        yield Edit(f"summary: two lines by {name}", (FIELDS,), edit)


def other_files(result: Any, _: Subject) -> Iterator[Edit]:
    """Change a file less and a file more."""
    files = result["files_changed"]
    for index in range(len(files)):
        edit = without(result, ("files_changed", index))
        yield Edit(f"files_changed.{index}: dropped", (AGREEMENT,), edit)
    more = with_value(result, ("files_changed",), [*files, "src/more.js"])
    yield Edit("files_changed: one more", (AGREEMENT,), more)


def files_gone(scene: Scene) -> Iterator[Fault]:
    """Remove each file of the target project that the result names."""
    target = scene.subject.path.partition(".pipeline/")[0]
    for path in scene.files:
        if path.startswith(target) and "/.pipeline/" not in f"/{path}":
            folder = {path: None, f"{path}/README.md": b"a folder of its name\n"}
            yield Fault(f"{path}: removed", (FILES_THERE,), {path: None})
            yield Fault(f"{path}: a folder in its place", (FILES_THERE,), folder)


DOCUMENT = (not_completed, blocked, long_summary, other_files)
SCENE = (files_gone,)
