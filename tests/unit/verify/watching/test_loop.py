"""A change is graded once and shown as a single run shows it; half a file is waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from pipeline.files import Unreadable
from verify.files import NoSubmission
from verify.model import PASSED, Finding, Outcome, Report, Result, Verdict, failed
from verify.submission import open_folder
from verify.watching import loop
from verify.watching.keys import REDRAW
from verify.watching.loop import PATIENCE, Task, Watching

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
    """Shows texts by keeping them; its width may change. It is the keys as well."""

    active = False

    def __init__(self) -> None:
        self.shown: list[tuple[str, str]] = []
        self.columns = 80

        self.keys: list[str] = []

    def size(self) -> tuple[int, int]:
        return self.columns, 24

    def room(self, note: str) -> int:
        return 24 - len(note.split("\n"))

    def pressed(self) -> str:
        return self.keys.pop(0) if self.keys else ""

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
    task: Task


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
        text=lambda report, hints, rows: (
            f"{read[-1]}: {report.passed}{f', {hints} hints in {rows} rows' * bool(hints)}\n"
        ),
        lost=lambda error: f"--project work {error}",
        keep=lambda report: kept.append(report.passed),
        following=True,
    )

    def run(*steps: Callable[[], object]) -> Script:
        script = Script(*steps)
        with pytest.raises(KeyboardInterrupt):
            Watching(task, paper, script, paper).run()
        return script

    watched = Watched(root, root / PLAN, paper, read, kept, run, task)
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


@pytest.fixture
def keyed(watched: Watched) -> Watched:
    """Return the same on a terminal with keys."""
    watched.paper.active = True
    return watched


def press(watched: Watched, *keys: str) -> Callable[[], None]:
    return lambda: watched.paper.keys.extend(keys)


def test_each_h_adds_a_hint_without_grading_again(keyed: Watched) -> None:
    keyed.run(press(keyed, "h"), press(keyed, "x", "h", "h", "h"), nothing)
    note = f"19:03:12  Watching {PLAN} and 1 more. Keys: h hint, q quit."

    assert [text.rpartition(", ")[2].partition(" ")[0] for text, _ in keyed.paper.shown] == [
        *('"no":', "1", "1", "2", "3", "3")
    ]
    assert {note for _, note in keyed.paper.shown} == {note}
    assert keyed.read == ['"no"']


def test_a_terminal_that_was_suspended_is_drawn_again(keyed: Watched) -> None:
    keyed.run(press(keyed, REDRAW), nothing)

    assert [text for text, _ in keyed.paper.shown] == ['"no": False\n'] * 2


@pytest.mark.parametrize(("key", "goes_on"), [("n", True), ("q", False)])
def test_n_goes_on_only_after_a_pass_and_q_ends(keyed: Watched, key: str, *, goes_on: bool) -> None:
    script = Script(press(keyed, "n"), lambda: keyed.plan.write_text('"yes"'), press(keyed, key))
    report, wanted = Watching(keyed.task, keyed.paper, script, keyed.paper).run()
    start = f"Passed at 19:03:12. Still watching {PLAN} and 1 more."

    assert (report.passed, wanted) == (True, goes_on)
    assert keyed.paper.shown[-1][1] == f"{start} Keys: n next exercise, q quit."


def test_n_does_nothing_after_the_last_exercise(keyed: Watched) -> None:
    keyed.plan.write_text('"yes"')
    script = Script(press(keyed, "n"), press(keyed, "q"))
    _, wanted = Watching(
        keyed.task._replace(following=False), keyed.paper, script, keyed.paper
    ).run()

    assert not wanted
    assert keyed.paper.shown[-1][1].endswith("and 1 more. Keys: q quit.")


def test_q_without_a_submission_says_why_there_is_none(keyed: Watched) -> None:
    script = Script(
        lambda: keyed.root.rename(keyed.root.parent / "elsewhere"),
        *[nothing] * 5,
        press(keyed, "q"),
    )
    with pytest.raises(NoSubmission, match="does not exist"):
        Watching(keyed.task, keyed.paper, script, keyed.paper).run()
