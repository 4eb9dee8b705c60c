"""The github forge opens pull requests: against a small GitHub and a real bare repository."""

from __future__ import annotations

import socket
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipeline.forges.base import PullRequest
from tests.stubs.github import GitHubStub, Reply, error, invalid
from tests.stubs.github_scene import BRANCH, Scene, made
from tests.stubs.repositories import git

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


FIRST = PullRequest(url="https://github.com/octo/hello/pull/1")
LOST = Reply(status=201, obeys=True, cut=True)  # it is opened, and the answer breaks off


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("template"))


@pytest.fixture
def scene(template: Path, tmp_path: Path) -> Iterator[Scene]:
    with Scene(template, tmp_path / "scene") as ready:
        yield ready


def test_the_branch_is_pushed_and_a_pull_request_opened(scene: Scene) -> None:
    assert scene.forge().open(scene.change) == FIRST
    assert git(scene.bare, "rev-parse", BRANCH) == scene.change.sha
    assert scene.asked() == ["GET /pulls", "POST /pulls"]
    assert scene.stub.requests[0].query == {
        "state": "open",
        "head": f"octo:{BRANCH}",
        "base": "main",
    }
    assert scene.stub.requests[1].body == {
        "title": "feat: add a health endpoint",
        "head": f"octo:{BRANCH}",
        "base": "main",
        "body": "It answers.\n",
    }
    wanted = {
        "authorization": f"Bearer {scene.stub.token}",
        "accept": "application/vnd.github+json",
        "user-agent": "issue-pipeline",
        "x-github-api-version": "2022-11-28",
        "accept-encoding": "identity",
    }
    sent = [{name: r.headers[name] for name in wanted} for r in scene.stub.requests]
    assert sent == [wanted, wanted]
    assert scene.stub.requests[1].headers["content-type"] == "application/json"


def test_a_second_time_the_same_pull_request_is_found_unless_it_is_closed(scene: Scene) -> None:
    scene.forge().open(scene.change)

    assert scene.forge().open(scene.change) == replace(FIRST, reused=True)
    assert len(scene.stub.pulls) == 1
    scene.stub.pulls[0]["state"] = "closed"
    another = {**scene.stub.pulls[0], "base": {"ref": "next"}}  # whatever was asked for
    scene.stub.script("GET", Reply(body=[another]))
    assert scene.forge().open(scene.change).url == "https://github.com/octo/hello/pull/2"


def test_a_pull_request_that_was_not_listed_yet_is_found_by_the_refusal(scene: Scene) -> None:
    scene.forge().open(scene.change)
    scene.stub.script("GET", Reply(body=[]))

    assert scene.forge().open(scene.change) == replace(FIRST, reused=True)
    assert scene.asked()[2:] == ["GET /pulls", "POST /pulls", "GET /pulls"]


@pytest.mark.parametrize(
    "lost",
    [
        pytest.param(LOST, id="the answer breaks off"),
        pytest.param(Reply(status=201, obeys=True, body=[]), id="the answer is another"),
        pytest.param(Reply(status=502, obeys=True, body=b"Bad Gateway"), id="a gateway fails"),
    ],
)
def test_a_pull_request_whose_answer_is_lost_is_looked_for_not_opened_again(
    scene: Scene, lost: Reply
) -> None:
    scene.stub.script("POST", lost)

    assert scene.forge().open(scene.change) == replace(FIRST, reused=True)
    assert scene.asked() == ["GET /pulls", "POST /pulls", "GET /pulls"]
    assert len(scene.stub.pulls) == 1


def test_two_failures_before_anything_was_opened_are_made_good(scene: Scene) -> None:
    scene.stub.script("GET", error(502, "Bad Gateway"))
    scene.stub.script("POST", error(500, "Server Error"))

    assert scene.forge().open(scene.change) == FIRST
    assert scene.asked() == ["GET /pulls", *["GET /pulls", "POST /pulls"] * 2]
    assert scene.waits == [0.5, 1.5]


def test_a_server_that_keeps_failing_is_given_up_on(scene: Scene) -> None:
    scene.stub.script("POST", *[error(500, "Server Error")] * 3)

    assert scene.refused() == (
        f'github: {scene.stub.url} answered 500 "Server Error": run the same command again later '
        "(a later run does not open a second pull request)"
    )
    assert scene.asked() == ["GET /pulls", "POST /pulls"] * 3


@pytest.mark.parametrize(
    ("method", "reply", "words"),
    [
        ("POST", invalid(field="title", code="custom", message="is odd"), "Failed; is odd"),
        ("GET", Reply(body=b"<html>Sign in</html>"), "this is not GitHub's API"),
        ("GET", Reply(body=b'[{"a": 1, "a": 2}]'), "this is not GitHub's API"),
        ("GET", Reply(status=304, body=b""), "answered 304"),
    ],
)
def test_each_refusal_is_one_line_and_nothing_is_opened(
    scene: Scene, method: str, reply: Reply, words: str
) -> None:
    scene.stub.script(method, reply)

    assert words in scene.refused()
    assert scene.stub.pulls == []


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(body=[], cut=True), "peer closed connection without sending complete message"),
        (Reply(body=b" " * (1 << 21)), "the response is larger than 1 MiB or takes longer than"),
    ],
)
def test_an_answer_that_never_comes_whole_is_asked_for_three_times(
    scene: Scene, reply: Reply, words: str
) -> None:
    scene.stub.script("GET", reply, reply, reply)

    assert scene.refused().startswith(f"github: no usable answer from {scene.stub.url}: {words}")
    assert scene.asked() == ["GET /pulls"] * 3


