"""GitHub: git pushes the branch, the REST API opens the pull request, once, GraphQL reads it.

Only GraphQL says which threads are resolved.
"""

from __future__ import annotations

import os
import re
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pipeline.forges.api import (
    LATER,
    ApiAnswer,
    Unanswered,
    action_after,
    client,
    github_headers,
    minutes_to_wait,
    sent,
)
from pipeline.forges.base import (
    MOST_OF_REMARK,
    Change,
    Feedback,
    Forge,
    PullRequest,
    Remark,
    address_of,
    cut,
    notes_on,
)
from pipeline.forges.github_access import access_of
from pipeline.protocol.markdown_issue import seen
from pipeline.protocol.patterns import URL
from pipeline.terminal.display import named
from pipeline.terminal.exit_codes import FAILED, UNUSABLE
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pipeline.forges.api import Client
    from pipeline.forges.github_access import Access
    from pipeline.git import Repository

_PAUSES = (0.5, 1.5, 0.0)  # seconds after each attempt
_ACTIONS = {
    200: "this is not GitHub's API; check GITHUB_API_URL, and whether a proxy shows a login page",
    **dict.fromkeys((301, 302, 307, 308), "{place} has moved: update GH_REPO or the remote's URL"),
    401: "the token in {variable} is wrong, has expired or was revoked",
    403: "the token in {variable} needs write access to the contents and pull requests of {place} "
    "(a classic token: the repo scope)",
    404: "check that {place} is correct, and that the token in {variable} has access to it",
    422: "check that the base is a branch of {place}, the remote is {place} or a fork of it, and "
    "the branch has commits of its own",
}
# Who may change the repository: what others write in public changes no work.
_TRUSTED = {"OWNER", "MEMBER", "COLLABORATOR"}
_FAILED = {"FAILURE", "TIMED_OUT", "STARTUP_FAILURE", "ERROR"}
_RUNNING = {"QUEUED", "IN_PROGRESS", "WAITING", "PENDING", "REQUESTED", "EXPECTED"}
_REVIEWED = {"CHANGES_REQUESTED", "COMMENTED"}
_PER_LIST = 100  # as the question asks
_QUERY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "github.graphql")


