"""Tests of a learner's page, of the row that leads to it, and of the words of all pages."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING

import pytest
from jinja2 import UndefinedError

from tests.unit.verify.report.conftest import CHECKS, EXERCISE, FINDING, entry, mark
from verify.gradebook.values import CheckInfo, CheckMark, Learner, Override, Standing
from verify.report.entry import Rows, described, entry_of, page_name
from verify.report.learner_page import LearnerPages, Line, lines_of
from verify.report.outcomes import SIGNS, gravest, letters_of
from verify.report.templates import Templates, json_block, percent, plural, points

if TYPE_CHECKING:
    from verify.report.entry import Entry


def page(entry: Entry, *others: Entry, has_roster: bool = True) -> str:
    """Return the text of an entry's page."""
    pages = LearnerPages(Templates(), has_roster=has_roster)
    return pages.page(entry, (entry, *others)).decode()


def words(text: str) -> str:
    """Return what a page says, without its tags."""
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", text).split()))


def test_a_failure_shows_what_was_expected_found_and_where() -> None:
    text = page(entry(0, mark("fsp")))

    assert (
        "T01.1 ✗ fail it is there 0 of 2 wrong type plan.json:4:12 $.steps[3].order"
        ' 2 { 3 "a": 1, ▸ failing line 4 "order": true , 5 }'
        " Expected a number Found <b>true</b> To do: Write a number."
        " T01.2 · skip it is <right> (after T01.1) 0 of 3"
        " T01.3 ✓ pass it is nice (advisory) no points"
    ) in words(text)
    assert "<mark>true</mark>" in text


def test_a_failure_that_does_not_say_what_to_do_names_its_lesson_and_links_one_on_the_web() -> None:
    mute = (FINDING._replace(next_step=""),)
    checks = tuple(CheckMark(check, "fail", 0, findings=mute) for check in CHECKS)
    text = page(entry(0, mark("fff", checks=checks)))

    assert "To do: read docs/t/01.md#t01-1" in words(text)
    assert "To do: read the lesson on T01.2" in words(text)
    assert re.findall(r'href="([^"]+)"', text) == [
        *(f"../assets/{name}.css" for name in ("colours", "page", "learner", "media")),
        "../index.html#learners",
        *["https://example.org/#t01-2"] * 2,
    ]


def test_a_score_set_by_hand_says_by_whom_when_and_why() -> None:
    override = Override(4.5, "<me>", "2026-01-02T03:04:05Z", "late & ill")
    text = words(page(entry(0, mark("fpp", override=override))))

    assert (
        "Set by hand. <me> gave 4.5 on 2026-01-02T03:04:05Z; the checks gave 3. Reason: late & ill"
    ) in text


def test_missing_unresolved_and_error_are_no_zero() -> None:
    unresolved = mark("u", submitted="2026-03-01T09:30", late=True)
    text = words(page(entry(0, unresolved, mark("m"), mark("epp"))))

    assert "Submitted 2026-03-01T09:30 late" in text
    assert (
        "¿ unresolved a person has to look at it: that is no score, and no zero"
        " two <b>folders</b> hold work To do: Submit one."
    ) in text

    assert "nothing was submitted: that is no score, and no zero" in text
    assert "could not be graded, by a fault of the grader: that is no score, and no zero" in text
    assert not re.search(r"\b0 of 5\b", text)


def test_what_the_roster_says_is_shown_and_who_is_not_on_it() -> None:
    known = Learner(
        "k1",
        "Ada",
        "ada@example.edu",
        {"SIS <id>": "7", "empty": "", "login": "k1", "name": "Ada", "e-mail": "ada@example.edu"},
        rostered=True,
    )
    standing = Standing(known, (mark("ppp", place="in/k1"),))
    text = words(page(entry_of(0, standing, [EXERCISE])))
    stranger = words(page(entry_of(0, Standing(Learner("k2"), (mark("ppp"),)), [EXERCISE])))

    assert "Key k1 E-mail ada@example.edu SIS <id> 7 Read from in/k1" in text
    assert "Roster not on it" in stranger
    assert "Roster" not in text


