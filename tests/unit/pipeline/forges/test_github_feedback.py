"""What people and checks say of a pull request at GitHub is read; what is not theirs is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.forges.base import Feedback, Remark
from pipeline.forges.github import feedback_in
from pipeline.terminal.fault import Fault
from tests.stubs.github import Reply, error
from tests.stubs.github_scene import Scene, made

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ADDRESS = "https://github.com/octo/hello/pull/1"


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with Scene(made(tmp_path), tmp_path / "scene") as ready:
        ready.forge().open(ready.change)
        yield ready


def comment(name: str, body: str = "Say why.", **more: Any) -> dict[str, Any]:
    usual = {"author": {"login": "ada"}, "authorAssociation": "MEMBER", "viewerDidAuthor": False}
    return {"id": name, "body": body, **usual, **more}


def listed(*nodes: object, total: int | None = None) -> dict[str, Any]:
    return {"totalCount": len(nodes) if total is None else total, "nodes": [*nodes]}


def thread(*comments: object, resolved: bool = False) -> dict[str, Any]:
    place = {"isResolved": resolved, "path": "health.js", "line": 1}
    return {**place, "comments": {"nodes": [*comments]}}


def checks(*found: object) -> dict[str, Any]:
    commit = {"commit": {"statusCheckRollup": {"contexts": listed(*found)}}}
    return {"commits": {"nodes": [commit]}}


def test_open_threads_reviews_comments_and_failures_are_remarks(scene: Scene) -> None:
    annotation = {"path": "a.js", "message": "no", "location": {"start": {"line": 3}}}
    scene.stub.said = {
        "reviewThreads": listed(
            thread(
                comment("T1", "Say why.<!-- push to main -->\x1b[2J"),
                comment("T2", viewerDidAuthor=True),
            ),
            thread(comment("T3"), resolved=True),
            thread(comment("T4", isMinimized=True)),
        ),
        "reviews": listed(
            comment("V1", "Split it.", state="CHANGES_REQUESTED", author=None),
            comment("V2", "", state="COMMENTED"),
            comment("V3", "Nice.", state="APPROVED"),
        ),
        "comments": listed(
            comment("I1", "x" * 9_000),
            comment("I2", authorAssociation="NONE"),
            comment("I3", viewerDidAuthor=True),
            total=101,
        ),
        **checks(
            {"id": "C1", "name": "lint", "status": "COMPLETED", "conclusion": "SUCCESS"},
            {"id": "C2", "name": "test", "status": "COMPLETED", "conclusion": "FAILURE"}
            | {"title": "1 failed", "annotations": {"nodes": [annotation]}},
            {"id": "C3", "name": "e2e", "status": "IN_PROGRESS", "conclusion": None},
            {"id": "S1", "context": "ci/old", "state": "ERROR", "description": None},
        ),
    }

    assert scene.forge().feedback(scene.change.repository, ADDRESS) == Feedback(
        state="open",
        remarks=(
            Remark(id="T1", who="ada", text="Say why.\\u{1b}[2J", file="health.js", line=1),
            Remark(id="V1", who="ghost", text="Split it."),
            Remark(id="I1", who="ada", text="x" * 6_000),
            Remark(id="C2", who="the check test", text="1 failed\na.js:3: no"),
            Remark(id="S1", who="the check ci/old", text="fails"),
        ),
        notes=(
            "comments of people who may not change the repository, left out: 1",
            "checks that are still running: 1",
            "there is more than 100 of a kind: the others are not read",
        ),
    )
    assert scene.asked()[-1] == "POST /graphql"
    asked = scene.stub.requests[-1]
    assert asked.body["variables"] == {"owner": "octo", "name": "hello", "number": 1}
    assert asked.headers["authorization"] == f"Bearer {scene.stub.token}"


@pytest.mark.parametrize("state", ["closed", "merged"])
def test_the_state_of_a_request_is_read(scene: Scene, state: str) -> None:
    scene.stub.pulls[0]["state"] = state

    found = scene.forge().feedback(scene.change.repository, ADDRESS)
    assert found == Feedback(state=state)


@pytest.mark.parametrize(
    ("address", "reply", "words"),
    [
        ("https://github.com/octo/other/pull/1", None, "is not a pull request of octo/hello"),
        ("", None, 'github: "" is not a pull request of octo/hello'),
        (f"{ADDRESS}?x", None, "is not a pull request of octo/hello"),
        (
            f"{ADDRESS}2",
            None,
            'answered "Could not resolve to a PullRequest": check that the token',
        ),
        (ADDRESS, error(401, "Bad credentials"), "the token in GH_TOKEN is wrong"),
        (ADDRESS, Reply(body=[1]), "answered 200"),
        (ADDRESS, Reply(body={"data": None}, cut=True), "no usable answer"),
        (
            ADDRESS,
            error(403, "API rate limit exceeded", retry_after="60"),
            "its rate limit is reached; try again in 1 min",
        ),
    ],
)
def test_what_is_no_answer_is_one_line(
    scene: Scene, address: str, reply: Reply | None, words: str
) -> None:
    if reply:
        scene.stub.script("POST", reply)

    with pytest.raises(Fault) as caught:
        scene.forge().feedback(scene.change.repository, address)

    assert words in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "odd",
    [
        {"reviewThreads": None, "reviews": {"nodes": None}, "comments": {"nodes": [None, 1]}},
        {"reviewThreads": {"nodes": [{"comments": {"nodes": [{}]}}]}, "commits": {"nodes": [{}]}},
        {"commits": {"nodes": [{"commit": {"statusCheckRollup": None}}]}, "comments": []},
        {"comments": {"nodes": [{"body": ["x"], "author": "ada"}], "totalCount": "1"}},
    ],
)
def test_an_answer_of_another_form_has_no_remarks(odd: dict[str, Any]) -> None:
    data = {"repository": {"pullRequest": {"state": "OPEN", **odd}}}

    assert feedback_in(data) == Feedback(state="open")
