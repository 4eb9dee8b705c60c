"""What differs between two gradings of the same submission is named, and what makes it differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.batch.flaky import BY_ITSELF, GradingFailed, differences, other_locale
from verify.batch.kernel import options_of
from verify.batch.rules import digest_of
from verify.batch.work import Batch, Item, Job

if TYPE_CHECKING:
    from pathlib import Path

    from verify.batch.flaky import Plan

EXERCISE = """\
import datetime, locale, os, random, time

from verify.model import Check, Exercise
from verify.verdicts import PASSED, Finding, failed

seen = []


def steady(_):
    return PASSED


def by_hash(_):
    return failed(Finding(" ".join({"alpha", "beta", "gamma", "delta", "epsilon"})))


def by_locale(_):
    return failed(Finding(locale.setlocale(locale.LC_ALL, "")))


def by_zone(_):
    zone = time.strftime("%z")
    return failed(Finding("early")) if zone == "+1400" else PASSED


def by_folder(_):
    return failed(Finding(os.getcwd()))


def by_order(attempt):
    seen.append(attempt.submission.root)
    return failed(Finding(seen[0]))


def by_chance(_):
    return failed(Finding(str(time.time_ns())))


def check(number, run):
    return Check(code=f"C01.{number}", title=run.__name__, run=run, hint="-")


EXERCISE = Exercise(
    level="chance",
    number=1,
    slug="dice",
    title="Dice",
    kind="dice",
    target=None,
    checks=tuple(check(n, run) for n, run in enumerate(CHECKS, start=1)),
)
"""


def plan(root: Path, *checks: str, raising: str = "") -> Plan:
    """Return a course with these checks, to be graded on two submissions, `ada` and `bob`."""
    file = root / "course" / "exercises" / "chance" / "ex01_dice.py"
    file.parent.mkdir(parents=True)
    file.write_text(raising + EXERCISE.replace("CHECKS", f"[{', '.join(checks)}]"))
    for name in ("ada", "bob"):
        (root / "work" / name).mkdir(parents=True)
    course = str(root / "course")
    job = Job(("chance/01",), (), course)
    job = job._replace(rules=(digest_of("chance/01", options_of(job), course),))
    return job, (Batch("folder", str(root / "work"), (Item(7, "ada"), Item(9, "bob"))),)


def test_each_circumstance_that_makes_a_difference_is_named(tmp_path: Path) -> None:
    everything = plan(
        tmp_path,
        *("steady", "by_hash", "by_locale", "by_zone", "by_folder", "by_order", "by_chance"),
    )

    found = differences([everything], times=3)

    assert [(each.item, each.check, each.because) for each in found] == [
        (item, check, because)
        for item in (7, 9)
        for check, because in (
            (1, ("hash seed",)),
            (2, ("locale",)),
            (3, ("time zone",)),
            (4, ("working directory",)),
            (5, ("order of submissions",)),
            (6, BY_ITSELF),
        )
    ]
    assert (found[2].first, found[2].second) == ("fail: early", "pass")
    assert (found[4].first, found[4].second) == ("fail: ada", "fail: bob")
    assert (found[1].first, found[1].second) == ("fail: C.UTF-8", f"fail: {other_locale()}")


def test_what_is_the_same_each_time_is_not_told(tmp_path: Path) -> None:
    assert differences([plan(tmp_path, "steady")]) == []


def test_a_process_that_ends_without_results_is_the_harness_s_fault(tmp_path: Path) -> None:
    dying = "import os\nif os.environ.get('TZ') == '<-12>+12':\n    os._exit(7)\n"
    broken = plan(tmp_path, "steady", raising=dying)

    with pytest.raises(GradingFailed) as failure:
        differences([broken])

    assert str(failure.value) == "a process that grades ended with 7"


def test_what_a_check_prints_does_not_get_among_the_results(tmp_path: Path) -> None:
    talking = plan(tmp_path, "steady", raising="print('hello')\n")

    assert differences([talking]) == []
