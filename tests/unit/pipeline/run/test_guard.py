"""What a turn changed in the repository is seen."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipeline.git import Repository
from pipeline.run import guard

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.pipeline.run.conftest import Bench


def changes(bench: Bench, act: Callable[[Path], object]) -> list[str]:
    """Return the paths that change when a function acts on the repository."""
    repository = Repository(str(bench.root))
    before = guard.take(repository, "app", issue="ISSUE-7")
    act(bench.root)
    return guard.changed(before, guard.take(repository, "app", issue="ISSUE-7"))


def written(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_nothing_has_changed_where_nothing_was_done(bench: Bench) -> None:
    written(bench.root / "app" / "dirty.txt", "before")

    assert changes(bench, lambda root: list(root.iterdir())) == []


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (lambda root: written(root / "app/src/main.js", "// 2\n"), ["app/src/main.js"]),
        (lambda root: (root / "README.md").unlink(), ["README.md"]),
        (lambda root: (root / "README.md").chmod(0o755), ["README.md"]),
        (lambda root: (root / "app/link").symlink_to("/etc/passwd"), ["app/link"]),
        (
            lambda root: written(root / "app/.pipeline/ISSUE-8/plan.json", "{}"),
            ["app/.pipeline/ISSUE-8/plan.json"],
        ),
        (lambda root: written(root / "app/.pipeline/ISSUE-7/run.json", "{}"), []),
        (lambda root: written(root / "app/.pipeline/ISSUE-7/dispatch.jsonl", "{}"), []),
        *(
            (lambda root, path=path: written(root / path, "{}"), [path])
            for path in (
                "app/.pipeline/ISSUE-8/run.json",
                "app/.pipeline/ISSUE-8/dispatch.jsonl",
                "app/.pipeline/ISSUE-8/a/b/c.json",
                "app/.pipeline/forge/pulls/1.md",
                "app/x/.pipeline/forge/pulls/1.md",
                "x/.pipeline/ISSUE-7/run.json",
            )
        ),
        (lambda root: written(root / ".pipeline/forge/pulls/1.md", ""), []),
        (lambda root: written(root / ".git/hooks/pre-commit", "x"), []),
        (lambda root: written(root / ".git/info/exclude", "/app/x\n"), []),
        (lambda root: written(root / 'app/a "b"\n\u00e9.js', ""), ['app/a "b"\n\u00e9.js']),
    ],
)
def test_a_change_is_seen(bench: Bench, act: Callable[[Path], object], expected: list[str]) -> None:
    assert changes(bench, act) == expected


def test_a_change_of_an_uncommitted_file_is_seen_though_its_status_stays(bench: Bench) -> None:
    written(bench.root / "app" / "dirty.txt", "before")

    assert changes(bench, lambda root: written(root / "app/dirty.txt", "after!")) == [
        "app/dirty.txt"
    ]


def test_artifacts_are_seen_where_git_ignores_them(bench: Bench) -> None:
    written(bench.root / ".gitignore", ".pipeline/\n")

    assert changes(bench, lambda root: written(root / "app/.pipeline/A-1/plan.json", "")) == [
        "app/.pipeline/A-1/plan.json"
    ]


def test_p3_a_new_folder_that_hides_itself_is_seen_unless_a_tool_makes_it(bench: Bench) -> None:
    written(bench.root / ".gitignore", "dist/\n")

    def hides(root: Path) -> None:
        written(root / "app/hidden/.gitignore", "*\n")
        written(root / "app/hidden/x.js", "x")
        written(root / "app/.pytest_cache/.gitignore", "*\n")
        written(root / "app/.venv/lib/.gitignore", "*\n")
        written(root / "dist/.gitignore", "*\n")

    assert changes(bench, hides) == ["app/hidden/.gitignore", "app/hidden/x.js"]


def test_a_commit_that_replaces_another_hides_nothing(bench: Bench) -> None:
    def hides(root: Path) -> None:
        written(root / "README.md", "another text")
        bench.git("add", "README.md")
        other = bench.git("commit-tree", bench.git("write-tree"), "-m", "chore: x")
        bench.git("replace", "HEAD", other)

    assert changes(bench, hides) == ["README.md"]


def test_a_folder_of_artifacts_that_becomes_a_link_is_seen_though_ignored(bench: Bench) -> None:
    written(bench.root / ".gitignore", ".pipeline\n")
    written(bench.folder / "plan.json", "{}")

    def links(root: Path) -> None:
        (root / "app/.pipeline").rename(root.parent / "elsewhere")
        (root / "app/.pipeline").symlink_to(root.parent / "elsewhere")

    assert changes(bench, links) == ["app/.pipeline", "app/.pipeline/ISSUE-7/plan.json"]


def test_a_large_file_whose_times_are_set_back_is_seen(bench: Bench) -> None:
    large = bench.root / "app" / "large.bin"
    large.write_bytes(b"\0" * (2 << 20))
    times = large.stat()

    def sets_back(root: Path) -> None:
        with (root / "app/large.bin").open("r+b") as file:
            file.write(b"1")
        os.utime(large, ns=(times.st_atime_ns, times.st_mtime_ns))

    assert changes(bench, sets_back) == ["app/large.bin"]
