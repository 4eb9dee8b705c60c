"""Every definition below a folder is found, and nothing that stands there stops the search."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from pipeline.agents.lint import MAX_FILES, MAX_PROBLEMS, lint_trees

if TYPE_CHECKING:
    from pathlib import Path

GOOD = "---\nname: x-a\ndescription: a\n---\nBody\n"


def put(root: Path, path: str, text: str | bytes = GOOD) -> Path:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return place


def found(root: Path) -> dict[str, list[str]]:
    return {
        each.path: [problem.line_for("") for problem in each.problems]
        for each in lint_trees(str(root))
    }


def test_every_place_of_every_client_is_looked_at(tmp_path: Path) -> None:
    places = [
        *(".claude/agents/x-a.md", ".opencode/agent/x-a.md", ".opencode/agents/x-a.md"),
        *(".gemini/agents/x-a.md", ".qwen/agents/x-a.md"),
        *(".github/agents/x-a.md", ".github/agents/x-b.agent.md"),
    ]
    client_folders = ("agents", "claude", "codex", "gemini", "qwen", "github", "opencode")
    skills = [f".{client}/skills/x-a/SKILL.md" for client in client_folders]
    skills += [".opencode/skill/x-a/SKILL.md", ".cursor/skills/x-a/SKILL.md"]
    for path in (*places, *skills):
        put(tmp_path, path)
    put(tmp_path, ".cursor/agents/x-a.md", "---\ndescription: a\nmodel: b\n---\nBody\n")
    put(tmp_path, ".cursor/rules/x-a.mdc", "---\nglobs: *.ts\n---\nBody\n")
    put(tmp_path, ".codex/agents/x-a.toml", "name='a'\ndescription='a'\ndeveloper_instructions='a'")
    others = [".cursor/agents/x-a.md", ".cursor/rules/x-a.mdc", ".codex/agents/x-a.toml"]

    assert found(tmp_path) == {path: [] for path in (*places, *skills, *others)}


def test_what_is_no_definition_is_passed_over(tmp_path: Path) -> None:
    for path in (".claude/agents/.hidden.md", ".claude/agents/notes.txt", ".claude/skills/a.md"):
        put(tmp_path, path)
    put(tmp_path, ".claude/skills/.x/SKILL.md")
    put(tmp_path, ".claude/agents/inner/x-b.md")
    put(tmp_path, "agents/x-a.md")

    assert found(tmp_path) == {}


@pytest.mark.parametrize(
    ("path", "expected"),
    [(".cursor/rules/x-a.md", "x-a.mdc"), (".codex/agents/x-a.md", "x-a.toml")],
)
def test_a_file_that_the_client_passes_over_is_a_problem(
    tmp_path: Path, path: str, expected: str
) -> None:
    put(tmp_path, path)

    assert found(tmp_path) == {
        path: [
            (
                ":1:1: the client passes over a file of this name here "
                f'(expected "{expected}", found "x-a.md")'
            )
        ]
    }


def test_hostile_files_are_one_line_each(tmp_path: Path) -> None:
    agents = ".claude/agents"
    put(tmp_path, f"{agents}/big.md", "a" * 65_537)
    put(tmp_path, f"{agents}/binary.md", b"\xff\x00")
    put(tmp_path, f"{agents}/deep.md", "---\na: " + "[" * 16_000 + "\n---\n")
    put(tmp_path, f"{agents}/lies.md/inner.md")
    os.mkfifo(tmp_path / agents / "pipe.md")
    (tmp_path / agents / "loop.md").symlink_to("loop.md")
    (tmp_path / agents / "nowhere.md").symlink_to("missing.md")
    (tmp_path / agents / "out.md").symlink_to("/etc/passwd")
    start = time.process_time()
    lines = found(tmp_path)

    assert time.process_time() - start < 5
    assert {path.rpartition("/")[2]: each for path, each in lines.items()} == {
        "big.md": [": is larger than 64 KiB, the most that is read"],
        "binary.md": [": this is not UTF-8 text (expected UTF-8)"],
        "deep.md": [
            ':2:19: nested deeper than 16 (expected a flat value, found "'
            + "[" * 98
            + '…"~8169c816)'
        ],
        "lies.md": [": is a folder, not a regular file"],
        "loop.md": [": is a link, not a regular file"],
        "nowhere.md": [": does not exist"],
        "out.md": [": a link leads out of the folder: it is not followed (expected a file)"],
        "pipe.md": [": is a named pipe, not a regular file"],
    }


def test_a_folder_that_is_none_or_leads_away_is_one_line(tmp_path: Path) -> None:
    project = tmp_path / "project"
    put(project, ".claude/agents", "a file")
    put(tmp_path, "other/x-a.md")
    (project / ".qwen").mkdir()
    (project / ".qwen" / "agents").symlink_to(tmp_path / "other")

    assert found(project) == {
        ".claude/agents": [": cannot be listed: not a directory (expected a folder)"],
        ".qwen/agents": [": a link leads out of the folder: it is not followed (expected a file)"],
    }


def test_a_skill_without_its_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / ".agents" / "skills" / "x-a").mkdir(parents=True)

    assert found(tmp_path) == {
        ".agents/skills/x-a/SKILL.md": [
            ': the folder of a skill without its file (expected "SKILL.md")'
        ]
    }


def test_more_files_than_anybody_has_are_not_read(tmp_path: Path) -> None:
    for number in range(MAX_FILES + 1):
        put(tmp_path, f".claude/agents/{number}.md")

    assert found(tmp_path) == {
        ".claude/agents": [
            (
                f": too many files to look at (expected at most {MAX_FILES} files, "
                f"found {MAX_FILES + 1})"
            )
        ]
    }


def test_more_problems_than_anybody_reads_are_counted(tmp_path: Path) -> None:
    keys = "\n".join(f"k{number}: 1" for number in range(MAX_PROBLEMS + 5))
    put(tmp_path, ".gemini/agents/x-a.md", GOOD.replace("\n---\n", f"\n{keys}\n---\n", 1))
    (lines,) = found(tmp_path).values()

    assert len(lines) == MAX_PROBLEMS + 1
    assert lines[-1].endswith("and 5 more problems")
