"""Real clients of agents take an issue to a pull request.

All but one run of Qwen Code and one of Gemini CLI run when they are asked for:
`ALL_CLIENTS=1 python -m pytest tests/clients`.
"""

from __future__ import annotations

import json
import os
from itertools import groupby
from typing import TYPE_CHECKING

import pytest

from pipeline.agents.clients import CLIENTS
from pipeline.agents.clients.base import Agent
from pipeline.protocol.validate import main as validate
from pipeline.schema import KINDS
from pipeline.tiers import Selection
from tests.stubs.model_server import Say
from tests.stubs.team import (
    MESSAGE,
    Team,
    approves,
    plans_and_checks,
    plans_nothing,
    shell,
    works,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.clients.conftest import Played, Scene
    from tests.stubs.model_server import Call
    from tests.stubs.team import Part

    Play = Callable[..., Played]

pytestmark = pytest.mark.slow

LARGE = pytest.mark.skipif(
    "ALL_CLIENTS" not in os.environ,
    reason="ALL_CLIENTS=1 has these tests install two gigabytes of clients",
)
FILES = ["app/src/health.js", "app/test/health.test.js"]
ARTIFACTS = [
    *("git-result.json", "plan.json", "review-result.json", "test-result.json"),
    "worker-result.json",
]
ROLES = ("x-subplanner", "x-worker", "x-reviewer", "x-git")
OF_ROLES = ("of-subplanner", "of-worker", "of-reviewer", "of-git")
NO_REMOTE = "does not appear to be a git repository"
SONNET, HAIKU = "claude-sonnet-5-5", "claude-haiku-5-5"
PRO, FLASH = "gemini-2.5-pro", "gemini-3-flash-preview"


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


PRICED = {"claude": ["total", "price"], "opencode": []}  # it knows no price of these models


def reported(played: Played) -> list[str]:
    """Return what the client has reported of each turn."""
    lines = (played.team.folder / "turns.jsonl").read_text("utf-8").splitlines()
    turns = [turn for turn in map(json.loads, lines) if "total" in turn]
    assert [turn["role"] for turn in turns if turn["at"] != "plan"] == [*ROLES[1:]]
    return [name for name in ("total", "price") if all(turn[name] for turn in turns)]


def pushes(team: Team) -> list[Say | Call]:
    """Do what a worker does that pushes first, to a remote that its git does not have."""
    return [shell("git push --force origin main"), *works(team)]


@pytest.mark.spec("1.5", "1.13")
@pytest.mark.parametrize(
    ("client", "models", "parts", "told"),
    [
        (
            *("qwen", (OF_ROLES, OF_ROLES)),
            {"x_subplanner": [plans_nothing, plans_and_checks]},  # a bad plan is fixed
            {"x-subplanner": "OK"},
        ),
        pytest.param("gemini", ((PRO, FLASH, PRO, FLASH),) * 2, {}, {}, marks=LARGE),
        pytest.param(
            *("claude", (("sonnet", "haiku") * 2, (SONNET, HAIKU) * 2)),
            *({"x_worker": [pushes]}, {"x-worker": NO_REMOTE}),
            marks=LARGE,
        ),
        pytest.param("codex", ((), ("of-worker",) * 4), {}, {}, marks=LARGE),
        pytest.param(
            *("copilot", ((), ("of-worker",) * 4)),
            *({"x_worker": [pushes]}, {"x-worker": NO_REMOTE}),
            marks=LARGE,
        ),
        pytest.param(
            *("vibe", (OF_ROLES, OF_ROLES)),
            *({"x_worker": [pushes]}, {"x-worker": NO_REMOTE}),
            marks=LARGE,
        ),
        pytest.param(
            *("opencode", (tuple(f"stub/{name}" for name in OF_ROLES), OF_ROLES)),
            *({"x_worker": [pushes]}, {"x-worker": NO_REMOTE}),
            marks=LARGE,
        ),
    ],
)
def test_each_role_is_prompted_with_its_model_and_finds_no_remote_to_push_to(
    scene: Scene,
    play: Play,
    client: str,
    models: tuple[tuple[str, ...], tuple[str, ...]],
    parts: dict[str, list[Part]],
    told: dict[str, str],
) -> None:
    team = Team(scene.root, **parts)
    asked_for, seen = models
    words = [f"--model={role}={name}" for role, name in zip(ROLES, asked_for, strict=False)]
    played = play(team, client, *words)

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert_published(played)
    assert reported(played) == PRICED.get(client, ["total"])
    assert turns(team.seen) == list(zip(ROLES, seen, strict=True))
    assert [role for role, text in told.items() if text not in "".join(team.results[role])] == []


@pytest.mark.spec("1.5", "1.7", "1.13", "4.5")
@pytest.mark.parametrize(
    ("client", "model", "asked_for", "seen"),
    [
        pytest.param("qwen", "of-{}", "of-planner", ("of-planner", *OF_ROLES), marks=LARGE),
        pytest.param("claude", "haiku", "sonnet", (SONNET, *(HAIKU,) * 4), marks=LARGE),
        pytest.param("codex", "of-{}", "", ("of-worker", *OF_ROLES), marks=LARGE),
        pytest.param("copilot", "of-{}", "", ("of-worker", *OF_ROLES), marks=LARGE),
    ],
)
def test_a_planner_has_every_role_dispatched_with_the_model_of_its_definition(
    scene: Scene, play: Play, client: str, model: str, asked_for: str, seen: tuple[str, ...]
) -> None:
    define(scene, client, model)
    team = Team(scene.root)
    words = [f"--model=x-planner={asked_for}"] if asked_for else []
    played = play(team, client, "--delegate", *words)

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert_published(played)
    planner, *roles = zip(("x-planner", *ROLES), seen, strict=True)
    assert turns(team.seen) == [planner, *(each for role in roles for each in (role, planner))]


BROKEN = "import assert from 'node:assert';\nassert.equal(1, 2, 'the health is unknown');\n"
FINDING = "src/health.js:1: major: the service is healthy before it has begun"


def breaks_a_test(team: Team) -> list[Say | Call]:
    """Do what a worker does whose own test fails, and who says that it passes."""
    return [*works(team)[:1], write(team.app / "test" / "health.test.js", BROKEN), *works(team)[2:]]


def improves(team: Team) -> list[Say | Call]:
    """Do what a worker does whom a reviewer has told what to change."""
    better = "export const health = () => ({ status: 'ok' });\n"
    return [write(team.app / "src" / "health.js", better), *works(team)[1:]]


def asks_for_a_change(_: Team) -> list[Say | Call]:
    """Do what a reviewer does who has a finding."""
    return [Say(f"changes needed\n\n{FINDING}")]


@LARGE
@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "qwen", "opencode"])
def test_a_failing_test_and_then_a_finding_go_back_to_the_worker_before_the_pull_request(
    scene: Scene, play: Play, client: str
) -> None:
    parts: list[Part] = [breaks_a_test, works, improves]
    team = Team(scene.root, x_worker=parts, x_reviewer=[asks_for_a_change, approves])
    played = play(team, client, "--test-command", "node --test test/*.js")

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert_published(played)
    dispatched = [role for role, _ in turns([(role, "") for role, _ in team.seen])]
    assert dispatched == [
        *("x-subplanner", "x-worker", "x-reviewer", "x-worker", "x-reviewer", "x-git"),
    ]
    first, second, third = (
        text.rpartition("# Your task now")[2] for text in team.prompts("x-worker")
    )
    assert "the health is unknown" not in first
    assert "the health is unknown" in second
    assert FINDING in third
    assert scene.github.pulls[0]["body"].count("node --test") >= 1


