"""The sources that run are those of the submission, within bounds and without links."""

from __future__ import annotations

import io
import os
import tarfile
from typing import TYPE_CHECKING

import pytest

from verify.running import sources
from verify.running.sources import laid_over, packed, shipped, sources_in
from verify.submissions.files import Unresolved
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from pathlib import Path


def written(root: Path, *paths: str) -> Path:
    """Write files whose content is their path, and return the root."""
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path, "utf-8")
    return root


def read(root: Path) -> sources.Sources:
    """Return the sources in the folder `app`."""
    with open_folder(str(root)) as submission:
        return sources_in(submission, "app")


def test_a_service_is_all_files_of_its_folder_without_links_packages_and_hidden_ones(
    tmp_path: Path,
) -> None:
    secret = written(tmp_path / "host", "secret")
    left = ("app/node_modules/evil/index.js", "app/.env", "app/.git/config", "other/a.js")
    root = written(tmp_path / "work", "app/src/a.js", "app/b c.json", *left)
    (root / "app/link.js").symlink_to(secret / "secret")
    (root / "app/folder").symlink_to(secret)
    os.mkfifo(root / "app/pipe")
    found = read(root)

    assert found.files == {"b c.json": b"app/b c.json", "src/a.js": b"app/src/a.js"}
    assert set(found.left_out) == {"app/link.js", "app/folder"}


def test_a_file_takes_the_place_of_a_folder_of_the_course_and_the_reverse() -> None:
    base = dict.fromkeys(("a/b.js", "a/c/d.js", "e.js", "f.js"), b"course")
    files = {"a/c": b"work", "e.js/g.js": b"work", "f.js": b"work"}

    assert laid_over(base, files) == {"a/b.js": b"course", **files}


def test_no_sources_are_none(tmp_path: Path) -> None:
    assert read(tmp_path) == ({}, {})
    assert shipped(str(tmp_path), "app") == {}


def test_the_sandbox_is_taken_as_it_was_archived_whatever_is_in_it_now() -> None:
    files = shipped("", "sandbox")

    assert b"health" not in files["src/app.js"]
    assert {"package.json", "package-lock.json", "src/server.js"} < set(files)


@pytest.mark.parametrize(("bound", "what"), [("MAX_FILES", 2), ("MAX_TOTAL", 20)])
def test_more_than_a_service_needs_is_for_a_person_to_look_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str, what: int
) -> None:
    monkeypatch.setattr(sources, bound, what)
    written(tmp_path, "app/a.js", "app/b.js", "app/c.js")
    with pytest.raises(Unresolved, match='"app" is too large to be run: more than'):
        read(tmp_path)


class Doubling:
    """A commit whose folders have the same folder twice: few objects, and paths without end."""

    asked = 0

    def read(self, path: str) -> bytes:
        raise AssertionError(path)

    def is_file(self, path: str) -> bool:
        return path.endswith(".js")

    def names(self, path: str) -> list[str]:  # noqa: ARG002  # the interface's
        self.asked += 1
        assert self.asked < 20_000

        return ["a", "b"]


def test_folders_without_end_are_for_a_person_to_look_at() -> None:
    with pytest.raises(Unresolved, match='"app" is too large to be run: more than 5,000 folders'):
        sources_in(Doubling(), "app")


def test_a_file_that_is_too_large_is_for_a_person_to_look_at(tmp_path: Path) -> None:
    written(tmp_path, "app/a.js")
    (tmp_path / "app/b.js").write_bytes(bytes((1 << 20) + 1))
    with pytest.raises(Unresolved, match=r'"app/b\.js" cannot be run: it is'):
        read(tmp_path)


def test_sources_are_packed_with_any_name() -> None:
    files = {"a": b"1", "b/ü \n": b"", "-x" * 90: b"22"}
    with tarfile.open(fileobj=io.BytesIO(packed(files, "app"))) as archive:
        found = {member.name: member.size for member in archive.getmembers()}

    assert found == {f"app/{path}": len(data) for path, data in files.items()}
