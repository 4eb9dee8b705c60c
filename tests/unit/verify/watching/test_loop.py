"""A change is graded once and shown as a single run shows it; half a file is waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from pipeline.reading import Unreadable
from verify.model import Report, Result
from verify.submission import open_folder
from verify.verdicts import PASSED, Finding, Outcome, Verdict, failed
from verify.watching import loop
from verify.watching.loop import PATIENCE, Task, watch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.model import Exercise
    from verify.submission import Submission

PLAN = "sandbox/plan.json"
WATCHING = f"19:03:12  Watching {PLAN} and 1 more. Ctrl-C ends."
STILL = f"Passed at 19:03:12. Still watching {PLAN} and 1 more. Ctrl-C ends."
CRASHED = Verdict(Outcome.ERROR, (Finding("ours"),), crash="Trace")


class Paper:
    """Shows texts by keeping them; its width may change."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, str]] = []
        self.columns = 80

    def width(self) -> int:
        return self.columns

    def show(self, text: str, note: str) -> None:
        self.shown.append((text, note))


class Script:
    """Notices that come when the next thing is done, each after a tenth of a second."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        self._steps = list(steps)
        self._time = 0.0
        self.waited: list[tuple[frozenset[str], float]] = []

    def now(self) -> float:
        return self._time

    def wait(self, folders: frozenset[str], seconds: float) -> None:
        self.waited.append((folders, seconds))
        if not self._steps:
            raise KeyboardInterrupt
        self._time += 0.1
        self._steps.pop(0)()


class Watched(NamedTuple):
    """A submission that is watched: `read` is what grading found, one entry a grading."""

    root: Path
    plan: Path
    paper: Paper
    read: list[str]
    kept: list[bool]
    run: Callable[..., Script]


def nothing() -> None:
    """Let time pass."""


@pytest.fixture
def watched(
    tmp_path: Path, toy_exercise: Callable[..., Exercise], monkeypatch: pytest.MonkeyPatch
) -> Watched:
    """Return a submission with a plan; what the plan says is what grading finds."""
    monkeypatch.setattr(loop, "clock", lambda: "19:03:12")
    exercise = toy_exercise()
    root = tmp_path / "work"
    (root / "sandbox").mkdir(parents=True)
    read: list[str] = []
    kept: list[bool] = []

    def grade(door: Callable[[Submission], Submission]) -> Report:
        with open_folder(str(root)) as folder:
            try:
                read.append(door(folder).read(PLAN).decode())
            except Unreadable:
                read.append("nothing")
        return Report(exercise, "work", (Result(exercise.checks[0], verdict_on(read[-1])),))

    paper = Paper()
    task = Task(
        root=str(root),
        paths=(PLAN, "sandbox/other.json"),
        grade=grade,
        text=lambda report: f"{read[-1]}: {report.passed}\n",
        lost=lambda error: f"--project work {error}",
        keep=lambda report: kept.append(report.passed),
    )

    def run(*steps: Callable[[], object]) -> Script:
        script = Script(*steps)
        with pytest.raises(KeyboardInterrupt):
            watch(task, paper, script)
        return script

    watched = Watched(root, root / PLAN, paper, read, kept, run)
    watched.plan.write_text('"no"')
    return watched


def verdict_on(text: str) -> Verdict:
    if text == '"crash"':
        return CRASHED
    return PASSED if text == '"yes"' else failed(Finding("wrong"))


def test_each_change_is_shown_as_a_single_run_shows_it(watched: Watched) -> None:
    watched.run(nothing, lambda: watched.plan.write_text('"yes"'), nothing)

    assert watched.paper.shown == [('"no": False\n', WATCHING), ('"yes": True\n', STILL)]


def test_the_folders_on_the_way_are_watched_and_looked_at_now_and_then(watched: Watched) -> None:
    script = watched.run(lambda: (watched.root / "sandbox").rename(watched.root / "elsewhere"))
    root, sandbox = str(watched.root), str(watched.root / "sandbox")

    assert script.waited[0] == (frozenset({root, sandbox}), loop.TICK)
    assert script.waited[-1][0] == frozenset({root})


def test_a_file_of_the_exercise_that_was_not_read_is_watched_as_well(watched: Watched) -> None:
    watched.run((watched.root / "sandbox" / "other.json").touch)

    assert len(watched.paper.shown) == 2


def test_a_notice_about_something_else_shows_nothing(watched: Watched) -> None:
    watched.run((watched.root / "notes.txt").touch, nothing)

    assert len(watched.paper.shown) == 1


def test_a_file_that_is_away_or_half_for_a_moment_is_waited_for(watched: Watched) -> None:
    watched.run(
        watched.plan.unlink,
        lambda: watched.plan.write_text('"ye'),
        lambda: watched.plan.write_text('"yes"'),
    )

    assert [text for text, _ in watched.paper.shown] == ['"no": False\n', '"yes": True\n']


def test_a_file_that_stays_half_is_shown_in_the_end(watched: Watched) -> None:
    script = watched.run(lambda: watched.plan.write_text('"ye'), *[nothing] * 3)
    waits = [round(seconds, 3) for _, seconds in script.waited]

    assert [text for text, _ in watched.paper.shown] == ['"no": False\n', '"ye: False\n']
    assert waits == [loop.TICK, PATIENCE, 0.15, 0.05, loop.TICK]


def test_a_file_that_was_half_before_keeps_nobody_waiting(watched: Watched) -> None:
    watched.plan.write_text('"ye')
    script = watched.run((watched.root / "sandbox" / "other.json").touch)

    assert len(watched.paper.shown) == 2
    assert [seconds for _, seconds in script.waited] == [loop.TICK] * 2


def test_a_terminal_of_another_width_is_drawn_anew(watched: Watched) -> None:
    def widen() -> None:
        watched.paper.columns = 120

    watched.run(nothing, widen, nothing)

    assert watched.paper.shown == [('"no": False\n', WATCHING)] * 2


def test_a_report_is_kept_only_when_it_differs_from_the_last(watched: Watched) -> None:
    watched.run(
        lambda: watched.plan.write_text('"still no"'),
        lambda: watched.plan.write_text('"yes"'),
        lambda: watched.plan.write_text('"no"'),
    )

    assert len(watched.paper.shown) == 4
    assert watched.kept == [False, True, False]


def test_a_submission_that_goes_and_comes_back_is_graded_again(watched: Watched) -> None:
    elsewhere = watched.root.parent / "elsewhere"
    watched.run(
        lambda: watched.root.rename(elsewhere),
        *[nothing] * 5,
        watched.root.mkdir,
        *[nothing] * 5,
        watched.root.rmdir,
        *[nothing] * 5,
        lambda: elsewhere.rename(watched.root),
    )

    assert [text for text, _ in watched.paper.shown] == [
        '"no": False\n',
        "--project work does not exist\n",
        "nothing: False\n",
        "--project work does not exist\n",
        '"no": False\n',
    ]


def test_a_check_that_crashes_ends_the_watching(watched: Watched) -> None:
    watched.plan.write_text('"crash"')
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        watched.run()

    assert watched.paper.shown == [('"crash": False\n', "")]
    assert watched.kept == []
