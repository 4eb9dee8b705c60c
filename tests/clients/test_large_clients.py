"""Claude Code, Codex and opencode, real clients of up to half a gigabyte, take an issue to its end.

They run when they are asked for: `ALL_CLIENTS=1 python -m pytest tests/clients`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.clients.test_clients import EACH_ITS_OWN, assert_published, define, turns
from tests.stubs.team import Team, shell, works

if TYPE_CHECKING:
    from tests.clients.conftest import Scene
    from tests.clients.test_clients import Play
    from tests.stubs.model_server import Call, Say

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        "ALL_CLIENTS" not in os.environ,
        reason="ALL_CLIENTS=1 has these tests install a gigabyte of clients",
    ),
]

REFUSED = "refused requests: 1 (-v lists them)\n"
MODELS = {
    "x-subplanner": "claude-sonnet-4-6",
    "x-worker": "claude-haiku-4-5-20251001",
    "x-reviewer": "claude-sonnet-4-6",
    "x-git": "claude-haiku-4-5-20251001",
}


def pushes(team: Team) -> list[Say | Call]:
    """Do what a worker does that pushes first, which is refused, and goes on."""
    return [shell("git push --force origin main"), *works(team)]


def test_claude_code_prompts_each_role_with_its_model_and_goes_on_after_a_refused_push(
    scene: Scene, play: Play, claude: str
) -> None:
    team = Team(scene.root, x_worker=[pushes])
    short = {role: name.split("-")[1] for role, name in MODELS.items()}
    models = [word for pair in short.items() for word in ("--model", "=".join(pair))]
    played = play(team, "claude", "--client-command", claude, *models)

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert_published(played)
    assert dict(team.seen) == MODELS
    assert played.done.stdout.endswith(REFUSED)
    assert "refused permission" in team.results["x-worker"][0]


def test_a_planner_of_claude_code_dispatches_every_role(
    scene: Scene, play: Play, claude: str
) -> None:
    define(scene, "claude", "haiku")
    team = Team(scene.root)
    model = ("--model", "x-planner=sonnet")
    played = play(team, "claude", "--client-command", claude, "--delegate", *model)

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert_published(played)
    planner = ("x-planner", "claude-sonnet-4-6")
    roles = [f"x-{role}" for role in ("subplanner", "worker", "reviewer", "git")]
    dispatched = [(role, "claude-haiku-4-5-20251001") for role in roles]
    assert turns(team.seen) == [planner, *(each for role in dispatched for each in (role, planner))]


def test_codex_takes_an_issue_to_a_pull_request(scene: Scene, play: Play, codex: str) -> None:
    team = Team(scene.root)
    played = play(team, "codex", "--client-command", codex)

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert_published(played)
    assert {model for _, model in team.seen} == {"of-worker"}


def test_a_planner_of_codex_dispatches_every_role(scene: Scene, play: Play, codex: str) -> None:
    roles = [f"x-{role}" for role in ("subplanner", "worker", "reviewer", "git")]
    for role in roles:
        scene.user.write(
            f".codex/agents/{role}.toml",
            f'name = "{role}"\ndescription = "Does the part of {role}."\n'
            f'model = "{role}-model"\ndeveloper_instructions = "You are {role}."\n',
        )
    scene.user.commit("chore: define the agents")
    scene.user.git("push", "--quiet", "origin", "main")
    team = Team(scene.root)
    played = play(team, "codex", "--client-command", codex, "--delegate")

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert_published(played)
    planner = ("x-planner", "of-worker")
    dispatched = [(role, f"{role}-model") for role in roles]
    assert turns(team.seen) == [planner, *(each for role in dispatched for each in (role, planner))]


def test_opencode_prompts_each_role_with_its_model_and_goes_on_after_a_refused_push(
    scene: Scene, play: Play, opencode: str
) -> None:
    team = Team(scene.root, x_worker=[pushes, works])  # it ends its turn when it is refused
    models = [word.replace("=", "=stub/") for word in EACH_ITS_OWN]
    played = play(team, "opencode", "--client-command", opencode, *models)

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert_published(played)
    assert turns(team.seen) == [
        (f"x-{role}", f"of-{role}") for role in ("subplanner", "worker", "reviewer", "git")
    ]
    assert played.done.stdout.endswith(REFUSED)
