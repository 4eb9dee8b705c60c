"""A change is graded once and shown as a single run shows it."""

from __future__ import annotations

import io
import sys
import time
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pipeline.files import Unreadable
from verify.grading.model import PASSED, Finding, Outcome, Report, Result, Verdict, failed
from verify.learner import watch as module
from verify.learner.request import GradingRequest
from verify.learner.watch import TICK, Keys, Screen, Watching, notices_of, watch
from verify.reporters.base import Rendered
from verify.submissions.files import NoSubmission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from verify.grading.model import Exercise
    from verify.reporters.base import GradedRun
    from verify.submissions.submission import Submission

PLAN = "sandbox/plan.json"
WATCHING = f"19:03:12  Watching {PLAN} and 1 more. Press Ctrl-C to stop."
STILL = f"Passed at 19:03:12. Still watching {PLAN} and 1 more. Press Ctrl-C to stop."
CRASHED = Verdict(Outcome.ERROR, (Finding("ours"),), crash="Trace")


class Paper:
    """Shows texts by keeping them. It is the keys as well."""

    active = has_new_size = False

    def __init__(self) -> None:
        self.shown: list[tuple[str, str]] = []
        self.keys: list[str] = []

    def room(self, note: str) -> int:
        return 24 - len(note.split("\n"))

    def pressed(self) -> str:
        return self.keys.pop(0) if self.keys else ""

    def show(self, text: str, note: str) -> None:
        self.shown.append((text, note))


class Located(NamedTuple):
    """A file of the exercise."""

    path: str

    def located(self, _: Exercise) -> str:
        return self.path


class Watched(NamedTuple):
    """A submission that is watched: `read` is what grading found, one entry a grading."""

    root: Path
    plan: Path
    paper: Paper
    read: list[str]
    kept: list[bool]
    run: Callable[..., tuple[Report, Exercise | None]]


def nothing() -> None:
    """Let time pass."""


@pytest.fixture
def watched(
    tmp_path: Path, toy_exercise: Callable[..., Exercise], monkeypatch: pytest.MonkeyPatch
) -> Watched:
    """Return a submission with a plan; what the plan says is what grading finds.

    `run` watches it; each of its steps is done where a notice is waited for.
    """
    exercise = replace(toy_exercise(), artifacts=(Located(PLAN), Located("sandbox/other.json")))
    following = toy_exercise()
    root = tmp_path / "work"
    (root / "sandbox").mkdir(parents=True)
    read: list[str] = []
    kept: list[bool] = []
    paper = Paper()

    def graded(_: GradingRequest, exercise: Exercise, submission: Submission) -> Report:
        try:
            read.append(submission.read(PLAN).decode())
        except Unreadable:
            read.append("nothing")
        return Report(exercise, "work", (Result(exercise.checks[0], verdict_on(read[-1])),))

    def rendered(request: GradingRequest, run: GradedRun, *, rows: int, keys: bool) -> Rendered:
        assert keys == paper.active
        hints = f", {request.hint} hints in {rows} rows" * bool(request.hint)
        return Rendered(f"{read[-1]}: {run.reports[0].passed}{hints}\n")

    monkeypatch.setattr(module, "clock", lambda: "19:03:12")
    monkeypatch.setattr(module, "graded", graded)
    monkeypatch.setattr(module, "rendered", rendered)
    monkeypatch.setattr(module, "keep", lambda _, report: kept.append(report.passed))
    monkeypatch.setattr("verify.course.catalog.find", lambda *_, **__: exercise)
    monkeypatch.setattr("verify.course.catalog.following", lambda *_: following)

    def run(*steps: Callable[[], object]) -> tuple[Report, Exercise | None]:
        left = list(steps)

        def notices(*_: object) -> Iterator[None]:
            while left:
                left.pop(0)()
                yield
            raise KeyboardInterrupt

        monkeypatch.setattr(module, "notices_of", notices)
        request = GradingRequest(level="foundation", number="1", project=str(root))
        watching: Any = Watching
        return watching(request, paper, paper).run()  # type: ignore[no-any-return]

    watched = Watched(root, root / PLAN, paper, read, kept, run)
    watched.plan.write_text('"no"')
    return watched


def pause_with(monkeypatch: pytest.MonkeyPatch, sleep: Callable[[float], None]) -> None:
    """Replace the pauses of the watch alone: other threads of the tests pause, too."""
    monkeypatch.setattr(module, "time", SimpleNamespace(sleep=sleep, monotonic=time.monotonic))


def until_the_end(watched: Watched, *steps: Callable[[], object]) -> None:
    with pytest.raises(KeyboardInterrupt):
        watched.run(*steps)


def verdict_on(text: str) -> Verdict:
    if text == '"crash"':
        return CRASHED
    return PASSED if text == '"yes"' else failed(Finding("wrong"))


def test_each_change_is_shown_as_a_single_run_shows_it(watched: Watched) -> None:
    until_the_end(watched, nothing, lambda: watched.plan.write_text('"yes"'), nothing)

    assert watched.paper.shown == [('"no": False\n', WATCHING), ('"yes": True\n', STILL)]


