"""A run that is stopped at any moment, also in a slow hook, continues and repeats nothing."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.jails import needs_jail
from tests.stubs.benches import PROMPT, RUN, TESTED, Bench
from tests.stubs.repositories import write_hook

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.acceptance.conftest import Environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

PROGRAM = Path(__file__).parents[1] / "stubs" / "lesson_client.py"
CLIENT = shlex.join([sys.executable, str(PROGRAM)])
ACP = ("run", PROMPT, *TESTED, "--driver", "acp", "--client", "gemini", "--client-command", CLIENT)
SLOW = "sleep 2\n"
EVENTS = 17  # of a run, with those of its end

Outcome = tuple[list[str], str, int, list[str]]


class Stopped(Bench):
    """A repository in which a run is stopped and started again."""

    def begin(self, words: tuple[str, ...]) -> subprocess.Popen[str]:
        """Start a run in its own session."""
        return subprocess.Popen(
            [sys.executable, "-m", "pipeline", *words, "--json"],
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def in_hook(self) -> bool:
        """Return whether the slow hook has begun."""
        return "sleep 2 " in self.processes()

    def processes(self) -> list[str]:
        """Return the commands of the processes that work in the repository."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if str((place / "cwd").resolve()).startswith(str(self.root)):
                    found.append((place / "cmdline").read_text().replace("\0", " "))
        return found

    def outcome(self) -> Outcome:
        """Return the branches, the number of commits on the issue's, the pages, and what runs."""
        branches = self.git("branch", "--format=%(refname:short)").split()
        pages = sorted((self.root / ".pipeline" / "forge" / "pulls").glob("*.md"))
        count = self.git("rev-list", "--count", "--all", "^main")
        return branches, count, len(pages), self.processes()


DONE: Outcome = (["feature/issue-202-page-through-the-list", "main"], "1", 1, [])


@pytest.fixture
def stopped(tmp_path: Path, environment: Environment) -> Stopped:
    """Return the committed repository."""
    return Stopped(tmp_path / "repository", environment())


def completed(output: str) -> list[str]:
    """Return the stages whose turn has ended, as the events say."""
    found = (json.loads(line) for line in output.splitlines() if line.endswith("}"))
    return [event["stage"] for event in found if event["event"] == "done"]


def event_of(output: str) -> dict[str, str]:
    """Return the last event of a run that was stopped, empty without one."""
    whole = [line for line in output.splitlines() if line.endswith("}")]
    found: dict[str, str] = json.loads(whole[-1]) if whole else {}
    return found


def after(process: subprocess.Popen[str], events: int, seconds: float, how: signal.Signals) -> str:
    """Stop a run after so many of its events and a moment, and return its output."""
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(events)]
    time.sleep(seconds)
    process.send_signal(how)
    return "".join([*lines, process.stdout.read()])


def dispatched(output: str) -> list[str]:
    """Return the stages for which an agent was asked."""
    found = (json.loads(line) for line in output.splitlines() if line.endswith("}"))
    return [event["stage"] for event in found if event["event"] == "dispatched"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_p5_a_run_that_is_stopped_in_a_slow_commit_hook_is_not_stuck(
    stopped: Stopped, number: signal.Signals
) -> None:
    write_hook(stopped.root / ".git", "pre-commit", SLOW)
    with stopped.begin(RUN) as process:
        while not stopped.in_hook():
            time.sleep(0.02)
        process.send_signal(number)
        _, said = process.communicate()
    left = stopped.processes()

    again = stopped.pipeline(*RUN, "--json")

    if number == signal.SIGTERM:
        assert (process.returncode, said, left) == (130, "interrupted\n", [])
    assert (again.returncode, again.stderr, dispatched(again.stdout)) == (0, "", [])
    assert stopped.outcome() == DONE


@pytest.mark.slow
def test_p5_the_commit_of_a_run_that_was_killed_is_recognised_when_it_has_landed(
    stopped: Stopped,
) -> None:
    write_hook(stopped.root / ".git", "pre-commit", SLOW)
    with stopped.begin((*RUN, "--no-jail")) as process:  # a jail ends with the run
        while not stopped.in_hook():
            time.sleep(0.02)
        process.kill()
        process.communicate()
    while stopped.processes():
        time.sleep(0.05)
    landed = stopped.git("rev-list", "--count", "--all", "^main")

    again = stopped.pipeline(*RUN, "--no-jail", "--json")

    assert (landed, again.returncode, dispatched(again.stdout)) == ("1", 0, [])
    assert stopped.outcome() == DONE


@pytest.mark.figure
def test_p5_a_run_stopped_at_random_moments_makes_one_of_each_and_pays_nothing_twice(
    tmp_path: Path, environment: Environment, how_many: Callable[[int, int], int]
) -> None:
    count = how_many(2, 60)
    bad, early, stages = [], 0, Counter[str]()
    for number in range(count):
        chance = random.Random(number)  # noqa: S311  # a moment, no secret
        driver, is_slow = (RUN, ACP)[number % 2], number // 2 % 2 == 1
        how = (signal.SIGKILL, signal.SIGTERM)[number // 4 % 2]
        stopped = Stopped(tmp_path / str(number) / "repository", environment())
        if is_slow:
            write_hook(stopped.root / ".git", "pre-commit", SLOW)
        moment = chance.randrange(EVENTS), chance.uniform(0, 2 if is_slow else 0.4)
        with stopped.begin(driver) as process:
            output = after(process, *moment, how)
        early += process.returncode != 0
        stages[event_of(output).get("stage", "before")] += 1
        again = stopped.pipeline(*driver, "--json")
        twice = {*completed(output)} & {*dispatched(again.stdout)}
        if again.returncode or stopped.outcome() != DONE or twice:
            bad.append((number, how, moment, again.stdout, again.stderr, twice))
    where = ", ".join(f"{stages[stage]} in {stage}" for stage in stages)
    print(f"\n{count} runs, {early} stopped before their end ({where}), {len(bad)} bad")

    assert bad == []
    assert early >= count // 2


@pytest.mark.slow
@pytest.mark.figure
@needs_jail
def test_p2_a_run_that_is_killed_in_a_jail_leaves_no_process_no_mount_and_no_folder(
    tmp_path: Path, environment: Environment, how_many: Callable[[int, int], int]
) -> None:
    count = how_many(2, 20)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    mounts = Path("/proc/self/mountinfo").read_text("ascii")
    left, early = [], 0
    for number in range(count):
        stopped = Stopped(tmp_path / str(number) / "repository", environment())
        stopped.environment["TMPDIR"] = str(scratch)
        if number % 2:
            write_hook(stopped.root / ".git", "pre-commit", SLOW)
        with stopped.begin((RUN, ACP)[number // 2 % 2]) as process:
            time.sleep(random.Random(number).uniform(0.2, 3.0))  # noqa: S311  # a moment, no secret
            process.kill()
            process.communicate()
        early += process.returncode != 0
        end = time.monotonic() + 5
        while stopped.processes() and time.monotonic() < end:
            time.sleep(0.05)
        left += stopped.processes()
        for folder in scratch.glob("*/"):
            os.utime(folder, (0, 0))  # as a later run finds it
        again = stopped.pipeline(*(RUN, ACP)[number // 2 % 2])
        assert (again.returncode, stopped.outcome()) == (0, DONE)
    print(f"\n{count} runs, {early} of them killed before their end, left: {left}")

    assert left == [str(path) for path in scratch.glob("*/")] == []
    assert Path("/proc/self/mountinfo").read_text("ascii") == mounts
