"""Words for what can go wrong between the driver and an agent's client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from pipeline.agents.clients.base import Profile

# The stop reasons of the protocol other than `end_turn`, which alone is an end.
STOPS = {
    "cancelled": "was cancelled",
    "refusal": "refused the task: say it in other words, or choose another model",
    "max_tokens": "reached the model's limit of words: choose another model or a smaller task",
    "max_turn_requests": "reached the client's limit of requests: raise it there, or make the task smaller",  # noqa: E501
}
AUTHENTICATION = -32000  # the protocol's code for `authentication required`


def not_logged_in(profile: Profile) -> str:
    """Return what to do about a client that wants to be logged in."""
    return f"{profile.name} is not logged in: {profile.login}"


def refused(profile: Profile, method: str, message: str, data: Any) -> str:
    """Return what the client answered in place of a result."""
    details = data.get("details") if isinstance(data, dict) else data
    said = f"{message}: {details}" if details else message
    return f"{profile.name} refused {method}: {visible(said, 400)}"


def odd(profile: Profile, method: str) -> str:
    """Return that an answer is not one of the protocol."""
    return (
        f"{profile.name} answered {method} with something that version 1 of the Agent Client "
        f"Protocol does not know; another version of it may help: {profile.install}"
    )
