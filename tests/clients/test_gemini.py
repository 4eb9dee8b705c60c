"""Gemini CLI, a second real client, whose models are set in the protocol's older way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs.team import Team

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.clients.conftest import Played, Scene

pytestmark = pytest.mark.slow

MODELS = {
    "x-subplanner": "gemini-2.5-pro",
    "x-worker": "gemini-3-flash-preview",
    "x-reviewer": "gemini-2.5-pro",
    "x-git": "gemini-3-flash-preview",
}


def test_each_role_is_prompted_with_a_model_of_its_own(
    scene: Scene, play: Callable[..., Played], gemini: str
) -> None:
    team = Team(scene.root)
    chosen = [word for pair in MODELS.items() for word in ("--model", "=".join(pair))]
    played = play(team, "gemini", "--command", gemini, *chosen)

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert dict(team.seen) == MODELS
    assert [pull["head"]["ref"] for pull in scene.github.pulls] == [
        "feature/issue-7-answer-get-health"
    ]
