"""The forge that the how-to page builds is a working one."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.forges.base import PullRequest
from pipeline.terminal.fault import Fault
from tests.stubs.github_scene import Scene, made

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/bring-your-own-forge.md"


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with Scene(made(tmp_path), tmp_path / "scene") as ready:
        yield ready


def forge_of_the_page(remote: str) -> Any:
    """Return the forge of the page's first block of Python."""
    match = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert match is not None
    module = ModuleType("patches")
    exec(match[1], module.__dict__)  # noqa: S102  # the page's own text
    return module.Patches(remote)


def test_it_writes_the_change_once(scene: Scene) -> None:
    forge = forge_of_the_page("origin")
    page = f".pipeline/patches/ISSUE-7-{scene.change.sha[:12]}"

    forge.check(scene.change.repository)
    assert forge.open(scene.change) == PullRequest(page=page)
    assert forge.open(scene.change) == PullRequest(page=page, reused=True)
    (patch,) = (scene.work / page).iterdir()
    assert "+health.js" in patch.read_text(encoding="utf-8")


def test_it_says_in_one_line_that_it_reads_no_reviews(scene: Scene) -> None:
    with pytest.raises(Fault) as caught:
        forge_of_the_page("origin").feedback(scene.change.repository, "https://a/b/1")

    line = (
        "--continue reads reviews and checks at GitHub, GitLab and Gitea, not with --forge patches"
    )
    assert (caught.value.lines, caught.value.code) == ((line,), 2)