def test_a_file_that_an_editor_has_emptied_is_waited_for(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait(_: float) -> None:
        watched.plan.write_text('"yes"')

    pause_with(monkeypatch, wait)
    until_the_end(watched, lambda: watched.plan.write_text(""), nothing)

    assert watched.read == ['"no"', '"yes"']


def test_a_file_of_the_exercise_that_was_not_read_is_watched_as_well(watched: Watched) -> None:
    until_the_end(watched, lambda: (watched.root / "sandbox" / "other.json").write_text("{}"))

    assert len(watched.paper.shown) == 2


def test_a_notice_about_something_else_shows_nothing(watched: Watched) -> None:
    until_the_end(watched, (watched.root / "notes.txt").touch, nothing)

    assert len(watched.paper.shown) == 1


def replace_plan(root: Path) -> None:
    (root / "new").write_text('"yes"')
    (root / "new").replace(root / PLAN)


def lose_the_folder(root: Path) -> None:
    (root / "sandbox").rename(root / "elsewhere")


def put_a_link_in_place_of_the_folder(root: Path) -> None:
    (root / "sandbox").rename(root.parent / "elsewhere")
    (root / "sandbox").symlink_to(root.parent / "elsewhere")


@pytest.mark.parametrize(
    "change",
    [
        replace_plan,
        lambda root: (root / PLAN).unlink(),
        lose_the_folder,
        put_a_link_in_place_of_the_folder,
    ],
)
def test_a_change_is_noticed_however_it_is_made(
    watched: Watched, change: Callable[[Path], object]
) -> None:
    until_the_end(watched, lambda: change(watched.root), nothing)

    assert len(watched.paper.shown) == 2


def test_only_the_first_files_are_looked_at_again(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_READS", 1)
    until_the_end(watched, lambda: (watched.root / "sandbox" / "other.json").write_text("{}"))

    assert len(watched.paper.shown) == 1


def test_a_submission_that_goes_ends_the_watching(watched: Watched) -> None:
    with pytest.raises(NoSubmission, match="does not exist"):
        watched.run(lambda: watched.root.rename(watched.root.parent / "elsewhere"))


def test_the_folders_on_the_way_are_watched_as_far_as_they_are_there(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = ["src/health/routes.js", "../work/rule.md", "/etc/passwd", "sandbox/plan.json/x"]

    def graded(_: GradingRequest, exercise: Exercise, submission: Submission) -> Report:
        for path in paths:
            with suppress(Unreadable):
                submission.read(path)
        return Report(exercise, "work", (Result(exercise.checks[0], CRASHED),))

    monkeypatch.setattr(module, "graded", graded)
    request = GradingRequest(level="foundation", number="1", project=str(watched.root))
    watching: Any = Watching
    places = watching(request, watched.paper, watched.paper)._folders()  # noqa: SLF001

    assert places == [f"{watched.root}/", str(watched.root / "sandbox")]


def test_a_commit_is_noticed_where_the_history_was_asked_for(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def graded(_: GradingRequest, exercise: Exercise, submission: Submission) -> Report:
        watched.read.append("history")
        with suppress(Unreadable):
            submission.history()
        return Report(exercise, "work", (Result(exercise.checks[0], PASSED),))

    monkeypatch.setattr(module, "graded", graded)
    git = watched.root / ".git"
    until_the_end(watched, git.mkdir, lambda: (git / "HEAD").write_text("ref"), nothing)

    assert len(watched.paper.shown) == 2


def test_a_report_is_kept_only_when_it_differs_from_the_last(watched: Watched) -> None:
    until_the_end(
        watched,
        lambda: watched.plan.write_text('"still no"'),
        lambda: watched.plan.write_text('"yes"'),
        lambda: watched.plan.write_text('"no"'),
    )

    assert len(watched.paper.shown) == 4
    assert watched.kept == [False, True, False]


@pytest.fixture
def keyed(watched: Watched) -> Watched:
    """Return the same on a terminal with keys."""
    watched.paper.active = True
    return watched


def press(watched: Watched, *keys: str) -> Callable[[], None]:
    return lambda: watched.paper.keys.extend(keys)


def test_each_h_adds_a_hint_without_grading_again(keyed: Watched) -> None:
    until_the_end(keyed, press(keyed, "h"), press(keyed, "x", "h", "h", "h"), *[nothing] * 4)
    note = f"19:03:12  Watching {PLAN} and 1 more. Keys: h hint, q quit."

    assert [text.rpartition(", ")[2].partition(" ")[0] for text, _ in keyed.paper.shown] == [
        *('"no":', "1", "1", "2", "3", "4")
    ]
    assert {note for _, note in keyed.paper.shown} == {note}
    assert keyed.read == ['"no"']


def test_a_check_that_crashes_ends_the_watching(watched: Watched) -> None:
    watched.plan.write_text('"crash"')
    report, following = watched.run()

    assert (len(report.crashed), following) == (1, None)
    assert watched.paper.shown == [('"crash": False\n', "")]


@pytest.mark.parametrize(("key", "goes_on"), [("n", True), ("q", False)])
def test_n_continues_only_after_a_pass_and_q_ends(
    keyed: Watched, key: str, *, goes_on: bool
) -> None:
    report, following = keyed.run(
        press(keyed, "n"), lambda: keyed.plan.write_text('"yes"'), press(keyed, key)
    )
    start = f"Passed at 19:03:12. Still watching {PLAN} and 1 more."

    assert (report.passed, following is not None) == (True, goes_on)
    assert keyed.paper.shown[-1][1] == f"{start} Keys: n next exercise, q quit."


def test_n_does_nothing_after_the_last_exercise(
    keyed: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify.course.catalog.following", lambda *_: None)
    keyed.plan.write_text('"yes"')
    _, following = keyed.run(press(keyed, "n"), press(keyed, "q"))

    assert following is None
    assert keyed.paper.shown[-1][1].endswith("and 1 more. Keys: q quit.")


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (GradingRequest(level="foundation"), "--watch needs one exercise: add"),
        (
            GradingRequest(level="foundation", number="1", format="json"),
            "--watch works only with the table: remove",
        ),
        (
            GradingRequest(level="foundation", number="1", project="/missing"),
            "--project /missing does not exist",
        ),
    ],
)
def test_what_cannot_be_watched_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], request_: GradingRequest, sentence: str
) -> None:
    code = watch(request_)
    out, err = capsys.readouterr()

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"verify: {sentence}")


