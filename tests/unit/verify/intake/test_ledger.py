"""Every entry gets one disposition; what claims one learner counts once or is unresolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.files import FILE, FOLDER
from tests.stubs.rosters import roster_in
from verify.intake.collection import Entry, FolderCollection
from verify.intake.ledger import Ledger
from verify.intake.matching import Matcher

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from verify.gradebook.records import FoundSubmission

ROSTER = "id,name\njane,Jane Doe\nmax,Max Mustermann\n"
_MOODLE = "Jane Doe_1_assignsubmission"
_BLACKBOARD = "gradebook_C_HW_jane_attempt_2026-03-0{}-10-00-00_{}"


class Named(FolderCollection):
    """Entries by their names alone: a slash makes a folder, a word in brackets something else."""

    def __init__(self, *names: str) -> None:
        super().__init__("/submissions")
        self._names = names

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in their order."""
        for name in self._names:
            entry, _, nature = name.partition(" [")
            nature = nature.rstrip("]") or (FOLDER if name.endswith("/") else FILE)
            yield Entry(entry.rstrip("/"), nature)

    def metadata(self, name: str) -> None:
        """Return None: there is no metadata."""


def met(tmp_path: Path, *names: str, rostered: bool = True, **how: Any) -> tuple[Any, list[str]]:
    """Return what is submissions and `entry: disposition` of each."""
    roster = roster_in(tmp_path, ROSTER) if rostered else None
    collection, ledger = Named(*names), Ledger()
    decisions = how.pop("decisions", {})
    matcher = Matcher(collection, roster, decisions)
    ledger.read(collection, matcher)
    submissions = list(ledger.submissions(how.pop("digests", _names), **how))
    message = [f"{row.name}: {row.disposition}" for row in ledger.rows()]
    ledger.close()
    return [
        (submission.learner, submission.attempt, submission.inner, submission.conflict)
        for submission in submissions
    ], message


def _names(submissions: Sequence[FoundSubmission]) -> list[str]:
    """Return digests that all differ."""
    return [submission.inner for submission in submissions]


@pytest.mark.parametrize(
    ("names", "submissions", "dispositions"),
    [
        (
            [".git/", "__MACOSX/", "jane/", "li [a link]", "x.txt", "nobody/"],
            [("jane", "", "jane", "")],
            ["ignored", "ignored", "graded", "ignored", "ignored", "unmatched"],
        ),
        (  # the parts of one account on Moodle
            [*(f"{_MOODLE}_{part}" for part in ("file_a.zip", "file_b.txt", "onlinetext_c.html"))],
            [("jane", "", f"{_MOODLE}_file_a.zip\n{_MOODLE}_file_b.txt", "")],
            ["graded", "part", "part"],
        ),
        (  # two archives of one account: the worker says that they are two
            [f"{_MOODLE}_file_a.zip", f"{_MOODLE}_file_b.zip"],
            [("jane", "", f"{_MOODLE}_file_a.zip\n{_MOODLE}_file_b.zip", "")],
            ["graded", "part"],
        ),
        (
            [
                _BLACKBOARD.format(1, "a.zip"),
                _BLACKBOARD.format(2, "a.zip"),
                _BLACKBOARD.format(2, "b.txt"),
            ],
            [
                (
                    "jane",
                    "2026-03-02-10-00-00",
                    f"{_BLACKBOARD.format(2, 'a.zip')}\n{_BLACKBOARD.format(2, 'b.txt')}",
                    "",
                )
            ],
            ["older attempt", "graded", "part"],
        ),
        (
            ["Jane Doe.zip", "jane/"],
            [
                (
                    "jane",
                    "",
                    "Jane Doe.zip",
                    '2 entries claim this learner ("Jane Doe.zip", "jane"): use --decisions',
                )
            ],
            ["unresolved", "unresolved"],
        ),
        (["jane/", "jane.txt"], [("jane", "", "jane", "")], ["graded", "ignored"]),
        (["jane.txt"], [("jane", "", "jane.txt", "")], ["graded"]),
    ],
)
def test_what_becomes_of_each_entry(
    tmp_path: Path, names: list[str], submissions: list[Any], dispositions: list[str]
) -> None:
    found, message = met(tmp_path, *names)

    entries = [name.partition(" [")[0].rstrip("/") for name in names]
    assert found == submissions
    assert message == [f"{name}: {what}" for name, what in zip(entries, dispositions, strict=True)]


def test_the_same_content_twice_counts_once(tmp_path: Path) -> None:
    found, message = met(tmp_path, "jane/", "jane.zip", digests=lambda ones: ["same"] * len(ones))

    assert [inner for _, _, inner, _ in found] == ["jane"]
    assert message == ["jane: graded", "jane.zip: duplicate"]


def test_what_several_learners_have_twice_is_compared_at_once(tmp_path: Path) -> None:
    asked: list[int] = []

    def digests(claiming: Sequence[FoundSubmission]) -> list[str]:
        asked.append(len(claiming))
        return [submission.learner for submission in claiming]

    found, _ = met(tmp_path, "jane/", "jane.zip", "max/", "max.zip", digests=digests)

    assert [inner for _, _, inner, _ in found] == ["jane", "max"]
    assert asked == [4]