class GitHub(Forge):
    """Pull requests at github.com, at a tenant of ghe.com or at an Enterprise Server."""

    name = "github"
    takes = ("draft", "labels", "reviewers")
    environment: Mapping[str, str] = os.environ
    seconds = 10.0  # GitHub itself stops a request after this time
    pause: Callable[[float], object] = staticmethod(time.sleep)
    _access: Access
    _client: Client

    def __init__(self, remote: str) -> None:
        self.remote = remote

    def check(self, repository: Repository) -> None:
        """Find out whether the token can write to the repository; one GET, nothing is changed."""
        with self._connected(repository):
            answer = self._sent("GET", "")
        body, access = answer.body, self._access
        if answer.status != HTTPStatus.OK or not isinstance(body, dict):
            raise refusal(answer, access, UNUSABLE)
        if body.get("archived") or body.get("disabled"):
            raise unusable(f"github: {access.place} accepts no changes: it is archived or disabled")
        rights = body.get("permissions")
        can = (rights.get("pull"), rights.get("push")) if isinstance(rights, dict) else ()
        if can == (True, False) and access.head.casefold() == access.place.owner.casefold():
            raise unusable(
                f"github: the owner of the token in {access.variable} may read {access.place}, but "
                "not write to it: use a fork (--remote), and set GH_REPO to the original repository"
            )

    def open(self, change: Change) -> PullRequest:
        """Push the branch and find or open its pull request; after a lost answer, look again."""
        lost = ""
        with self._connected(change.repository):
            change.repository.push(self.remote, f"{change.sha}:refs/heads/{change.branch}")
            branches = {"head": f"{self._access.head}:{change.branch}", "base": change.base}
            for pause in _PAUSES:
                try:
                    found = self._found(change, branches)
                    url = found or self._opened(change, branches)
                    notes = self._completed(change, url)
                    return PullRequest(url=url, reused=bool(found), notes=notes)
                except Unanswered as fault:  # noqa: PERF203  # three times at most
                    lost = str(fault)
                    self.pause(pause)
        raise Fault(f"{lost} (a later run does not open a second pull request)")

    def feedback(self, repository: Repository, address: str) -> Feedback:
        """Return what reviewers and checks say of a pull request; one question, nothing changes."""
        with self._connected(repository) as connection:
            place, access = self._access.place, self._access
            form = re.escape(f"https://{place.host}/{place}/pull/") + r"([1-9][0-9]{0,8})"
            number = re.fullmatch(form, address, re.ASCII | re.IGNORECASE)
            if not number:
                raise unusable(f"github: {named(address)} is not a pull request of {place}")
            asked = {"owner": place.owner, "name": place.name, "number": int(number[1])}
            url = f"{access.api.removesuffix('/v3')}/graphql"
            body = {"query": _query(), "variables": asked}
            answer = sent(connection, "POST", url, seconds=self.seconds, who=self.name, json=body)
        data = answer.body.get("data") if isinstance(answer.body, dict) else None
        is_answered = answer.status == HTTPStatus.OK
        found = feedback_in(data) if is_answered else None
        if found is None and is_answered and answer.message:
            why = f"check that the token in {access.variable} may read pull requests of {place}"
            raise Fault(f'github: {url} answered "{answer.message}": {why}')
        if found is None:
            raise refusal(answer, access)
        return found

    def _connected(self, repository: Repository) -> Client:
        fetched, pushed = (address_of(repository, self.remote, *o) for o in ((), ("--push",)))
        self._access = access_of(self.environment, fetched, pushed)
        access = self._access
        self._client = client(access.api, github_headers(access.token), self.seconds, self.name)
        return self._client

    def _found(self, change: Change, branches: dict[str, str]) -> str:
        answer = self._sent("GET", "/pulls", params={"state": "open", **branches})
        if answer.status != HTTPStatus.OK or not isinstance(answer.body, list):
            raise refusal(answer, self._access)
        urls = (url_for(pull, change, self._access.head) for pull in answer.body)
        return next(filter(None, urls), "")

    def _opened(self, change: Change, branches: dict[str, str]) -> str:
        texts = {
            "title": change.title[:256],
            "body": cut(change.description, 65_536),
        }  # GitHub's limits
        draft = {"draft": True} if change.draft else {}
        answer = self._sent("POST", "/pulls", json={**texts, **branches, **draft})
        if url := url_for(answer.body, change, self._access.head):
            return url
        fault = refusal(answer, self._access)
        exists = "a pull request already exists" in answer.message.lower()
        raise Unanswered(*fault.lines) if exists or answer.status == HTTPStatus.CREATED else fault

    def _completed(self, change: Change, url: str) -> tuple[str, ...]:
        """Set the labels and ask the reviewers; return what GitHub did not do."""
        number, notes = url.rpartition("/")[2], []
        people = [name for name in change.reviewers if "/" not in name]
        teams = [name.rpartition("/")[2] for name in change.reviewers if "/" in name]
        asked: tuple[tuple[str, str, dict[str, list[str]]], ...] = (
            ("labels", f"/issues/{number}/labels", {"labels": [*change.labels]}),
            (
                "reviewers",
                f"/pulls/{number}/requested_reviewers",
                {"reviewers": people, "team_reviewers": teams},
            ),
        )
        for what, path, body in asked:
            if any(body.values()):
                answer = self._sent("POST", path, json=body)
                if answer.status not in (HTTPStatus.OK, HTTPStatus.CREATED):
                    notes.append(f"github set no {what}: it answered {answer.summary}")
        return tuple(notes)

    def _sent(self, method: str, path: str, **request: Any) -> ApiAnswer:
        access = self._access
        url = f"{access.api}/repos/{access.place}{path}"
        answer = sent(self._client, method, url, seconds=self.seconds, who=self.name, **request)
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise Unanswered(*refusal(answer, access).lines)
        return answer


def url_for(pull: Any, change: Change, owner: str) -> str:
    """Return the web address of a pull request, empty if it has other branches than the change."""
    try:
        of, _, branch = pull["head"]["label"].partition(":")
        base, url = pull["base"]["ref"], pull["html_url"]
        is_fit = "@" not in url and re.fullmatch(URL.pattern, url)
    except (AttributeError, KeyError, TypeError):
        return ""
    is_same = of.casefold() == owner.casefold() and (branch, base) == (change.branch, change.base)
    return str(url) if is_same and is_fit else ""


def refusal(answer: ApiAnswer, access: Access, code: int = FAILED) -> Fault:
    """Return what GitHub says and what to do about it, in one line."""
    names = {"place": str(access.place), "variable": access.variable}
    code = FAILED if minutes_to_wait(answer) else code
    action = action_after(answer, _ACTIONS, LATER, names)
    return Fault(f"github: {access.api} answered {answer.summary}: {action}", code=code)


def _query() -> str:
    """Return what GraphQL is asked of a pull request."""
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
