"""`pipeline run`, as a person starts it: to a pull request, after kills, and with bad input."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.cli import main
from tests.acceptance.conftest import environment_of
from tests.stubs.benches import PROMPT, RUN, Bench

if TYPE_CHECKING:
    from tests.acceptance.conftest import Completed, Environment, PathOf, Run

BRANCH = "feature/issue-202-page-through-the-list"
EVENTS = 18  # that a run of ISSUE-202 tells, from `begun` to `ended`
QUICK = (11, "post-commit")  # the other moments of a kill are left to .ci/run
# each third event; what is killed at random moments (test_stopping.py) comes upon the others
MOMENTS = [
    moment if moment in QUICK else pytest.param(moment, marks=pytest.mark.slow)
    for moment in (*range(2, EVENTS + 1, 3), "pre-commit", "post-commit", "pre-push")
]


class Project(Bench):
    """A repository in which ISSUE-202 is run, and what came of it."""

    def outcome(self) -> tuple[list[str], int, list[str], list[str]]:
        """Return what a run left: branches, commits beside the first, requests, artifacts."""
        pulls = self.root / ".pipeline" / "forge" / "pulls"
        return (
            self.git("branch", "--format=%(refname:short)").split(),
            int(self.git("rev-list", "--count", "--all")) - 1,
            sorted(path.name for path in pulls.glob("*.md")),
            sorted(path.name for path in (self.root / ".pipeline" / "ISSUE-202").iterdir()),
        )


DONE = (
    [BRANCH, "main"],
    1,
    ["1-issue-202-page-through-the-list.md"],
    [
        "git-result.json",
        "plan.json",
        "review-result.json",
        "test-output.txt",
        "test-result.json",
        "turns.jsonl",
        "worker-result.json",
    ],
)


@pytest.fixture
def project(tmp_path: Path, environment: Environment) -> Project:
    """Return a committed repository that has the course's sandbox."""
    return Project(tmp_path / "repository", environment())


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a repository for runs that are refused, and so change nothing in it."""
    return Project(tmp_path_factory.mktemp("refused") / "repository", environment_of({}))


def events(done: Completed) -> list[tuple[str, str]]:
    """Return what happened in which stage, without progress."""
    message = [json.loads(line) for line in done.stdout.splitlines()]
    return [(e["event"], e.get("stage", "")) for e in message if e["event"] != "progress"]


@pytest.mark.spec("3.1", "3.6", "4.4")
def test_an_issue_becomes_a_pull_request_that_the_course_passes(
    project: Project, run: Run, script: PathOf
) -> None:
    done = project.pipeline(*RUN)

    graded = run(script("practitioner"), "--exercise", "04", "--project", str(project.root))
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert lines[0] == "ISSUE-202: Page through the list of notes"
    assert lines[1].startswith("tier: standard (")
    assert [line.split()[:3] for line in lines[5:10]] == [
        ["+", "plan", "x-subplanner"],
        ["+", "implement", "x-worker"],
        ["+", "test", "runner"],
        ["+", "review", "x-reviewer"],
        ["+", "publish", "x-git"],
    ]
    assert lines[-1] == "The pull request is ready for review."
    assert project.outcome() == DONE
    assert project.artifact("git-result.json")["branch"] == BRANCH
    assert project.git("rev-parse", BRANCH) == project.artifact("git-result.json")["commit_sha"]
    assert graded.returncode == 0, graded.stdout
    assert "14 of 14 points" in graded.stdout


def test_p6_a_run_of_the_lowest_tier_leaves_all_artifacts_and_passes_the_trace(
    project: Project, run: Run, script: PathOf
) -> None:
    prompt = "work on issue ISSUE-102: say which note was not found"
    done = project.pipeline("run", prompt, *RUN[2:], "--tier", "trivial")

    graded = run(script("foundation"), "--exercise", "04", "--project", str(project.root))
    folder = project.root / ".pipeline" / "ISSUE-102"
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in folder.iterdir()) == DONE[3]
    assert graded.returncode == 0, graded.stdout


def works_in(root: Path) -> set[str]:
    """Return the names of the programs that have a folder as their working directory."""
    names = set()
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended since
            if (each / "cwd").resolve() == root:
                names.add((each / "comm").read_text().strip())
    return names


def killed(project: Project, moment: int | str) -> None:
    """Kill a run after so many events, or while a hook of git's runs."""
    hook = project.root / ".git" / "hooks" / str(moment)
    if isinstance(moment, str):
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\nsleep 5\n")
        hook.chmod(0o755)
    with project.started(start_new_session=True) as process:
        assert process.stdout is not None
        if isinstance(moment, int):
            for _ in range(moment):
                process.stdout.readline()
        while isinstance(moment, str) and "sleep" not in works_in(project.root):
            assert process.poll() is None
            time.sleep(0.02)
        process.kill()
        process.communicate()
    while works_in(project.root) - {"sleep"} or (moment != "pre-push" and works_in(project.root)):
        time.sleep(0.02)  # the agent of the run that was killed ends by itself
    if isinstance(moment, str):
        hook.unlink()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_that_is_killed_at_any_moment_continues_and_does_nothing_twice(
    project: Project, moment: int | str
) -> None:
    killed(project, moment)

    done = project.pipeline(*RUN)

    assert (done.returncode, done.stderr) == (0, "")
    assert project.outcome() == DONE


