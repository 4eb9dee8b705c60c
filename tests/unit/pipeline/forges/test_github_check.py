"""The github forge finds out what is missing before any agent works."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.stubs.github import Reply, error
from tests.stubs.github_scene import Scene, git, made

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("template"))


@pytest.fixture
def scene(template: Path, tmp_path: Path) -> Iterator[Scene]:
    with Scene(template, tmp_path / "scene") as ready:
        yield ready


def test_the_check_asks_once_and_changes_nothing(scene: Scene) -> None:
    scene.forge().check(scene.change.repository)

    assert scene.asked() == ["GET /"]
    assert git(scene.bare, "branch", "--format=%(refname:short)") == "main"


def test_the_check_finds_a_missing_remote_before_anything_is_sent(scene: Scene) -> None:
    assert scene.not_ready(remote="fork") == (
        'github: there is no remote "fork": expected one to push to; git remote add fork '
        "https://github.com/OWNER/REPO.git"
    )
    assert "there is no remote" in scene.not_ready(remote="--upload-pack=x")
    assert scene.stub.requests == []


def test_the_check_finds_a_missing_token_before_anything_is_sent(scene: Scene) -> None:
    del scene.variables["GH_TOKEN"]

    assert "no token for github.com: set GH_TOKEN" in scene.not_ready()
    assert scene.stub.requests == []


@pytest.mark.parametrize(
    ("reply", "usage", "words"),
    [
        (error(401, "Bad credentials"), True, "does not know the token"),
        (error(404, "Not Found"), True, "shows no repository octo/hello"),
        (error(301, "Moved Permanently"), True, "octo/hello has moved"),
        (Reply(body=b"<html>"), True, "is not what GitHub answers"),
        (error(503, "Unavailable"), False, "run the same command again in a while"),
        (error(429, "slow down", retry_after="90"), False, "come back in 90 seconds"),
        (Reply(after=30), False, "did not answer within 1 seconds"),
    ],
)
def test_the_check_tells_a_wrong_set_up_from_a_passing_trouble(
    scene: Scene, reply: Reply, *, usage: bool, words: str
) -> None:
    scene.stub.script("GET", reply)

    assert words in scene.not_ready(usage=usage)
    assert scene.asked() == ["GET /"]


def test_the_check_finds_a_repository_that_takes_no_changes(scene: Scene) -> None:
    scene.stub.archived = True

    assert scene.not_ready() == "github: octo/hello is archived: it takes no changes"


def test_the_check_finds_a_token_that_may_only_read(scene: Scene) -> None:
    scene.stub.rights["push"] = False

    assert "may read octo/hello, but not write to it: push to a fork" in scene.not_ready()


def test_a_token_of_actions_which_has_no_listed_right_is_let_through(scene: Scene) -> None:
    scene.stub.rights = {"admin": False, "push": False, "pull": False}

    scene.forge().check(scene.change.repository)


def test_a_fork_may_be_pushed_to_without_the_right_to_write_to_its_origin(scene: Scene) -> None:
    scene.stub.rights["push"] = False
    git(scene.work, "remote", "add", "fork", "git@github.com:me/hello.git")

    scene.forge(remote="fork").check(scene.change.repository)

    assert scene.asked() == ["GET /"]


def test_a_proxy_that_is_none_is_a_fault_in_one_line(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://me:secret@proxy:1")
    scene.variables = {"GH_TOKEN": scene.stub.token, "GH_REPO": "octo/hello"}

    line = scene.not_ready()

    assert "look at HTTPS_PROXY and SSL_CERT_FILE" in line
    assert "secret" not in line


def test_without_a_connection_the_check_says_so_at_once(scene: Scene) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        scene.variables["GITHUB_API_URL"] = f"http://127.0.0.1:{unused.getsockname()[1]}"

        assert scene.not_ready(usage=False).startswith("github: no connection to 127.0.0.1: ")


def test_without_httpx_the_forge_says_which_extra_is_missing(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)

    assert scene.not_ready() == (
        "the github forge needs the extra headless: python3 start.py headless"
    )


def test_the_module_is_imported_without_httpx() -> None:
    code = "import sys; import pipeline.forges.github; print('httpx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
