"""What grading looked at is remembered as it stood, and a change of any of it is noticed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.files import Unreadable
from verify.submission import open_folder
from verify.watching import sight as sights
from verify.watching.sight import Sight, changed, folders, stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ISSUE = "sandbox/.pipeline/ISSUE-7"
PLAN = f"{ISSUE}/plan.json"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "mine"
    (root / ISSUE).mkdir(parents=True)
    (root / PLAN).write_text('{"steps": []}')
    (root / "rule.md").write_text("text")
    (root / "link").symlink_to(tmp_path)
    return root


@pytest.fixture
def sight(root: Path) -> Iterator[Sight]:
    with open_folder(str(root)) as submission:
        yield Sight(submission, [PLAN])


def test_a_door_answers_as_the_one_behind_it(sight: Sight, root: Path) -> None:
    with pytest.raises(Unreadable):
        sight.read("missing.json")

    assert sight.root == str(root)
    assert sight.read(PLAN) == b'{"steps": []}'
    assert (sight.is_file(PLAN), sight.is_file("missing.md")) == (True, False)
    assert sight.names(ISSUE) == ["plan.json"]


def test_what_is_asked_for_is_noted_and_no_more_than_can_be_looked_at_quickly(
    sight: Sight, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sights, "MAX_PATHS", 3)
    sight.names("sandbox")
    sight.is_file("src/app.js")

    assert list(sight.stamps) == ["", PLAN, "sandbox"]


@pytest.mark.parametrize(
    ("name", "text", "incomplete"),
    [
        ("a.json", '{"steps": [', True),
        ("a.json", "[" * 100_000, True),
        ("a.json", "{}", False),
        ("a.md", "", True),
        ("a.md", "{", False),
        ("missing.json", None, True),
    ],
)
def test_a_file_that_may_be_half_written_is_told(
    sight: Sight, root: Path, name: str, text: str | None, *, incomplete: bool
) -> None:
    if text is not None:
        (root / name).write_text(text)
    try:
        sight.read(name)
    except Unreadable:
        assert text is None

    assert sight.incomplete == ({name} if incomplete else set())


def test_a_file_is_noted_as_it_stood_before_it_was_read(sight: Sight, root: Path) -> None:
    (root / PLAN).write_text("{}")  # after the sight began, and before it reads
    sight.read(PLAN)

    assert changed(str(root), sight.stamps)


def rename(root: Path) -> None:
    (root / ISSUE / "new").write_text('{"steps": []}')
    (root / ISSUE / "new").replace(root / PLAN)


def make(root: Path) -> None:
    (root / "src").mkdir()
    (root / "src" / "app.js").touch()


def put_a_link_in_place_of_a_folder(root: Path) -> None:
    (root / "sandbox").rename(root.parent / "elsewhere")
    (root / "sandbox").symlink_to(root.parent / "elsewhere")


CHANGES: dict[str, Callable[[Path], object]] = {
    "write": lambda root: (root / PLAN).write_text("{}"),
    "rename": rename,
    "remove": lambda root: (root / PLAN).unlink(),
    "make": make,
    "close": lambda root: (root / PLAN).chmod(0),
    "lose a folder": lambda root: (root / "sandbox").rename(root / "elsewhere"),
    "put a link in place of a folder": put_a_link_in_place_of_a_folder,
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_noticed(sight: Sight, root: Path, change: str) -> None:
    sight.is_file("src/app.js")
    before = changed(str(root), sight.stamps)
    CHANGES[change](root)

    assert (before, changed(str(root), sight.stamps)) == (False, True)


def test_a_change_of_something_else_is_none(sight: Sight, root: Path) -> None:
    (root / ISSUE / "worker-result.json").touch()
    (root / "other").mkdir()

    assert not changed(str(root), sight.stamps)


@pytest.mark.parametrize(
    "path",
    ["missing.json", "rule.md/x", "link/rule.md", "../mine/rule.md", "a\0b"],
)
def test_what_is_not_reached_within_the_submission_has_no_stamp(root: Path, path: str) -> None:
    assert stamp(str(root), path) == ()


def test_the_folders_on_the_way_are_told_as_far_as_they_are_there(root: Path) -> None:
    paths = [PLAN, "sandbox/src/health/routes.js", "link/secret.json", "rule.md/x"]
    missing = str(root / "missing")
    below = ["sandbox", "sandbox/.pipeline", ISSUE]

    assert folders(str(root), paths) == {str(root), *(str(root / each) for each in below)}
    assert (folders(missing, paths), stamp(missing, "")) == (frozenset(), ())