def test_a_run_tells_its_events_and_the_same_command_once_more_finds_everything_done(
    project: Project,
) -> None:
    done = project.pipeline(*RUN, "--json")
    again = project.pipeline(*RUN, "--json")

    assert len(done.stdout.splitlines()) == EVENTS
    assert events(done) == [
        ("begun", ""),
        ("dispatched", "plan"),
        ("done", "plan"),
        ("dispatched", "implement"),
        ("done", "implement"),
        ("done", "test"),
        ("dispatched", "review"),
        ("done", "review"),
        ("dispatched", "publish"),
        ("done", "publish"),
        ("ended", ""),
    ]
    assert again.returncode == 0
    assert events(again) == [("begun", ""), ("kept", "publish"), ("ended", "")]
    assert project.outcome() == DONE


def test_two_runs_of_an_issue_at_once_are_one(project: Project) -> None:
    both = [project.started() for _ in range(2)]
    said = [process.communicate(timeout=240)[1] for process in both]
    codes = sorted(process.returncode for process in both)

    assert codes in ([0, 0], [0, 2])  # the second waits for nobody: it may come too late to meet
    assert all(not text or "another run of ISSUE-202 is going on" in text for text in said)
    assert project.outcome() == DONE


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("fix ISSUE-7",),
            'the prompt "fix ISSUE-7" does not start a run (expected "work on issue',
        ),
        ((PROMPT, "--issue-file", "no.md"), "no.md: does not exist"),
        ((PROMPT, "--seconds", "0"), "--seconds 0: expected 1 to 86400"),
        ((PROMPT, "--rounds", "-1"), "--rounds -1: expected 0 to 20"),
        ((PROMPT, "--rounds", "few"), 'argument --rounds: expected 0 to 20, found "few"'),
        ((PROMPT, "--client-command", "agent"), "--client is missing: expected one of cursor"),
        ((*RUN[1:], "--base", "nowhere"), 'ISSUE-202 stopped: the base "nowhere" is not a branch'),
        (
            (*RUN[1:], "--model", "x-wroker=a"),
            "--model x-wroker=a: no such role (expected one of x-planner",
        ),
        (
            (PROMPT, "--command", "agent {prompt}", "--model", "a"),
            "--model needs the placeholder {model} in --command",
        ),
    ],
)
def test_bad_input_is_one_line_and_code_2(
    empty: Project, words: tuple[str, ...], line: str
) -> None:
    done = empty.pipeline("run", *words)

    assert done.returncode == 2
    assert done.stderr.startswith(f"pipeline: {line}") or f"pipeline run: {line}" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (empty.root / ".pipeline" / "ISSUE-202" / "plan.json").exists()


def path_with(folder: Path, *clients: str) -> str:
    """Return a PATH with git and programs that end with 3."""
    folder.mkdir()
    (folder / "git").symlink_to(shutil.which("git") or "git")
    for client in clients:
        (folder / client).write_text("#!/bin/sh\nexit 3\n")
        (folder / client).chmod(0o755)
    return str(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="programs of POSIX")
@pytest.mark.parametrize(
    ("clients", "said"),
    [
        ((), ["no agent client is on PATH", "opencode  npm install -g opencode-ai"]),
        (("qwen",), ["client: qwen (qwen); to start it, use --client qwen"]),
        (("qwen", "agent"), ["2 agent clients", "--client cursor    agent", "--client qwen"]),
    ],
)
def test_l3_a_run_without_a_driver_plays_no_recording_but_says_which_clients_there_are(
    project: Project, tmp_path: Path, clients: tuple[str, ...], said: list[str]
) -> None:
    done = project.pipeline("run", PROMPT, PATH=path_with(tmp_path / "bin", *clients))

    assert (done.returncode, done.stdout) == (2, "")
    assert [text for text in said if text not in done.stderr] == []
    assert not (project.root / ".pipeline").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
