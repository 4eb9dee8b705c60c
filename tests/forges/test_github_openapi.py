"""What the github forge sends, and what its stub answers, is as GitHub itself describes its API."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.stubs.github import Reply, error
from tests.stubs.github_openapi import reply_problems, request_problems, sample
from tests.stubs.github_scene import Scene, made

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOME = "/repos/octo/hello"
PULLS = f"{HOME}/pulls"
GOOD = {"title": "feat: x", "head": "octo:feature/x", "base": "main", "body": "text"}


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with Scene(made(tmp_path), tmp_path / "scene") as ready:
        yield ready


def exercised(scene: Scene) -> None:
    """Have the forge send each kind of request, and the stub give each kind of answer."""
    scene.forge().check(scene.change.repository)
    scene.forge().open(scene.change)
    scene.forge().open(scene.change)
    scene.stub.script("GET", Reply(body=[]))
    scene.forge().open(scene.change)  # is told that there is one
    scene.refused(replace(scene.change, base="next"))
    scene.stub.script("POST", error(403, "Resource not accessible by personal access token"))
    scene.stub.pulls.clear()
    scene.refused()
    scene.stub.script("GET", error(404, "Not Found"))
    scene.not_ready()


def test_every_request_of_the_forge_is_as_described(scene: Scene) -> None:
    exercised(scene)
    requests = scene.stub.requests
    kinds = {(r.method, r.path) for r in requests}
    problems = [p for r in requests for p in request_problems(r.method, r.path, r.query, r.body)]

    assert kinds == {("GET", HOME), ("GET", PULLS), ("POST", PULLS)}
    assert problems == []


def test_every_answer_of_the_stub_is_as_described(scene: Scene) -> None:
    exercised(scene)
    answers = [(asked.method, asked.path, r.status, r.body) for asked, r in scene.stub.replies]
    kinds = {(method, path.removeprefix(HOME), status) for method, path, status, _ in answers}
    problems = [problem for answer in answers for problem in reply_problems(*answer)]

    assert problems == []
    assert kinds == {
        ("GET", "", 200),
        ("GET", "", 404),
        ("GET", "/pulls", 200),
        ("POST", "/pulls", 201),
        ("POST", "/pulls", 403),
        ("POST", "/pulls", 422),
    }


@pytest.mark.parametrize(
    ("body", "problems"),
    [
        (GOOD, []),
        ({k: v for k, v in GOOD.items() if k != "head"}, ["$: 'head' is a required property"]),
        ({**GOOD, "titel": "x"}, ["titel is not described"]),
    ],
)
def test_the_description_refuses_a_wrong_body(body: Any, problems: list[str]) -> None:
    assert request_problems("POST", PULLS, {}, body) == problems


@pytest.mark.parametrize(
    ("change", "problems"),
    [({}, []), ({"title": None}, ["$.title: None is not of type 'string'"])],
)
def test_the_description_refuses_a_wrong_answer(
    change: dict[str, object], problems: list[str]
) -> None:
    assert reply_problems("POST", PULLS, 201, {**sample("pull-request"), **change}) == problems