def test_several_attempts_lead_to_each_other() -> None:
    first = entry(0, mark("fpp", attempt="1"), key="ada")
    second = entry(1, mark("ppp", attempt="2"), key="ada")
    text = page(first, second)

    assert '<span aria-current="page">1</span>' in text
    assert f'<a href="{second.file}">2</a> <span class="soft">pass</span>' in text


def test_pieces_that_are_kept_are_not_given_to_another_learner() -> None:
    pages = LearnerPages(Templates(), has_roster=True)
    failed = mark("fpp").checks
    other = (failed[0]._replace(findings=(FINDING._replace(message="other"),)), *failed[1:])
    marks = [*map(mark, ["ppp", "epp", "m", "fpp", "fpp", "pff"]), mark("fpp", checks=other)]
    marks += [mark("ppp", override=Override(score, "me", "now", "why")) for score in (1.0, 2.0)]
    entries = [entry(number, each) for number, each in enumerate(marks)]
    together = [pages.page(entry, [entry]) for entry in entries]

    assert [text.decode() for text in together] == [page(entry) for entry in entries]


def lines(**change: object) -> list[Line]:
    return lines_of(FINDING._replace(**change))  # type: ignore[arg-type]


def test_the_value_at_the_place_is_marked_in_its_line() -> None:
    assert lines() == [
        Line(2, "  {", "", "", failing=False),
        Line(3, '  "a": 1,', "", "", failing=False),
        Line(4, '  "order": ', "true", ",", failing=True),
        Line(5, "  }", "", "", failing=False),
    ]
    # a string whole, even where it never ends; no value beyond the line, or in the file as a whole
    assert lines(line=1, column=3, excerpt='  "a \\" b", 1')[0].marked == '"a \\" b"'
    assert lines(line=1, column=3, excerpt='  "a b, 1')[0].marked == '"a b, 1'
    assert lines(line=1, column=99, excerpt="abc") == [Line(1, "abc", "", "", failing=True)]
    assert lines(line=0) == lines(excerpt="") == []


def test_lines_of_a_megabyte_and_many_of_them_are_cut() -> None:
    text = "x " * 250_000 + '"here"' + " y" * 250_000
    (around,) = lines(line=1, column=500_001, excerpt=text)
    (value,) = lines(line=1, column=1, excerpt='"' + "x" * 1_000_000)

    assert around.marked == '"here"'
    assert around.before.startswith("…")
    assert len(around.before + around.after) <= 205
    assert len(value.marked + value.after) <= 201
    assert len(lines(excerpt="a\n" * 99)) == 12


def test_tabs_are_wide_and_what_could_reorder_the_line_is_shown() -> None:
    assert lines(line=1, column=2, excerpt="\t\u202etrue\r") == [
        Line(1, "    ", "\\u{202e}", "true", failing=True)
    ]


def test_a_value_that_is_missing_is_a_fault_and_no_blank() -> None:
    with pytest.raises(UndefinedError):
        Templates().get("learner.html").render()


def test_data_in_a_page_cannot_end_its_element() -> None:
    value = ["</script><!--", "&amp;", "\u2028", "half \udc80"]
    text = str(json_block(value))

    assert not set(text) & set("<>&\u2028")
    assert json.loads(text) == value


def test_shares_are_rounded_but_never_to_all_or_nothing() -> None:
    given = [None, 0, 0.004, 0.5, 0.999, 1]

    assert [percent(value).replace("\u00a0", " ") for value in given] == [
        *("–", "0 %", "under 1 %", "50 %", "over 99 %", "100 %"),  # noqa: RUF001  # a dash
    ]


def test_figures_are_written_as_people_do() -> None:
    assert (plural(1, "learner"), plural(2000, "learner")) == ("1 learner", "2,000 learners")
    assert (points(12), points(12.0), points(12.5)) == ("12", "12", "12.5")


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