def test_a_decision_settles_who_an_entry_belongs_to_and_unmatched_ones_are_last(
    tmp_path: Path,
) -> None:
    found, message = met(
        tmp_path,
        "y/",
        "jane/",
        "Jane Doe/",
        "x/",
        decisions={("", "Jane Doe"): ("jane",), ("", "x"): ("max",)},
    )

    assert found == [("jane", "", "Jane Doe", ""), ("max", "", "x", "")]
    assert message == ["Jane Doe: graded", "jane: ignored", "x: graded", "y: unmatched"]


def test_only_the_entries_that_the_decisions_name_may_be_unresolved(tmp_path: Path) -> None:
    _, message = met(
        tmp_path, "jane/", "x/", "y/", decisions={("", "x"): ("jane",), ("", "y"): ("jane",)}
    )

    assert message == ["jane: ignored", "x: unresolved", "y: unresolved"]


def test_without_a_roster_a_learner_is_called_what_the_name_says(tmp_path: Path) -> None:
    found, _ = met(tmp_path, "ada/", "doejane_1_2_a.zip", "notes.txt", rostered=False)

    assert found == [("ada", "", "ada", ""), ("doejane_1", "", "doejane_1_2_a.zip", "")]


def test_all_attempts_are_graded_if_asked_for(tmp_path: Path) -> None:
    names = [_BLACKBOARD.format(day, "a.zip") for day in (1, 2)]

    found, message = met(tmp_path, *names, attempts_all=True)

    assert [inner for _, _, inner, _ in found] == names
    assert message == [f"{name}: graded" for name in names]


def test_a_submission_that_could_not_be_opened_is_unresolved_afterwards(tmp_path: Path) -> None:
    ledger, collection = Ledger(), Named("jane.zip", "max/")
    roster = roster_in(tmp_path, ROSTER)
    ledger.read(collection, Matcher(collection, roster, {}))
    list(ledger.submissions(_names))

    ledger.unresolve([("jane", "jane.zip", "is cut short")])

    assert ledger.counts() == {"graded": 1, "unresolved": 1}


def test_g10_the_files_of_one_account_count_once_where_half_of_a_class_has_to_match(
    tmp_path: Path,
) -> None:
    odd = [f"roejo_9_{at}_x{at}.zip" for at in range(13)]
    mine = [f"Jane Doe_1_assignsubmission_file_{at}.zip" for at in range(5)]
    ledger, collection = Ledger(), Named("max/", *mine, *odd, "who/")
    ledger.read(collection, Matcher(collection, roster_in(tmp_path, ROSTER), {}))

    assert ledger.accounts() == (2, 4)


@pytest.mark.parametrize(
    ("table", "entry", "meant"),
    [
        ("Student,ID,SIS User ID\nA,1001,a\nB,1002,b\n", "b_1002_5_1001_1_x.zip", "1001 1002"),
        ("Student,ID,SIS User ID\nA,1001,a\nB,1002,b\n", "b_1001_5_x.zip", "1001 1002"),
        ("id,name\n1,Wei Li\n2,Wei Li\n", "Wei Li/", "1 2"),
        ("id,name\n1,2\n2,B\n", "2/", "1 2"),
        (
            "Identifier,Full name,Status,Grade\nParticipant 1,A,,\nParticipant 2,B,,\n",
            "A_1_assignsubmission_file_B_2_assignsubmission_file_x.zip",
            "Participant 1,Participant 2",
        ),
    ],
)
def test_g9_who_may_be_meant_is_unresolved_and_not_missing(
    tmp_path: Path, table: str, entry: str, meant: str
) -> None:
    learners = meant.split("," if "," in meant else " ")
    place = entry.rstrip("/")

    assert doubted(tmp_path, table, entry) == ([(who, place) for who in learners], ["unresolved"])
    both = doubted(tmp_path, table, entry, f"{learners[0]}.zip")
    assert both == ([(learners[0], f"{learners[0]}.zip"), (learners[1], place)], BOTH)


BOTH = ["graded", "unresolved"]


def doubted(tmp_path: Path, table: str, *names: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return who is submissions, with the entry, and each entry's disposition."""
    ledger = Ledger()
    collection = Named(*names)
    ledger.read(collection, Matcher(collection, roster_in(tmp_path, table), {}))
    submissions = [
        (submission.learner, submission.inner) for submission in ledger.submissions(_names)
    ]
    found = sorted(row.disposition for row in ledger.rows())
    ledger.close()
    return submissions, found


@pytest.mark.parametrize("rostered", [True, False])
def test_g9_an_entry_whose_name_fits_two_accounts_is_unresolved_and_nobody_s(
    tmp_path: Path, *, rostered: bool
) -> None:
    name = f"{_MOODLE}_file_2_assignsubmission_file_x.zip"
    found, message = met(tmp_path, "jane/", name, rostered=rostered)

    assert found == [("jane", "", "jane", "")]
    assert message == [f"{name}: unresolved", "jane: graded"]
