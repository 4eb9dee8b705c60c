"""Services are started in a jail, asked from outside, and ended with all that they started."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import psutil
import pytest

from pipeline.jail import Limits
from tests.jails import needs_jail
from tests.unit.verify.running.conftest import ANSWER, GET
from verify.acceptance.service import NoAnswer
from verify.grading.model import CONTAINER, JAIL, TRUSTED
from verify.running import service
from verify.running.service import BrokenRun, NotStarted

if TYPE_CHECKING:
    from collections.abc import Callable

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


def test_nothing_is_left_of_a_service_once_it_is_closed(started: Callable[..., Starter]) -> None:
    starter = started(
        ANSWER + "\nimport('node:child_process').then(c => c.spawn('sleep', ['98765']));"
    )
    body(starter)
    starter.close()
    words = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]

    assert not os.path.exists(starter.sockets)
    assert ["sleep", "98765"] not in words


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


def test_a_limit_that_a_service_exceeds_is_named(
    started: Callable[..., Starter], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "STARTING", 1)
    monkeypatch.setattr(service, "LIMITS", Limits(memory=200 << 20, cpu_seconds=1))
    fills = "const all = []; setInterval(() => all.push(Buffer.alloc(50 << 20, 1)), 10);"
    slow, large = refusal(started(SLEEPS)), refusal(started(fills))
    monkeypatch.setattr(service, "STARTING", 30)
    busy = refusal(started("console.error('Error: all is well'); for (;;);"))

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
