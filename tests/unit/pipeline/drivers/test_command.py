"""Any program is an agent: its words by a template, its answer on its standard output."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from pipeline.bootstrap import ROOT
from pipeline.drivers import processes
from pipeline.drivers.command import CommandDriver
from pipeline.terminal.fault import Fault
from pipeline.tiers import Selection
from tests.jails import needs_jail
from tests.stubs.repositories import UserRepository
from tests.stubs.scripted_client import ScriptedClient, a_turn, gone, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.drivers.base import Reply


SHOW = "import json, os, sys; print(json.dumps([sys.argv[1:], sys.stdin.read(), os.getcwd()]))"


def template(code: str, *words: str) -> str:
    """Return a template that runs Python code with words."""
    return shlex.join([sys.executable, "-c", code, *words])


def taken(root: Path, text: str, seconds: float = 20, **changes: Any) -> Reply:
    return CommandDriver(text, seconds=seconds).take(
        a_turn(root, **changes), ScriptedClient(root, root).tell
    )


def fault_of(root: Path, text: str, seconds: float = 20, **changes: Any) -> tuple[str, int]:
    with pytest.raises(Fault) as fault:
        taken(root, text, seconds, **changes)
    return str(fault.value), fault.value.code


def test_each_placeholder_is_replaced_within_its_word_and_no_shell_sees_it(root: Path) -> None:
    words = ("{prompt}", "role={role}", "{model}", "{root}/{target}", "{artifact}", '{"a": 1}')
    prompt = "Do it; $(id) `id`\n'\"{role}"
    reply = taken(root, template(SHOW, *words), prompt=prompt, selection=Selection(model="large"))
    seen, given, folder = json.loads(reply.text)

    assert seen == [
        prompt,
        "role=x-worker",
        "large",
        f"{root}/app",
        "app/.pipeline/ISSUE-7/worker-result.json",
        '{"a": 1}',
    ]
    assert (given, folder, reply.model) == ("", str(root), "large")


def test_a_prompt_may_be_read_from_a_file_that_is_there_for_the_turn(root: Path) -> None:
    code = "import sys; print(sys.argv[1]); print(open(sys.argv[1], encoding='utf-8').read())"
    path, text = taken(root, template(code, "{prompt_file}"), prompt="Größer").text.splitlines()

    assert text == "Größer"
    assert not os.path.exists(path)


def test_a_model_that_no_one_has_chosen_is_a_fault_where_the_template_has_one(root: Path) -> None:
    assert fault_of(root, "agent --model {model} {prompt}") == (
        (
            "--command has {model}, but no model is chosen for x-worker: choose one with "
            "--model x-worker=ID, or for every role with --model ID"
        ),
        2,
    )


def test_the_environment_is_the_users_without_the_tokens_of_forges(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GH_TOKEN", "GITLAB_TOKEN", "OF_THE_USER"):
        monkeypatch.setenv(name, "secret")
    code = "import os; print(*sorted(k for k, v in os.environ.items() if v == 'secret'))"

    assert taken(root, template(code)).text == "OF_THE_USER"


def test_a_program_that_fails_is_quoted(root: Path) -> None:
    code = "import sys; print('half'); print('no quota\\x1b[0m', file=sys.stderr); sys.exit(3)"
    message, exit_code = fault_of(root, template(code))

    assert message == (
        f"{sys.executable} failed for x-worker with exit code 3: no quota\\u{{1b}}[0m"
    )
    assert exit_code == 1


@pytest.mark.slow
def test_a_program_that_takes_too_long_ends_with_all_that_it_started(root: Path) -> None:
    code = (
        "import signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], "
        "start_new_session=True); "
        "open('started.pid', 'w').write(str(child.pid)); time.sleep(60)"
    )
    message, exit_code = fault_of(root, template(code), seconds=3)

    assert (message, exit_code) == (
        "x-worker did not finish within 3 seconds; raise the limit with --seconds",
        1,
    )
    assert gone(int((root / "started.pid").read_text()))


def test_a_program_that_writes_without_end_is_stopped(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.jail._FLOOD", 1_000)
    code = "import time; print('x' * 2_000, flush=True); time.sleep(60)"

    assert fault_of(root, template(code)) == (
        "the program for x-worker printed more than 1,000 bytes",
        1,
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "--driver command needs --command, such as --command 'my-agent -p {prompt}'"),
        ("agent 'x", "--command agent 'x cannot be read: no closing quotation"),
        (
            "agent {promt}",
            (
                "--command: unknown placeholder {promt} (expected one of {prompt} {prompt_file} "
                "{role} {model} {root} {target} {artifact})"
            ),
        ),
    ],
)
def test_a_template_that_cannot_be_used_is_reported_at_once(text: str, words: str) -> None:
    with pytest.raises(Fault) as fault:
        CommandDriver(text, seconds=1)

    assert (str(fault.value), fault.value.code) == (words, 2)


@needs_jail
def test_p4_an_agent_ends_with_all_that_it_started_when_the_runner_is_killed(root: Path) -> None:
    UserRepository(root).commit()
    code = (
        "import sys; from pathlib import Path; "
        "from pipeline.drivers.base import Allowed; "
        "from pipeline.drivers.command import CommandDriver; "
        "from tests.stubs.scripted_client import a_turn; "
        "driver = CommandDriver(sys.argv[1], seconds=60, allowed=Allowed()); "
        "driver.take(a_turn(Path(sys.argv[2])), print)"
    )
    sleeps = shlex.join(["sh", "-c", "cd app; setsid sleep 60 & sleep 60"])
    run = subprocess.Popen([sys.executable, "-c", code, sleeps, str(root)], cwd=ROOT)
    wait_for(lambda: len(works_in(root / "app")) == 3)

    run.kill()
    run.wait()

    wait_for(lambda: not works_in(root / "app"))


def works_in(folder: Path) -> list[int]:
    """Return the processes that have a folder as their working directory."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.cwd() == str(folder):
                found.append(process.pid)
    return found


def test_p4_the_next_run_ends_what_an_earlier_one_has_left_of_the_same_issue(root: Path) -> None:
    environment = {**os.environ, **processes.mark(str(root), "ISSUE-7")}
    other = {**os.environ, **processes.mark(str(root), "ISSUE-70")}
    words = [sys.executable, "-c", "import time; time.sleep(60)"]
    left, unrelated = (subprocess.Popen(words, env=each) for each in (environment, other))
    try:
        found = processes.end_leftovers(str(root), "ISSUE-7")

        assert found == [psutil.Process(unrelated.pid).name()]
        assert (left.wait(10), unrelated.poll()) == (-9, None)
        assert processes.end_leftovers(str(root), "ISSUE-7") == []
    finally:
        left.kill()
        unrelated.kill()
        unrelated.wait()
