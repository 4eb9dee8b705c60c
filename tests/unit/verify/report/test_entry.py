"""Tests of how one standing is seen: its score, its letters, its page's name, its row."""

from __future__ import annotations

import re

from tests.unit.verify.report.conftest import CHECKS, EXERCISE, entry, mark
from verify.gradebook.values import CheckInfo, Learner, Override, Standing
from verify.report.entry import Rows, described, entry_of, page_name
from verify.report.outcomes import SIGNS, gravest, letters_of


def test_a_score_adds_up_what_has_one_and_says_when_that_is_not_all() -> None:
    by_hand = Override(4.5, "grader", "2026-01-02T03:04:05Z", "late")
    part = entry(0, mark("pfp"), mark("m"), mark("epp", attempt="2"))
    whole = entry(0, mark("m", override=by_hand))

    assert (part.score, part.points, part.complete, part.attempt) == (2, 5, False, "2")
    assert (whole.score, whole.points, whole.complete, whole.overridden) == (4.5, 5, True, True)


def test_each_check_has_a_letter_as_the_exercise_is_now() -> None:
    new = CheckInfo("T01.4", "it is new", 1, advisory=False, page="p#4")
    changed = EXERCISE._replace(checks=(CHECKS[1], new, CHECKS[0]))

    assert letters_of(mark("pff"), EXERCISE) == "pfn"
    assert letters_of(mark("pff"), changed) == "fep"
    assert letters_of(mark("m"), changed) == "mmm"
    assert len({sign.symbol for sign in SIGNS.values()}) == len(SIGNS)


def test_the_gravest_outcome_of_several_exercises_counts() -> None:
    passed, missing, failed, error = map(mark, ["ppp", "m", "fpp", "epp"])

    assert gravest([passed, failed, missing, error]).word == "error"
    unresolved = mark("u")
    assert gravest([passed, failed, missing, unresolved]).word == "unresolved"
    assert gravest([passed, failed, missing]).word == "fail"
    assert gravest([passed, missing]).word == "missing"
    assert gravest([passed]).word == "pass"


def test_any_key_has_a_page_of_its_own_with_a_plain_short_name_that_never_changes() -> None:
    keys = ["../../etc/passwd", "nul\x00nul", "x" * 300, "half-\udc80", "", "日本", "con", "a\nb"]
    alike = ["ada", "ADA", "Ada", "ada ", "ada\x00", "\u00e9", "e\u0301"]
    names = {page_name(key, "") for key in [*keys, *alike]}

    assert page_name("Ada Lovelace", "") == "ada-lovelace-badea342cc3d00f58cd0.html"
    assert len(names) == len(keys) + len(alike)
    assert all(re.fullmatch(r"([a-z0-9]+-)*[0-9a-f]{20}\.html", name) for name in names)
    assert max(map(len, names)) < 60
    assert page_name("ab", "c") != page_name("a", "bc")


def test_a_row_has_all_that_the_table_sorts_and_filters_by() -> None:
    override = Override(4.0, "me", "2026-01-01T00:00:00Z", "why")
    marks = (mark("pfs", attempt="2", override=override), mark("m"), mark("epf"))
    ada = entry_of(
        0, Standing(Learner("k1", "Ada", "ada@example.edu"), marks), [EXERCISE, EXERCISE, EXERCISE]
    )
    bob = entry_of(1, Standing(Learner("bob"), (mark("ppp"),)), [EXERCISE])
    rows = Rows()
    rows.add(ada, has_roster=True, copies=[3])
    rows.add(bob, has_roster=False)

    assert rows.rows == [
        [
            *(ada.file[:-5], "Ada", "k1", "ada@example.edu", "2", "e", "u"),
            *("fme", [4, None, None], "pfs mmm epn", [0], [3]),
        ],
        [bob.file[:-5], "bob", "", "", "", "p", "", "p", [5], "ppp", [], []],
    ]
    assert described([EXERCISE]) == [
        {
            "name": "toy/01",
            "title": "A toy",
            "points": 5,
            "checks": [[check.code, check.title] for check in CHECKS],
        }
    ]
