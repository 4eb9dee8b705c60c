"""A job asks for exercises by their own names and is under today's rules; a signal is noted."""

from __future__ import annotations

import os
import signal

import pytest

from verify.batch.job import Job, prepared, with_rules
from verify.batch.run import interrupts
from verify.course.catalog import UnknownExercise


def test_rules_are_the_same_for_the_same_job_and_others_for_any_other() -> None:
    job = Job(("foundation/01", "expert/04"), ())
    again = with_rules(job)
    others = {
        with_rules(changed).rules[0]
        for changed in (
            job._replace(strict=True),
            job._replace(issue="ISSUE-9"),
            job._replace(target="app"),
        )
    }

    assert again == with_rules(again)
    assert [len(digest) for digest in again.rules] == [64, 64]
    assert len({*again.rules, *others}) == 5


def test_what_does_not_apply_to_an_exercise_is_refused() -> None:
    with pytest.raises(UnknownExercise):
        prepared(with_rules(Job(("expert/01",), (), issue="ISSUE-7")))


@pytest.fixture
def _heard() -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a script runs the tests behind it
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.skipif(os.name != "posix", reason="the signals are POSIX's")
@pytest.mark.usefixtures("_heard")
def test_whoever_sits_at_a_terminal_is_answered_at_once() -> None:
    terminal, stderr = os.openpty()
    before = os.dup(2)
    os.dup2(stderr, 2)
    try:
        with interrupts() as interrupted:
            os.kill(os.getpid(), signal.SIGTERM)
            code = interrupted()
    finally:
        os.dup2(before, 2)
        os.close(before)
        os.close(stderr)
    message = os.read(terminal, 1_000)
    os.close(terminal)

    assert (code, message) == (
        143,
        b"\r\nverify: stopping; press Ctrl-C again to stop at once\r\n",
    )