@LARGE
@pytest.mark.parametrize("client", ["qwen", "gemini"])
def test_without_a_jail_a_worker_runs_the_tests_and_is_refused_a_push(
    scene: Scene, play: Play, client: str
) -> None:
    def tests_and_pushes(team: Team) -> list[Say | Call]:
        return [shell("npm --prefix app test"), *pushes(team)]

    team = Team(scene.root, x_worker=[tests_and_pushes, works])
    played = play(team, client, "--no-jail", "-v")
    refused = [line for line in played.done.stdout.splitlines() if "refused:" in line]

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert_published(played)
    assert ["`git push` is not on the list of commands" in line for line in refused] == [True]


def test_what_a_worker_may_not_change_is_not_changed_by_its_tools_nor_by_its_programs(
    scene: Scene, play: Play
) -> None:
    def strays(team: Team) -> list[Say | Call]:
        stray = "import { appendFileSync } from 'node:fs';\nappendFileSync('README.md', 'x');\n"
        return [
            write(team.app.parent / "notes.md", "Notes\n"),
            shell("echo more >> README.md"),
            shell("git push --force origin main"),
            write(team.app / "stray.mjs", stray),
            shell("node app/stray.mjs"),
            shell("rm app/stray.mjs"),
            *works(team),
        ]

    played = play(Team(scene.root, x_worker=[strays]), "gemini")

    assert (played.done.returncode, played.done.stderr) == (0, "")
    assert_published(played)
    assert (scene.root / "README.md").read_text("utf-8") == "# Services\n"
    assert not (scene.root / "notes.md").exists()
    said = "".join(played.team.results["x-worker"])
    assert said.count("Read-only file system") + said.count("EROFS") >= 2


def define(scene: Scene, client: str, model: str) -> None:
    """Give the project a definition of each role that names the role's model."""
    record = CLIENTS[client]
    for role in ROLES:
        text = f"You are {role}. Do what you are asked to.\n"
        agent = Agent(name=role, description=f"Does the part of {role}.", text=text)
        chosen = Selection(model=model.format(role.removeprefix("x-")))
        scene.user.write(record.places[0].file(role), record.agent(agent, chosen))
    scene.user.commit("chore: define the agents")
    scene.user.git("push", "--quiet", "origin", "main")
