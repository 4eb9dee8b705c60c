"""Services are started in a jail, asked from outside, and ended with all that they started."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import time
from typing import TYPE_CHECKING

import psutil
import pytest

from pipeline.jail import JailLimits
from tests.jails import needs_jail
from tests.unit.verify.running.conftest import ANSWER, GET
from verify.acceptance.service import NoAnswer
from verify.grading.ways import CONTAINER, JAIL, TRUSTED, BrokenRun
from verify.running.service import Bounds, NotStarted

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.running.service import Starter

pytestmark = needs_jail
SLEEPS = "setInterval(() => {}, 1000);"
CRASHES = "\nimport('./missing.mjs');\n"


def body(starter: Starter, times: int = 1) -> str:
    """Return what a service answers last, of so many requests."""
    with starter({"WORD": "new"}) as running:
        return [running.send(GET) for _ in range(times)][-1].body.decode()


def refusal(starter: Starter) -> NotStarted:
    """Return how a service does not start."""
    with pytest.raises(NotStarted) as caught, starter({}) as running:
        running.send(GET)
    return caught.value


@pytest.mark.parametrize("way", [JAIL, CONTAINER, TRUSTED])
def test_a_service_answers_and_each_start_of_it_is_a_fresh_one(
    started: Callable[..., Starter], way: str
) -> None:
    starter = started(ANSWER, way)

    assert [body(starter, 3), body(starter)] == ["3 127.0.0.1 new", "1 127.0.0.1 new"]


def test_a_service_is_reached_wherever_temporary_files_are(
    started: Callable[..., Starter], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("a" * 120)
    deep.mkdir()
    monkeypatch.setenv("TMPDIR", str(deep))

    assert [body(started(ANSWER, way)) for way in (JAIL, TRUSTED)] == ["1 127.0.0.1 new"] * 2


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="of root only")
def test_k1_a_service_in_a_container_of_root_s_cannot_write_what_root_reports(
    started: Callable[..., Starter], monkeypatch: pytest.MonkeyPatch
) -> None:
    says = ANSWER.replace("${count}", "${process.getuid()} ${process.getgroups()} ${written}")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as above:
        monkeypatch.setenv("TMPDIR", above)
        results = os.path.join(above, "results.json")
        starter = started(
            f"""
import {{ writeFileSync }} from 'node:fs';
let written = 'forged';
try {{ writeFileSync({results!r}, 'forged'); }} catch (error) {{ written = error.code; }}
{says}""",
            CONTAINER,
        )
        os.chmod(above, 0o711)  # noqa: S103  # as /tmp is to a container's other users
        reached = body(starter)
        os.chmod(above, 0o700)
        as_ever = body(starter)
        written = os.listdir(above)

    assert reached == "65534 65534 EACCES 127.0.0.1 new"
    assert as_ever.split()[0] == "0"
    assert written == ["results.json"]


def commands() -> list[list[str]]:
    """Return the command of each process of this machine."""
    return [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]


@pytest.mark.parametrize("way", [JAIL, CONTAINER])
def test_nothing_is_left_of_a_service_once_it_has_ended(
    started: Callable[..., Starter], tmp_path: Path, way: str
) -> None:
    words = ["sleep", str(random.randrange(10**6, 10**7))]  # noqa: S311
    daemon = f"""
import {{ spawn }} from 'node:child_process';
spawn('sh', ['-c', 'setsid {" ".join(words)} &'], {{ stdio: ['ignore', 'ignore', 'inherit'] }});
"""
    starter = started(daemon + ANSWER, way)
    with starter({}) as running:
        running.send(GET)
        while words not in commands():
            time.sleep(0.05)
        files = os.listdir(tmp_path)

    assert len(files) == (way == CONTAINER)  # so that a run that is killed leaves nothing of a jail
    assert words not in commands()
    assert os.listdir(tmp_path) == []


def test_what_keeps_a_service_from_starting_is_said_with_its_place(
    started: Callable[..., Starter],
) -> None:
    missing = refusal(started("\nimport './missing.mjs';\n"))
    wrong = refusal(started("const one = 1;\n\none.two.three();\n" + ANSWER))
    silent = refusal(started("process.exit(0);"))

    assert str(missing).startswith("Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/work/app/")
    assert (str(wrong), wrong.path, wrong.line) == (
        "TypeError: Cannot read properties of undefined (reading 'three')",
        "app/main.mjs",
        3,
    )
    assert (str(silent), silent.path, silent.line) == ("the service ended (exit code 0)", "", 0)


def test_a_service_that_ends_while_it_is_asked_gives_no_answer(
    started: Callable[..., Starter],
) -> None:
    starter = started(ANSWER.replace("count += 1;", "if (++count > 1) process.kill(0, 9);"))
    with starter({}) as running:
        running.send(GET)
        with pytest.raises(NoAnswer, match=r"^the service ended \(SIGKILL\)$"):
            running.send(GET)


def test_a_limit_that_a_service_exceeds_is_named(started: Callable[..., Starter]) -> None:
    bounds = Bounds(starting=60, limits=JailLimits(memory=200 << 20, cpu_seconds=1))
    fills = "const all = []; setInterval(() => all.push(Buffer.alloc(50 << 20, 1)), 10);"
    slow = refusal(started(SLEEPS, bounds=Bounds(starting=1)))
    large = refusal(started(fills, bounds=bounds._replace(limits=JailLimits(memory=200 << 20))))
    busy = refusal(started("console.error('Error: all is well'); for (;;);", bounds=bounds))

    assert [str(error) for error in (slow, large, busy)] == [
        "it took more than 1 s for an answer (the limit)",
        "it took more than 200 MiB of memory (the limit)",
        "it took more than 1 s of CPU time (the limit)",
    ]
    assert [error.is_limit for error in (slow, large, busy)] == [True, True, True]


def test_what_is_our_fault_is_none_of_the_service(
    started: Callable[..., Starter], monkeypatch: pytest.MonkeyPatch
) -> None:
    starter = started(ANSWER)
    nowhere = starter.project._replace(command=("nowhere", "main.mjs"))
    monkeypatch.setattr(starter, "project", nowhere)
    with pytest.raises(BrokenRun), starter({}) as running:
        running.send(GET)
    node = shutil.which("node")
    monkeypatch.setattr(starter, "packed", b"no archive" * 1_000)
    with pytest.raises(BrokenRun, match="tar"), starter({}) as running:
        running.send(GET)

    assert node is not None
