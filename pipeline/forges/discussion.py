"""What people and checks say of a request at GitLab, Gitea or Forgejo: their REST APIs are asked.

Nothing is changed. The token is sent to its own host only, and the request is one of the remote's
repository: what somebody writes elsewhere reaches no worker.
"""

from __future__ import annotations

import os
import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from pipeline.forges.api import action_after, client, sent
from pipeline.forges.base import (
    MOST_OF_REMARK,
    Feedback,
    PushedForge,
    Remark,
    address_of,
)
from pipeline.forges.issues import token_for, web_page
from pipeline.protocol.markdown_issue import seen
from pipeline.terminal.display import named, visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pipeline.forges.api import ApiAnswer, Client
    from pipeline.git import Repository

_MOST_PEOPLE = 30  # who is asked about: each is a request


class Comment(NamedTuple):
    """What one person has written, and is not resolved."""

    id: str
    who: str  #: the login
    text: str
    file: str = ""
    line: int = 0


class RestApi:
    """The API of one forge, of which only documents are read."""

    seconds = 10.0

    def __init__(self, name: str, root: str, connection: Client) -> None:
        self._name, self._root, self._client = name, root, connection

    def get(self, path: str, *, needed: bool = True) -> Any:
        """Return a document; where it is not `needed`, None if there is none or it is not shown.

        Raises:
            Fault: the answer cannot be used.
        """
        answer = self._answer(path)
        if answer.status == HTTPStatus.OK and answer.body is not None:
            return answer.body
        if not needed and answer.status in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
            return None
        step = action_after(answer, {}, "check that the token may read the repository", {})
        url = visible(f"{self._root}{path}", 300)
        raise Fault(f"{self._name}: {url} answered {answer.summary}: {step}")

    def has(self, path: str) -> bool:
        """Return whether there is something at a path, which may have no content."""
        return self._answer(path).status in (HTTPStatus.OK, HTTPStatus.NO_CONTENT)

    def _answer(self, path: str) -> ApiAnswer:
        url = f"{self._root}{path}"
        return sent(self._client, "GET", url, seconds=self.seconds, who=self._name)


class DiscussedForge(PushedForge):
    """What GitLab and Gitea share where they are asked about a request."""

    environment: Mapping[str, str] = os.environ

    def feedback(self, repository: Repository, address: str) -> Feedback:
        """Return what reviewers and checks say of a request of the remote's repository."""
        page = web_page(address_of(repository, self.remote))
        form = re.escape(f"{page.partition('://')[2]}/{self.place}/") + "([1-9][0-9]{0,8})"
        number = re.fullmatch(f"https?://{form}", address, re.ASCII | re.IGNORECASE)
        if not number:
            raise unusable(f"{self.name}: {named(address)} is not a request of {named(page)}")
        host, path = urlsplit(page).netloc.lower(), urlsplit(page).path.strip("/")
        root, headers = token_for(self.name, host, self.environment)
        with client(root, headers, RestApi.seconds, self.name) as connection:
            return self.said(RestApi(self.name, root, connection), path, number[1])

    def said(self, api: RestApi, path: str, number: str) -> Feedback:
        """Return what is said of a request of a repository, by its path on the host."""
        raise NotImplementedError


def remarks_of(
    comments: Iterable[Comment], me: str, may_change: Callable[[str], bool]
) -> tuple[list[Remark], int]:
    """Return what others who may change the repository say, and how many comments are left out."""
    known: dict[str, bool] = {me: False, "": False}  # one who is gone has no login
    remarks, left_out = list[Remark](), 0
    for said in comments:
        if not said.text.strip() or said.who == me:
            continue
        if said.who not in known:
            known[said.who] = len(known) <= _MOST_PEOPLE and may_change(said.who)
        if not known[said.who]:
            left_out += 1
            continue
        text = seen(said.text[:MOST_OF_REMARK])
        remarks.append(Remark(id=said.id, who=said.who, text=text, file=said.file, line=said.line))
    return remarks, left_out


def failure(number: Any, name: str, text: str) -> Remark:
    """Return the remark that a check which has failed is."""
    shown = seen(text[:MOST_OF_REMARK]) or "fails"
    return Remark(id=f"check-{number}", who=f"the check {visible(name, 100)}", text=shown)


def records(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list; empty for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text_at(value: Any, *path: str) -> str:
    """Return a text inside objects, empty for none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def line_at(value: Any, name: str) -> int:
    """Return the number of a line, 0 for none."""
    line = value.get(name) if isinstance(value, dict) else None
    return line if type(line) is int and line > 0 else 0
