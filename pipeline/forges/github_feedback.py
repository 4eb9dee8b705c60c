"""What reviewers and checks say of a pull request at GitHub: one question to its GraphQL API.

Only this API says which threads are resolved.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pipeline.forges.base import MOST_OF_REMARK, Feedback, Remark, notes_on
from pipeline.protocol.markdown_issue import seen

if TYPE_CHECKING:
    from collections.abc import Iterator

# Who may change the repository: what others write in public changes no work.
_TRUSTED = {"OWNER", "MEMBER", "COLLABORATOR"}
_FAILED = {"FAILURE", "TIMED_OUT", "STARTUP_FAILURE", "ERROR"}
_RUNNING = {"QUEUED", "IN_PROGRESS", "WAITING", "PENDING", "REQUESTED", "EXPECTED"}
_REVIEWED = {"CHANGES_REQUESTED", "COMMENTED"}
_PER_LIST = 100  # as the question asks
_QUERY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "github_feedback.graphql")


def query() -> str:
    """Return the question."""
    with open(_QUERY, encoding="utf-8") as file:
        return file.read()


def feedback_in(data: Any) -> Feedback | None:
    """Return what an answer says, None if it is no answer to the question."""
    pull = _at(data, "repository", "pullRequest")
    state = _at(pull, "state")
    if not isinstance(state, str):
        return None
    rollup = _at(next(_nodes(pull, "commits"), None), "commit", "statusCheckRollup")
    remarks, left_out = list[Remark](), 0
    for said, file, line in _comments(pull):
        if said.get("viewerDidAuthor") or said.get("isMinimized") or not _text(said, "body"):
            continue
        if said.get("authorAssociation") not in _TRUSTED:
            left_out += 1
            continue
        who = _text(_at(said, "author"), "login") or "ghost"
        remarks.append(_remark(said, who, _text(said, "body"), file, line))
    remarks += _failures(rollup)
    running = sum(bool(_state(check) & _RUNNING) for check in _nodes(rollup, "contexts"))
    lists = [(pull, name) for name in ("reviewThreads", "reviews", "comments")]
    is_cut = any(_is_cut(node, name) for node, name in (*lists, (rollup, "contexts")))
    notes = notes_on(left_out=left_out, running=running, cut_at=_PER_LIST if is_cut else 0)
    return Feedback(state=state.lower(), remarks=tuple(remarks), notes=notes)


def _comments(pull: Any) -> Iterator[tuple[dict[str, Any], str, int]]:
    """Yield what people have said and nobody has resolved, with its file and its line."""
    for thread in _nodes(pull, "reviewThreads"):
        if not thread.get("isResolved"):
            line = thread.get("line")
            place = _text(thread, "path"), line if isinstance(line, int) else 0
            yield from ((said, *place) for said in _nodes(thread, "comments"))
    for said in _nodes(pull, "reviews"):
        if said.get("state") in _REVIEWED:
            yield said, "", 0
    for said in _nodes(pull, "comments"):
        yield said, "", 0


def _failures(rollup: Any) -> Iterator[Remark]:
    for check in _nodes(rollup, "contexts"):
        if _state(check) & _FAILED:
            name = _text(check, "name") or _text(check, "context")
            parts = [_text(check, field) for field in ("title", "summary", "description")]
            for found in _nodes(check, "annotations"):
                line = _at(found, "location", "start", "line")
                parts.append(f"{_text(found, 'path')}:{line}: {_text(found, 'message')}")
            yield _remark(check, f"the check {name}", "\n".join(filter(None, parts)) or "fails")


def _remark(node: dict[str, Any], who: str, text: str, file: str = "", line: int = 0) -> Remark:
    return Remark(
        id=_text(node, "id"), who=who, text=seen(text[:MOST_OF_REMARK]), file=file, line=line
    )


def _state(check: dict[str, Any]) -> set[str]:
    return {_text(check, field) for field in ("status", "conclusion", "state")}


def _is_cut(node: Any, name: str) -> bool:
    total = _at(node, name, "totalCount")
    return isinstance(total, int) and total > len([*_nodes(node, name)])


def _nodes(node: Any, name: str) -> Iterator[dict[str, Any]]:
    found = _at(node, name, "nodes")
    return (
        (record for record in found if isinstance(record, dict))
        if isinstance(found, list)
        else iter(())
    )


def _at(node: Any, *path: str) -> Any:
    for name in path:
        node = node.get(name) if isinstance(node, dict) else None
    return node


def _text(node: Any, name: str) -> str:
    value = _at(node, name)
    return value.strip() if isinstance(value, str) else ""