@pytest.mark.parametrize("answer", ["n", "y"])
def test_on_a_terminal_the_one_client_is_started_after_a_yes(
    project: Project, tmp_path: Path, answer: str
) -> None:
    import pty

    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    done = subprocess.run(
        [sys.executable, "-m", "pipeline", "run", PROMPT],
        cwd=project.root,
        env=project.environment | {"PATH": path_with(tmp_path / "bin", "qwen")},
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        timeout=60,
        check=False,
    )
    said = os.read(ours, 4096).decode()

    assert "found one agent client: qwen (qwen)\r\nStart it? [y/N] " in said
    assert done.stdout.startswith("ISSUE-202: Page" if answer == "y" else "")
    assert (done.returncode, "nothing was started" in said) == (
        (1, False) if answer == "y" else (2, True)
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_a_run_with_one_word_and_it_continues_later(project: Project) -> None:
    with project.started() as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=240)

    assert (process.returncode, said) == (130, "interrupted\n")
    assert project.pipeline(*RUN).returncode == 0
    assert project.outcome() == DONE


def test_a_dry_run_shows_what_would_run_and_starts_and_changes_nothing(project: Project) -> None:
    before = project.git("status", "--porcelain", "--ignored")
    words = (*RUN, "--dry-run", "--worktree", "--test-command", "npm test\x1b[2J")

    text = project.pipeline(*words)
    done = project.pipeline(*words, "--until", "test", "--attempts", "2", "--json")

    preview = json.loads(done.stdout)
    lines = text.stdout.splitlines()
    assert (text.returncode, text.stderr, done.returncode, done.stderr) == (0, "", 0, "")
    assert lines[0] == "ISSUE-202: Page through the list of notes"
    stages = ("plan ", "test ", "publish ")
    assert [line.split()[:2] for line in lines if line.startswith(stages)] == [
        ["plan", "x-subplanner"],
        ["test", "runner"],
        ["publish", "x-git"],
    ]
    assert text.stdout.isascii()
    assert "npm test\\u{1b}[2J" in text.stdout
    assert [row["stage"] for row in preview["stages"]] == ["plan", "implement", "test"]
    assert preview["limits"] == {"seconds": 1800, "attempts": 2, "rounds": 1}
    assert [preview["options"][name]["from"] for name in ("attempts", "rounds")] == [
        "command line",
        "default",
    ]
    assert project.git("status", "--porcelain", "--ignored") == before
    assert not (project.root / ".pipeline").exists()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("--max-minutes", value) for value in ("0", "-1", "nan", "inf", "1e999", "")),
        *(("--max-turns", "0"), ("--max-turns", "9" * 5000), ("--max-tokens", "many")),
        ("--max-tokens", "1" + "0" * 400),
    ],
)
def test_i31_a_limit_that_is_no_number_within_bounds_is_refused_in_one_line(
    empty: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    option: str,
    value: str,
) -> None:
    monkeypatch.chdir(empty.root)
    try:
        code: object = main([*RUN, f"{option}={value}"])
    except SystemExit as ended:
        code = ended.code

    said = capsys.readouterr()
    (line,) = said.err.splitlines()
    assert (code, said.out) == (2, "")
    assert option in line


def test_i31_tokens_are_no_limit_for_a_client_that_does_not_report_them(empty: Project) -> None:
    done = empty.pipeline(*RUN, "--max-tokens", "1000")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "pipeline run: --max-tokens: command does not report tokens "
        "(use --max-turns or --max-minutes)\n"
    )


def test_i31_a_limit_stops_a_run_and_the_same_command_with_a_higher_one_ends_it(
    project: Project,
) -> None:
    stopped = project.pipeline(*RUN, "--max-turns", "2")
    done = project.pipeline(*RUN, "--max-turns", "4")

    assert stopped.returncode == 1
    assert stopped.stderr == (
        "pipeline: ISSUE-202 stopped: --max-turns 2 is reached: the issue has used 2 turns of "
        "agents; to continue, run the same command with a higher limit, such as --max-turns 4\n"
    )
    assert stopped.stdout.splitlines()[-1].startswith("used: 2 turns, ")
    assert (done.returncode, done.stderr) == (0, "")
    assert project.outcome() == DONE
