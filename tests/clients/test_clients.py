"""Qwen Code and Gemini CLI, two real clients, take an issue to a pull request."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING

import pytest

from pipeline.protocol.validate import main as validate
from pipeline.schema import KINDS
from tests.stubs.team import MESSAGE, Team, plans_and_checks, plans_nothing, shell, works, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.clients.conftest import Played, Scene
    from tests.stubs.model_server import Call, Say

    Play = Callable[..., Played]

pytestmark = pytest.mark.slow

FILES = ["app/src/health.js", "app/test/health.test.js"]
ARTIFACTS = ["git-result.json", "plan.json", "worker-result.json"]
EACH_ITS_OWN = [
    *("--model", "x-subplanner=of-subplanner"),
    *("--model", "x-worker=of-worker"),
    *("--model", "x-reviewer=of-reviewer"),
    *("--model", "x-git=of-git"),
]


def turns(seen: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return who was asked with which model, request after request of one turn as one."""
    return [pair for pair, _ in groupby(seen)]


def assert_published(played: Played) -> None:
    """See that the worker's files, and they alone, are a commit and a pull request."""
    scene, folder = played.scene, played.team.folder
    (pull,) = scene.github.pulls
    result = json.loads((folder / "git-result.json").read_text("utf-8"))
    assert sorted(path.name for path in folder.glob("*.json")) == ARTIFACTS
    paths = [str(folder / name) for name in ARTIFACTS]
    assert validate(KINDS, ["--profile", "exercise", "--validate", *paths]) == 0
    assert scene.user.git("diff", "--name-only", "main", result["commit_sha"]).split() == FILES
    assert (
        scene.user.git("-C", str(scene.bare), "rev-parse", result["branch"])
        == (result["commit_sha"])
    )
    assert scene.user.git("log", "-1", "--format=%B", result["commit_sha"]).startswith(MESSAGE)
    assert (pull["head"]["ref"], pull["base"]["ref"]) == (result["branch"], "main")
    assert pull["html_url"] == result["pr_url"]


@pytest.mark.spec("1.5", "1.13")
def test_each_role_is_prompted_with_a_model_of_its_own_and_a_bad_plan_is_fixed(
    scene: Scene, play: Play, qwen: str
) -> None:
    team = Team(scene.root, x_subplanner=[plans_nothing, plans_and_checks])
    played = play(team, "qwen", "--client-command", qwen, *EACH_ITS_OWN)

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert_published(played)
    assert turns(team.seen) == [
        ("x-subplanner", "of-subplanner"),
        ("x-worker", "of-worker"),
        ("x-reviewer", "of-reviewer"),
        ("x-git", "of-git"),
    ]
    assert "OK" in team.results["x-subplanner"][-1]


@pytest.mark.spec("1.5", "1.7", "1.13", "4.5")
def test_a_planner_has_every_role_dispatched_with_the_model_of_its_definition(
    scene: Scene, play: Play, qwen: str
) -> None:
    define(scene)
    team = Team(scene.root)
    model = ("--model", "x-planner=of-planner")
    played = play(team, "qwen", "--client-command", qwen, "--delegate", *model)

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert_published(played)
    planner = ("x-planner", "of-planner")
    roles = [(f"x-{role}", f"of-{role}") for role in ("subplanner", "worker", "reviewer", "git")]
    assert turns(team.seen) == [planner, *(each for role in roles for each in (role, planner))]


def test_what_a_worker_may_not_do_is_refused_and_what_its_own_program_does_stops_the_run(
    scene: Scene, play: Play, qwen: str
) -> None:
    def strays(team: Team) -> list[Say | Call]:
        stray = "import { appendFileSync } from 'node:fs';\nappendFileSync('README.md', 'x');\n"
        return [
            write(team.app.parent / "notes.md", "Notes\n"),
            shell("echo more >> README.md"),
            shell("git push --force origin main"),
            write(team.app / "stray.mjs", stray),
            shell("node app/stray.mjs"),
            *works(team),
        ]

    team = Team(scene.root, x_worker=[strays])
    played = play(team, "qwen", "--client-command", qwen, *EACH_ITS_OWN)

    assert played.done.returncode == 1
    assert "x-worker made changes that its role does not allow" in played.done.stderr
    assert "README.md: is outside the target project app" in played.done.stderr
    assert played.done.stdout.endswith("refused requests: 3 (-v lists them)\n")
    assert not (scene.root / "notes.md").exists()
    assert (team.folder / "worker-result.json").exists()
    assert scene.github.pulls == []
    assert scene.user.branches() == ["main"]


def define(scene: Scene, client: str = "qwen", model: str = "of-{}") -> None:
    """Give the project a definition of each role that names the role's model."""
    for role in ("subplanner", "worker", "reviewer", "git"):
        scene.user.write(
            f".{client}/agents/x-{role}.md",
            f"---\nname: x-{role}\ndescription: Does the part of x-{role}.\n"
            f"model: {model.format(role)}\n"
            f"---\n\nYou are x-{role}. Do what you are asked to.\n",
        )
    scene.user.commit("chore: define the agents")
    scene.user.git("push", "--quiet", "origin", "main")


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
    played = play(team, "gemini", "--client-command", gemini, *chosen)

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert dict(team.seen) == MODELS
    assert [pull["head"]["ref"] for pull in scene.github.pulls] == [
        "feature/issue-7-answer-get-health"
    ]
