"""What is tried again and what is not, on a wire that answers from a list."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.forges.github_channel import Channel, Uncertain, Unreached
from pipeline.forges.github_replies import Answer

LOST = Unreached("it broke off")
REFUSED = Unreached("no connection", unsent=True)


class ListedWire:
    """Answers with the next of a list, or raises it; `asked` counts."""

    def __init__(self, *outcomes: Answer | Unreached) -> None:
        self.asked = 0
        self._outcomes = list(outcomes)

    def ask(self, path: str, query: dict[str, str]) -> Answer:
        assert (path, query) == ("/path", {})
        return self._next()

    def send(self, path: str, body: dict[str, Any]) -> Answer:
        assert (path, body) == ("/path", {})
        return self._next()

    def _next(self) -> Answer:
        self.asked += 1
        outcome = self._outcomes.pop(0)
        if isinstance(outcome, Unreached):
            raise outcome
        return outcome


def answer(status: int, **headers: str) -> Answer:
    return Answer(status=status, headers={k.replace("_", "-"): v for k, v in headers.items()})


def channel(wire: ListedWire) -> tuple[Channel, list[float]]:
    """Return the channel and the list of its waits."""
    waits: list[float] = []
    return Channel(wire, pause=waits.append, clock=lambda: 1_000.0), waits


def test_a_question_that_fails_is_asked_three_times_with_growing_pauses() -> None:
    wire = ListedWire(LOST, answer(502), answer(200))
    asking, waits = channel(wire)

    assert asking.ask("/path", {}) == answer(200)
    assert waits == [0.5, 1.5]


def test_the_last_answer_or_fault_is_what_counts() -> None:
    asking, _ = channel(ListedWire(LOST, LOST, answer(503)))
    lost, waits = channel(ListedWire(answer(500), answer(500), LOST))

    assert asking.ask("/path", {}) == answer(503)
    with pytest.raises(Unreached, match="it broke off"):
        lost.ask("/path", {})
    assert waits == [0.5, 1.5]


def test_a_question_may_be_asked_once_only() -> None:
    asking, waits = channel(ListedWire(answer(503)))

    assert asking.ask("/path", {}, again=False) == answer(503)
    assert waits == []


def test_a_refusal_is_not_asked_again() -> None:
    wire = ListedWire(answer(404))
    asking, _ = channel(wire)

    assert asking.ask("/path", {}) == answer(404)
    assert wire.asked == 1


@pytest.mark.parametrize("outcome", [LOST, answer(500), answer(502)])
def test_what_may_have_been_made_is_not_asked_for_twice(outcome: Answer | Unreached) -> None:
    wire = ListedWire(outcome)
    sending, waits = channel(wire)

    with pytest.raises(Uncertain):
        sending.send("/path", {})
    assert (wire.asked, waits) == (1, [])


def test_without_a_connection_nothing_is_uncertain() -> None:
    sending, _ = channel(ListedWire(REFUSED))

    with pytest.raises(Unreached, match="no connection"):
        sending.send("/path", {})


@pytest.mark.parametrize("limit", [answer(403, retry_after="2"), answer(429, retry_after="2")])
def test_a_short_limit_is_waited_for_once(limit: Answer) -> None:
    sending, waits = channel(ListedWire(limit, answer(201)))
    again, _ = channel(ListedWire(limit, limit))

    assert sending.send("/path", {}) == answer(201)
    assert waits == [2.0]
    assert again.send("/path", {}) == limit


@pytest.mark.parametrize(
    "limit",
    [
        answer(403, retry_after="6"),
        answer(429),
        answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="1005"),
    ],
)
def test_a_long_limit_is_not_waited_for(limit: Answer) -> None:
    asking, waits = channel(ListedWire(limit))

    assert asking.ask("/path", {}) == limit
    assert waits == []
