"""`verify flaky` names what differs from one grading to the next, and what it looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify import catalog
from verify.batch.flaky import BY_ITSELF, Difference, GradingFailed
from verify.commands import flaky as command
from verify.commands.flaky import flaky, told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from verify.batch.flaky import Plan

FIRST = catalog.find("foundation", "01").for_cohort()


def difference(check: int | None, *because: str, item: int = 0) -> Difference:
    return Difference(item, "foundation/01", check, "pass", "fail\x1b", because)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[tuple[Plan, ...]]]:
    """Return what makes graded submissions differ so, and keeps what was to be graded."""

    def make(*differences: Difference, error: Exception | None = None) -> list[tuple[Plan, ...]]:
        asked: list[tuple[Plan, ...]] = []

        def compare(plans: Sequence[Plan], times: int) -> list[Difference]:
            assert times == 3
            asked.append(tuple(plans))
            if error is not None:
                raise error
            return list(differences)

        monkeypatch.setattr(command, "differences", compare)
        return asked

    return make


def test_what_is_the_same_each_time_is_steady(
    found: Callable[..., list[tuple[Plan, ...]]], cohort: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = found()
    code = flaky([str(cohort / "cohort" / "ada")], ["foundation/1"], "", 3)
    ((job, (batch,)),) = asked[0]

    assert (code, capsys.readouterr().out) == (
        *(0,),
        "STEADY  1 exercise, 1 submission, graded 3 times\n",
    )
    assert job.exercises == ("foundation/01",)
    assert (batch.kind, batch.container, [item.payload for item in batch.items]) == (
        *("folder", str((cohort / "cohort").resolve())),
        ["ada"],
    )


def test_what_differs_is_1_and_without_submissions_the_fixtures_are_graded(
    found: Callable[..., list[tuple[Plan, ...]]], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = found(difference(0, "hash seed"))
    code = flaky([], ["foundation/01"], "", 3)
    ((_, batches),) = asked[0]
    out = capsys.readouterr().out

    assert code == 1
    assert len(batches) > 2
    assert out.startswith(f"{FIRST.checks[0].code} is not the same each time: ")
    assert f"FLAKY  1 check not the same each time  1 exercise, {len(batches)} submissions" in out


@pytest.mark.parametrize(
    ("submissions", "exercises", "line"),
    [
        (["nowhere"], [], "nowhere is not a folder (expected a submission's root)"),
        ([], ["expert/99"], "no exercise '99' in expert"),
    ],
)
def test_what_cannot_be_graded_is_2(
    capsys: pytest.CaptureFixture[str], submissions: list[str], exercises: list[str], line: str
) -> None:
    assert flaky(submissions, exercises, "", 3) == 2
    assert line in capsys.readouterr().err


def test_a_grading_that_breaks_is_3(
    found: Callable[..., list[tuple[Plan, ...]]], capsys: pytest.CaptureFixture[str]
) -> None:
    found(error=GradingFailed("a process died", "details"))

    assert flaky([], ["foundation/01"], "", 3) == 3
    assert capsys.readouterr().err.startswith("verify: a process died: this is our fault")


def test_each_difference_is_told_with_both_sides_and_what_it_depends_on() -> None:
    text = told(
        [
            difference(0, "locale", "time zone"),
            difference(1, *BY_ITSELF, item=1),
            difference(1, *BY_ITSELF),
            difference(None),
        ],
        {0: "/srv/ada", 1: "/srv/bob"},
        [FIRST],
        3,
    )

    assert text.split("\n\n") == [
        (
            f"{FIRST.checks[0].code} is not the same each time: /srv/ada\n"
            "  It depends on the locale, the time zone.\n"
            "  first  pass\n"
            "  then   fail\\u{1b}"
        ),
        (
            f"{FIRST.checks[1].code} is not the same each time: /srv/bob, and 1 more\n"
            "  It differs by itself, by chance or by the clock: nothing else was changed.\n"
            "  first  pass\n"
            "  then   fail\\u{1b}"
        ),
        (
            "foundation/01 does not ask the same of the submission: /srv/ada\n"
            "  It takes several changes at once: no single one makes the difference.\n"
            "  first  pass\n"
            "  then   fail\\u{1b}"
        ),
        "FLAKY  3 checks not the same each time  1 exercise, 2 submissions, graded 3 times\n",
    ]
