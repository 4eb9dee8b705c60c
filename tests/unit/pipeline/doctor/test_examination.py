"""The examination as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.doctor import Machine, examine, this_machine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_everything_is_looked_at_once(
    machine: Callable[..., Machine], git: Callable[..., None], tmp_path: Path
) -> None:
    git("init")
    codes = [each.code for each in examine(str(tmp_path), machine())]

    assert codes == [
        *("python", "node", "npm", "git", "packages", "headless"),
        *("repository", "identity", "remote", "client", "token"),
    ]


def test_an_old_git_is_not_asked_about_the_repository(
    machine: Callable[..., Machine], tmp_path: Path
) -> None:
    findings = {each.code: each for each in examine(str(tmp_path), machine({"git": (2, 1)}))}

    assert findings["git"].standing == "missing"
    assert findings["repository"].found == "not asked: that takes git"


def test_this_machine_answers_for_itself() -> None:
    here = this_machine()

    assert (here.has_module("json"), here.has_module("no_such_module")) == (True, False)
    assert here.find("no-such-program") is None
    assert here.host.version("python") is not None
