"""What the github forge sends, and what its stub answers, is as GitHub itself describes its API."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.stubs.github import Reply, error
from tests.stubs.github_openapi import reply_problems, request_problems, sample
from tests.stubs.github_scene import Scene, made
from tools.github_openapi import CUT, OPERATIONS, cut

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOME = "/repos/octo/hello"
PULLS = f"{HOME}/pulls"


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with Scene(made(tmp_path), tmp_path / "scene") as ready:
        yield ready


def test_every_request_of_the_forge_and_every_answer_of_the_stub_is_as_described(
    scene: Scene,
) -> None:
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

    problems, kinds = [], set()
    for asked, reply in scene.stub.replies:
        problems += request_problems(asked.method, asked.path, asked.query, asked.body)
        problems += reply_problems(asked.method, asked.path, reply.status, reply.body)
        kinds.add((asked.method, asked.path.removeprefix(HOME), reply.status))
    assert problems == []
    assert kinds == {
        ("GET", "", 200),
        ("GET", "", 404),
        ("GET", "/pulls", 200),
        ("POST", "/pulls", 201),
        ("POST", "/pulls", 403),
        ("POST", "/pulls", 422),
    }


def test_the_description_refuses_a_wrong_body_and_a_wrong_answer() -> None:
    wrong_body = {"titel": "x", "head": "octo:feature/x"}
    wrong_answer = {**sample("pull-request"), "title": None}

    assert request_problems("POST", PULLS, {}, wrong_body) == [
        "titel is not described",
        "$: 'base' is a required property",
    ]
    assert reply_problems("POST", PULLS, 201, wrong_answer) == [
        "$.title: None is not of type 'string'"
    ]


def test_the_kept_cut_is_what_is_used_as_it_is_without_texts() -> None:
    kept = json.loads(CUT.read_text(encoding="utf-8"))
    whole = copy.deepcopy(kept)
    whole["paths"]["/unused"] = {"get": {"responses": {}}}
    whole["components"]["schemas"]["unused"] = {"type": "string"}
    first = next(iter(OPERATIONS))
    whole["paths"][first][OPERATIONS[first][0]]["summary"] = "text"

    assert kept["paths"].keys() == OPERATIONS.keys()
    assert cut(whole) == cut(kept) == kept
