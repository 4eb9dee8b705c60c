"""Who submitted the same: whole sets that agree, with each other or with what is shipped."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import pytest

from tests.stubs.marks import mark_of
from tests.unit.verify.gradebook.conftest import EVIDENCE
from verify.gradebook.columns import NotOurs
from verify.gradebook.copies import NOTHING, Compared, Copies, compared_of, text_of
from verify.gradebook.reading import GradebookCohort
from verify.gradebook.records import FoundSubmission

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from verify.gradebook.recording import RunRecorder

    Submitted = dict[tuple[str, str], bytes]

PATHS = ("plan.json", "worker-result.json", "git-result.json")
A, B, C, D, GIT, OTHER = (bytes([at]) * 16 for at in range(1, 7))
COMPARED = Compared(PATHS, 2)


@pytest.fixture
def copies(
    begun: Callable[..., RunRecorder], connection: sqlite3.Connection
) -> Callable[..., list[Copies]]:
    """Return a function that gives the copies among submissions, by learner and attempt."""

    def found(
        submitted: Submitted, compared: Compared = COMPARED, *, attempts_all: bool = False
    ) -> list[Copies]:
        recorder = begun(attempts="all" if attempts_all else "latest", compared=[compared])
        places = sorted(submitted)
        recorder.add_submissions(
            FoundSubmission(*place, "folder", "/srv", "".join(place)) for place in places
        )
        numbers = connection.execute("SELECT id, learner, attempt FROM submission").fetchall()
        recorder.record(
            (number, [mark_of(EVIDENCE, "ff", fingerprint=submitted[learner, attempt])])
            for number, learner, attempt in numbers
        )
        return list(GradebookCohort(connection).copies())

    return found


def group(paths: tuple[str, ...], *learners: str, shipped: str = "") -> Copies:
    return Copies("expert/04", paths, shipped, tuple((learner, "") for learner in learners))


def test_i15_a_whole_set_that_agrees_is_found_however_many_share_it(
    copies: Callable[..., list[Copies]],
) -> None:
    many = [f"k{number:03}" for number in range(100)]
    submitted = {(learner, ""): A + B + GIT for learner in many}

    assert copies({**submitted, ("z1", ""): A + C + GIT}) == [group(PATHS[:2], *many)]


def test_t6_the_members_of_a_group_have_one_submission_and_no_copy_of_it(
    begun: Callable[..., RunRecorder], connection: sqlite3.Connection
) -> None:
    recorder = begun(attempts="all", compared=[COMPARED])
    entries = {"a": ("1", "2"), "b": ("1", "2"), "c": ("3",)}
    recorder.add_submissions(
        FoundSubmission(learner, attempt, "folder", "/srv", f"team-{attempt}")
        for learner, attempts in entries.items()
        for attempt in attempts
    )
    query = "SELECT id FROM submission WHERE attempt <> '3'"
    mark = mark_of(EVIDENCE, "ff", fingerprint=A + B + GIT, sketch=array("I", range(99)).tobytes())
    recorder.record((number, [mark]) for (number,) in connection.execute(query).fetchall())

    assert list(GradebookCohort(connection).copies()) == []

    query = "SELECT id FROM submission WHERE attempt = '3'"
    recorder.record((number, [mark]) for (number,) in connection.execute(query).fetchall())
    same, *near = GradebookCohort(connection).copies()

    assert same.learners == 3
    assert [(found.members, found.common) for found in near] == []  # too few to know what is rare


def test_git_results_differ_for_each_and_count_only_where_nothing_else_is_left(
    copies: Callable[..., list[Copies]],
) -> None:
    given = COMPARED._replace(handed_out=frozenset([A, B]))
    whole = {("a", ""): A + B + GIT, ("b", ""): A + B + GIT, ("c", ""): A + B + OTHER}
    more = {("d", ""): C + B + GIT, ("e", ""): C + B + OTHER}

    assert copies({**whole, **more}, given) == [
        group(PATHS, "a", "b"),
        group(PATHS[:2], "d", "e"),
    ]


def test_what_the_course_ships_is_found_also_where_one_learner_has_it(
    copies: Callable[..., list[Copies]],
) -> None:
    shipped = COMPARED._replace(shipped={A + B: "solution", C + NOTHING: "recorded run"})
    submitted = {
        ("a", ""): A + B + GIT,
        ("b", ""): C + NOTHING + NOTHING,
        ("c", ""): A + C + GIT,
    }

    assert copies(submitted, shipped) == [
        group(PATHS[:2], "a", shipped="solution"),
        group(PATHS[:1], "b", shipped="recorded run"),
    ]


def test_what_was_handed_out_and_what_is_not_there_are_no_reason(
    copies: Callable[..., list[Copies]],
) -> None:
    given = COMPARED._replace(handed_out=frozenset([A]))

    assert copies(dict.fromkeys([("a", ""), ("b", "")], A + NOTHING + NOTHING), given) == []
    assert copies(dict.fromkeys([("a", ""), ("b", "")], b"")) == []


@pytest.mark.parametrize("attempts_all", [True, False])
def test_attempts_of_one_learner_are_no_copies_of_each_other(
    copies: Callable[..., list[Copies]], *, attempts_all: bool
) -> None:
    submitted = {("a", "1"): A + B, ("a", "2"): A + B, ("b", "1"): C + D, ("c", "1"): C + D}

    assert copies(submitted, attempts_all=attempts_all) == [
        Copies("expert/04", PATHS[:2], "", (("b", "1"), ("c", "1")))
    ]


def test_an_earlier_attempt_counts_where_all_attempts_are_asked_for(
    copies: Callable[..., list[Copies]],
) -> None:
    submitted = {("a", "1"): A + B, ("a", "2"): C + D, ("b", "1"): A + B}

    assert copies(submitted) == []
    assert copies(submitted, attempts_all=True) == [
        Copies("expert/04", PATHS[:2], "", (("a", "1"), ("b", "1")))
    ]


def test_what_is_compared_is_read_as_it_was_written() -> None:
    compared = Compared(PATHS, 2, {A + B: "solution"}, frozenset([C, D]))

    assert compared_of(text_of(compared)) == compared


@pytest.mark.parametrize(
    "text",
    ["{}", "[]", text_of(COMPARED).replace("2", '"x"'), text_of(COMPARED).replace("[]", "7")],
)
def test_a_text_that_no_run_has_written_is_refused(text: str) -> None:
    with pytest.raises(NotOurs):
        compared_of(text)
