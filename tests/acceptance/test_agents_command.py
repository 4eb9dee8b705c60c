"""`pipeline agents export` and `pipeline agents lint`, as people and scripts run them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.agents.clients import CLIENTS
from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Completed, Run

AGENTS = (
    *("x-planner", "x-subplanner", "x-worker", "x-worker-fast"),
    *("x-reviewer", "x-reviewer-fast", "x-git"),
)
SKILL = "x-pipeline-artifact-io/SKILL.md"


@pytest.fixture
def agents(run: Run) -> Run:
    """Return a function that runs the command with words."""
    env = {"PYTHONPATH": ROOT, "COLUMNS": "100"}
    return lambda *words, **more: run("-m", "pipeline", "agents", *words, env=env, **more)


def exported(agents: Run, folder: Path, client: str = "claude") -> Completed:
    return agents("export", "--ide", client, "--to", str(folder))


def test_an_export_says_what_it_wrote_and_what_comes_next(agents: Run, tmp_path: Path) -> None:
    done = exported(agents, tmp_path / "new")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        *(f"wrote .claude/agents/{name}.md" for name in AGENTS),
        "wrote CLAUDE.md",
        f"wrote .claude/skills/{SKILL}",
        "next: Restart claude (it reads agents when it starts), or run `claude --agent x-planner`",
    ]


def test_all_clients_fit_into_one_folder(agents: Run, tmp_path: Path) -> None:
    codes = [exported(agents, tmp_path, client).returncode for client in CLIENTS]
    done = agents("lint", str(tmp_path))

    assert codes == [0] * len(CLIENTS)
    assert (done.returncode, done.stdout) == (0, "61 definitions, no problems\n")


def test_files_of_the_user_stop_the_export_and_all_are_named(agents: Run, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("mine\n")
    (tmp_path / ".claude" / "agents").mkdir(parents=True)
    (tmp_path / ".claude" / "agents" / "x-git.md").write_text("mine\n")
    done = exported(agents, tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        ".claude/agents/x-git.md: exists with different content",
        "CLAUDE.md: lacks the pack's current section",
        (
            "nothing was written: use --force, which overwrites only files that have different "
            "content (in a shared file, only the pack's section or hooks), or move these files away"
        ),
    ]
    assert sorted(p.name for p in tmp_path.rglob("*") if p.is_file()) == ["CLAUDE.md", "x-git.md"]


def test_a_problem_is_a_line_with_its_place(agents: Run, tmp_path: Path) -> None:
    folder = tmp_path / ".opencode" / "agents"
    folder.mkdir(parents=True)
    (folder / "x-a.md").write_text("---\ndescription: a\ntools: Read, Write\n---\nBody\n")
    (folder / "x-b.md").write_text("---\ndescription: a\n---\nBody\n")
    whole, here = agents("lint", str(tmp_path)), agents("lint", cwd=str(tmp_path))

    problem = (
        ".opencode/agents/x-a.md:3:8: $.tools: value of the wrong type (expected a map from a "
        "tool's name to true or false; with a text or a list opencode does not start, found "
        '"Read, Write"). To do: Write the tools as a map, such as `tools: {write: false}`.\n'
        "2 definitions, 1 with problems\n"
    )
    assert (here.returncode, here.stdout, here.stderr) == (1, problem, "")
    assert (whole.returncode, whole.stdout) == (1, f"{tmp_path}/{problem}")


def test_a_folder_without_definitions_is_nothing_to_lint(agents: Run, tmp_path: Path) -> None:
    done = agents("lint", str(tmp_path))
    expected = "the folder of a project, with files such as .cursor/agents/x-planner.md"
    known = f"contains no definitions (expected {expected})"

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"pipeline agents: {tmp_path}: {known}\n"


@pytest.mark.parametrize(
    "words", [("lint", "README.md"), ("export", "--ide", "claude", "--to", "README.md")]
)
def test_what_is_no_folder_is_reported_in_one_line(agents: Run, words: tuple[str, ...]) -> None:
    done = agents(*words)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("pipeline agents: README.md: is not a folder")
    assert len(done.stderr.splitlines()) == 1
