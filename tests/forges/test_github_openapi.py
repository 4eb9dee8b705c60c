"""What the github forge sends, and what its stub answers, is as GitHub itself describes its API."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.stubs.github import Reply, error, invalid
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


@pytest.mark.parametrize("entry", [{"field": "head", "code": "invalid"}, {"message": "as told"}])
def test_the_stubs_refusals_are_githubs_validation_errors(entry: dict[str, str]) -> None:
    refusal = invalid(**entry)

    assert reply_problems("POST", PULLS, refusal.status, refusal.body) == []


@pytest.mark.parametrize(
    ("body", "problems"),
    [
        (GOOD, []),
        ({k: v for k, v in GOOD.items() if k != "head"}, ["$: 'head' is a required property"]),
        ({**GOOD, "title": 1}, ["$.title: 1 is not of type 'string'"]),
        ({**GOOD, "body": None}, ["$.body: None is not of type 'string'"]),
        ({**GOOD, "titel": "x"}, ["titel is not described"]),
        (["GOOD"], ["$: ['GOOD'] is not of type 'object'"]),
        (None, ["$: None is not of type 'object'"]),
    ],
)
def test_the_description_refuses_a_wrong_body(body: Any, problems: list[str]) -> None:
    assert request_problems("POST", PULLS, {}, body) == problems


@pytest.mark.parametrize(
    ("query", "problems"),
    [
        ({"state": "open", "per_page": "5"}, []),
        ({"state": "opened"}, ["$: 'opened' is not one of ['open', 'closed', 'all']"]),
        ({"per_page": "few"}, ["$: 'few' is not of type 'integer'"]),
        ({"branch": "x"}, ["the parameter branch is not described"]),
    ],
)
def test_the_description_refuses_a_wrong_parameter(
    query: dict[str, str], problems: list[str]
) -> None:
    assert request_problems("GET", PULLS, query, None) == problems


def test_the_description_refuses_other_paths_methods_and_bodies() -> None:
    assert request_problems("PUT", PULLS, {}, None) == [f"PUT {PULLS} is not described"]
    assert request_problems("GET", f"{PULLS}/", {}, None) == [f"GET {PULLS}/ is not described"]
    assert request_problems("GET", PULLS, {}, {}) == ["a body is not described"]
    assert reply_problems("GET", PULLS, 500, {}) == [f"GET {PULLS} is not described to answer 500"]


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        ({}, []),
        ({"body": None}, []),
        ({"title": None}, ["$.title: None is not of type 'string'"]),
        ({"number": "1"}, ["$.number: '1' is not of type 'integer'"]),
        ({"state": "merged"}, ["$.state: 'merged' is not one of ['open', 'closed']"]),
    ],
)
def test_the_description_refuses_a_wrong_answer(
    change: dict[str, object], problems: list[str]
) -> None:
    assert reply_problems("POST", PULLS, 201, {**sample("pull-request"), **change}) == problems
