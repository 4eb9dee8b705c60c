"""Ctrl-C and our own bugs end in one line and a documented exit code, never in a trace."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import PathOf, Run

CRASHING_CHECK = """
import dataclasses
from verify.course import catalog
from verify.learner import check
from verify.learner.request import GradingRequest

def crash(context):
    return {}["lost"]

first = catalog.find("foundation", "01")
checks = (dataclasses.replace(first.checks[0], run=crash), *first.checks[1:])
crashing = dataclasses.replace(first, checks=checks)
catalog.find = lambda *_, **__: crashing
raise SystemExit(check.execute(GradingRequest(level="foundation", number="01")))
"""
CRASHING_HARNESS = """
from verify.learner import check
from verify.learner.request import GradingRequest

def grade(context, *, strict):
    return {}["lost"]

check.grade = grade
raise SystemExit(check.execute(GradingRequest(level="foundation", number="01")))
"""


def log_named_in(stderr: str, logs: Path) -> str:
    match = re.search(r"; the details are in (\S+)\n\Z", stderr)
    assert match is not None
    assert os.path.dirname(match[1]) == str(logs)

    with open(match[1], encoding="utf-8") as file:
        return file.read()


def test_a_check_that_crashes_is_reported_with_the_others_and_a_log(
    run: Run, tmp_path: Path
) -> None:
    done = run("-c", CRASHING_CHECK, env={"TMPDIR": str(tmp_path)})
    log = log_named_in(done.stderr, tmp_path)

    assert "F01.1         ? ERROR    plan.json is in the issue's folder " in done.stdout
    assert "F01.2\N{EN DASH}F01.10  \N{EN DASH} skipped  waits for F01.1 " in done.stdout
    assert done.stderr.startswith(
        "verify: 1 check crashed: this is a bug, not your mistake; the details"
    )
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert log.startswith("Traceback (most recent call last):\n")
    assert log.endswith("KeyError: 'lost'\n")


def test_a_harness_that_crashes_leaves_a_log_and_no_report(run: Run, tmp_path: Path) -> None:
    done = run("-c", CRASHING_HARNESS, env={"TMPDIR": str(tmp_path)})

    assert done.stderr.startswith(
        "verify: verify itself failed (KeyError): this is a bug, not your mistake; "
    )
    assert log_named_in(done.stderr, tmp_path).endswith("KeyError: 'lost'\n")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)


INTERRUPTED_IMPORT = """
import os, signal, sys
from verify.console import main

class Impatient:
    def find_spec(self, name, path=None, target=None):
        if name == %r:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Impatient())
raise SystemExit(main())
"""


@pytest.mark.parametrize("module", ["verify.cli", "pydantic_core"])
def test_ctrl_c_in_the_middle_of_an_import_is_one_word(
    run: Run, fixture: PathOf, module: str
) -> None:
    words = ["check", "foundation/01", "--project", fixture("foundation/01-plan/solved")]
    done = run("-c", INTERRUPTED_IMPORT % module, *words)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