LONG = 30.0  # s; a notice that does not come makes a test fail, not hang


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses that were made instead of waiting for a notice."""
    pauses: list[float] = []
    pause_with(monkeypatch, pauses.append)
    return pauses


def test_a_file_that_is_written_is_noticed_at_once_and_one_below_is_not(
    tmp_path: Path, slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "node_modules").mkdir()
    notices = notices_of([str(tmp_path)], Keys())
    next(notices)
    monkeypatch.setattr(module, "TICK", LONG)
    (tmp_path / "node_modules" / "index.js").touch()
    start = time.monotonic()
    next(notices)
    between = time.monotonic()
    (tmp_path / "plan.json").touch()
    next(notices)

    assert between - start > TICK / 2
    assert time.monotonic() - between < TICK / 2
    assert slept == []


def test_where_nothing_can_be_watched_one_looks_now_and_then(slept: list[float]) -> None:
    notices = notices_of(["/missing/folder"], Keys())
    for _ in range(3):
        next(notices)

    assert slept == [TICK] * 3


class Terminal(io.StringIO):
    """A stream that says it is a terminal, of no known size."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(module, "clock", lambda: "19:03:12")


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Terminal]:
    """Return a function that makes stdout a terminal, once pytest has set it for the test."""

    def make() -> Terminal:
        stream = Terminal()
        monkeypatch.setattr(sys, "stdout", stream)
        return stream

    return make


def test_a_terminal_keeps_what_was_there_before_and_is_then_written_over(
    on_terminal: Callable[[], Terminal], capsys: pytest.CaptureFixture[str]
) -> None:
    terminal, screen = on_terminal(), Screen()
    screen.show("one\n", "watching")
    screen.show("two\n", "")

    assert terminal.getvalue() == (
        "\n" * 24 + "\x1b[H\x1b[Jone\n\nwatching\n" + "\x1b[H\x1b[Jtwo\n"
    )
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_a_pipe_or_a_terminal_that_obeys_nothing_gets_one_text_after_the_other_and_stderr_the_notes(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    on_terminal: Callable[[], Terminal],
    term: str,
) -> None:
    monkeypatch.setenv("TERM", term)
    stream = on_terminal() if term == "dumb" else None
    screen = Screen()
    screen.show("one\n", "watching")
    screen.show("two\n", "watching")
    out, err = capsys.readouterr()

    assert (stream.getvalue() if stream else out) == "one\n\n-------- 19:03:12 --------\n\ntwo\n"
    assert err == "watching\n" * 2


def test_a_note_is_as_wide_as_the_terminal_and_breaks_no_path(
    on_terminal: Callable[[], Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal, screen = on_terminal(), Screen()
    for columns in ("30", "80"):
        monkeypatch.setenv("COLUMNS", columns)
        screen.show(
            "", "Watching a-very-long-folder/.pipeline/ISSUE-7/plan.json. Press Ctrl-C to stop."
        )

    assert terminal.getvalue().lstrip("\n") == (
        "\x1b[H\x1b[J\nWatching\na-very-long-folder/.pipeline/ISSUE-7/plan.json.\n"
        "Press Ctrl-C to stop.\n"
        "\x1b[H\x1b[J\nWatching a-very-long-folder/.pipeline/ISSUE-7/plan.json. Press Ctrl-C to"
        " stop.\n"
    )


def test_what_a_run_needs_is_looked_at_before_anything_is_watched(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = watch(GradingRequest(level="foundation", number="02", watch=True, seed=7))

    assert (code, capsys.readouterr().err) == (
        2,
        "verify: --jail, --seed and --run-tests need --run\n",
    )