def test_no_redirect_is_followed_so_that_the_token_stays_with_one_host(scene: Scene) -> None:
    with GitHubStub() as elsewhere:
        there = {"Location": f"{elsewhere.url}/repos/octo/hello/pulls"}
        scene.stub.script("GET", Reply(status=301, headers=there))

        assert "octo/hello has moved" in scene.refused()
        scene.stub.script("POST", Reply(status=307, headers=there))
        assert "octo/hello has moved" in scene.refused()
        assert elsewhere.requests == []


def test_a_proxy_gets_no_token_on_the_way_to_this_machine(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    with GitHubStub() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)

        assert scene.forge().open(scene.change) == FIRST
        assert proxy.requests == []


def test_a_title_and_a_body_that_are_too_long_are_cut(scene: Scene) -> None:
    scene.forge().open(replace(scene.change, title="t" * 300, body="- item\n" * 10_000))
    sent = scene.stub.requests[1].body

    assert (sent["title"], sent["body"]) == ("t" * 256, "- item\n" * 9361 + "- item")


def test_a_push_that_would_overwrite_is_refused_and_nothing_is_asked(scene: Scene) -> None:
    git(scene.bare, "branch", BRANCH, "main")
    orphan = git(scene.work, "commit-tree", "-m", "another", "HEAD^{tree}")

    line = scene.refused(replace(scene.change, sha=orphan))

    assert line.startswith("git push to origin failed: ")
    assert git(scene.bare, "rev-parse", BRANCH) == git(scene.bare, "rev-parse", "main")
    assert scene.stub.requests == []


def test_a_pull_request_from_a_fork_names_its_owner(scene: Scene, tmp_path: Path) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(f"#!/bin/sh\nexec git-receive-pack '{scene.bare}'\n", encoding="utf-8")
    ssh.chmod(0o700)
    git(scene.work, "remote", "add", "fork", "git@github.com:me/hello.git")
    git(scene.work, "config", "core.sshCommand", str(ssh))
    git(scene.work, "config", "ssh.variant", "simple")

    assert scene.forge(remote="fork").open(scene.change) == FIRST
    assert scene.stub.requests[1].body["head"] == f"me:{BRANCH}"


def test_labels_and_reviewers_are_set_once_it_is_open_and_a_refusal_is_noted_not_fatal(
    scene: Scene,
) -> None:
    change = replace(scene.change, draft=True, labels=["a"], reviewers=["hubot", "octo/reviewers"])
    opened = scene.forge().open(change)
    again = scene.forge().open(replace(change, reviewers=["nobody"]))

    assert opened == FIRST
    assert again.notes == (
        (
            'github set no reviewers: it answered 422 "Reviews may only be requested from '
            'collaborators."'
        ),
    )
    assert (again.url, again.reused) == (FIRST.url, True)
    (pull,) = scene.stub.pulls
    assert (pull["draft"], pull["labels"], pull["requested_reviewers"]) == (
        True,
        ["a"],
        ["hubot", "reviewers"],
    )


def test_the_check_finds_a_missing_remote_before_anything_is_sent(scene: Scene) -> None:
    assert scene.not_ready(remote="fork") == (
        'there is no remote "fork": add it (git remote add fork URL), or choose another (--remote)'
    )
    assert "there is no remote" in scene.not_ready(remote="--upload-pack=x")
    assert scene.stub.requests == []


@pytest.mark.parametrize(
    ("reply", "usage", "words"),
    [
        (error(401, "Bad credentials"), True, "the token in GH_TOKEN is wrong"),
        (error(503, "Unavailable"), False, "run the same command again later"),
        (Reply(after=30), False, ": timed out; run the same command again later"),
    ],
)
def test_the_check_tells_a_wrong_set_up_from_a_passing_trouble(
    scene: Scene, reply: Reply, *, usage: bool, words: str
) -> None:
    scene.stub.script("GET", reply)

    assert words in scene.not_ready(usage=usage, seconds=1 if reply.after else 5)
    assert scene.asked() == ["GET /"]


def test_the_check_finds_a_repository_or_a_token_that_takes_no_changes(scene: Scene) -> None:
    scene.stub.archived = True
    assert scene.not_ready() == "github: octo/hello accepts no changes: it is archived or disabled"

    scene.stub.archived = False
    scene.stub.rights["push"] = False
    assert "may read octo/hello, but not write to it: use a fork (--remote)" in scene.not_ready()


def test_a_fork_or_a_token_of_actions_without_a_listed_right_is_let_through(scene: Scene) -> None:
    scene.stub.rights["push"] = False
    git(scene.work, "remote", "add", "fork", "git@github.com:me/hello.git")
    scene.forge(remote="fork").check(scene.change.repository)

    scene.stub.rights = {"admin": False, "push": False, "pull": False}
    scene.forge().check(scene.change.repository)

    assert scene.asked() == ["GET /"] * 2


def test_a_proxy_that_is_none_is_a_fault_in_one_line(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://me:secret@proxy:1")
    scene.variables = {"GH_TOKEN": scene.stub.token, "GH_REPO": "octo/hello"}

    line = scene.not_ready()

    assert "check HTTPS_PROXY and SSL_CERT_FILE" in line
    assert "secret" not in line


def test_without_a_connection_the_check_says_so_at_once(scene: Scene) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        scene.variables["GITHUB_API_URL"] = f"http://127.0.0.1:{unused.getsockname()[1]}"

        assert scene.not_ready(usage=False).startswith("github: no usable answer from http://")
