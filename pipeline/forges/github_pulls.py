"""The pull requests of one change: found where there is one, opened once where there is none."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pipeline.forges.base import Change, ForgeFault, PullRequest
from pipeline.forges.github_channel import Channel, Uncertain
from pipeline.forges.github_replies import Answer, address_of, exists_already, explained, is_for
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.forges.github_access import Access

_MOST_TITLE, _MOST_BODY = 256, 65_536  # characters that GitHub accepts
_CUT = "…"


def path_of(access: Access) -> str:
    """Return the repository's path in the API."""
    return f"/repos/{access.place.owner}/{access.place.name}"


def unreadable(access: Access) -> str:
    """Return the line about an answer that GitHub does not give."""
    return (
        f"github: what {access.host} answered is not what GitHub answers: look whether "
        f"{visible(access.api)} is the address of its API, and what is between here and there"
    )


class Pulls:
    """The pull requests of one change."""

    def __init__(
        self, channel: Channel, access: Access, change: Change, clock: Callable[[], float]
    ) -> None:
        self._channel = channel
        self._access = access
        self._change = change
        self._clock = clock
        self._path = f"{path_of(access)}/pulls"
        self._head = f"{access.head}:{change.branch}"

    def found(self) -> PullRequest | None:
        """Return the pull request that is open for the change."""
        query = {"state": "open", "head": self._head, "base": self._change.base}
        answer = self._channel.ask(self._path, query)
        if answer.status != HTTPStatus.OK:
            raise self._refused(answer)
        if not isinstance(answer.body, list):
            raise ForgeFault(unreadable(self._access))
        same = [pull for pull in answer.body if is_for(pull, self._change, self._access.head)]
        return PullRequest(url=self._url(same[0]), reused=True) if same else None

    def opened(self) -> PullRequest:
        """Open one, at most twice; whenever it is not sure that one was opened, look first."""
        doubt = ""
        for _ in range(2):
            opened, word = self._sent()
            doubt = doubt or word
            pull = opened or self.found()
            if pull is not None:
                return PullRequest(url=pull.url, reused=pull.reused and not doubt)
        raise ForgeFault(
            f"github: {self._access.host} was asked twice to open a pull request, and none is "
            f"there ({doubt or 'it says there is one'}): run the same command again in a while, "
            "nothing is opened twice"
        )

    def _sent(self) -> tuple[PullRequest | None, str]:
        """Return the pull request, or a word about why it is not known whether there is one.

        Neither: there is one, and it was not opened here.
        """
        try:
            answer = self._channel.send(self._path, self._request())
        except Uncertain as reason:
            return None, str(reason)
        if exists_already(answer):
            return None, ""
        if answer.status != HTTPStatus.CREATED:
            raise self._refused(answer)
        url = address_of(answer.body)
        return (PullRequest(url=url), "") if url else (None, "its answer tells no address")

    def _request(self) -> dict[str, Any]:
        return {
            "title": _cut(self._change.title, _MOST_TITLE),
            "head": self._head,
            "base": self._change.base,
            "body": _cut(self._change.body, _MOST_BODY),
        }

    def _url(self, pull: object) -> str:
        url = address_of(pull)
        if not url:
            raise ForgeFault(unreadable(self._access))
        return url

    def _refused(self, answer: Answer) -> ForgeFault:
        return ForgeFault(explained(answer, self._access, self._clock(), self._change))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + _CUT
