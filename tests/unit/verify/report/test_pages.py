"""Tests of the pages: what they say of a learner, of a cohort, and the words of both."""

from __future__ import annotations

import html
import json
import re
from itertools import count

import pytest
from jinja2 import UndefinedError

from tests.stubs.marks import FakeCohort, result_of
from tests.unit.verify.report.conftest import CHECKS, EXERCISE, FINDING, entry, mark
from verify.exports.base import NO_SETTINGS, Settings
from verify.gradebook.copies import Copies
from verify.gradebook.reading import by_learner
from verify.gradebook.records import Learner, Mark, Override, Standing
from verify.grading.model import Outcome
from verify.report.pages import ExcerptLine, Pages, lines_of, percent, plural
from verify.report.tally import CohortTally, LearnerRow, entry_of

BY_HAND = Override(4, "me", "2026-01-01T00:00:00Z", "why")
LETTERS = ("ppp", "ppf", "fsp", "fpp", "epp", "m", "ppp")


def page(entry: LearnerRow, *others: LearnerRow, has_roster: bool = True) -> str:
    """Return the text of an entry's page."""
    return Pages().learner(entry, (entry, *others), has_roster=has_roster).decode()


def overview(cohort: FakeCohort, settings: Settings = NO_SETTINGS) -> str:
    """Return a cohort's overview."""
    tally = CohortTally(cohort)
    numbers = count()
    for attempts in by_learner(cohort):
        entries = [entry_of(next(numbers), standing, cohort.exercises) for standing in attempts]
        tally.add_learner(entries)
    return Pages(settings).overview(tally).decode()


def words(text: str) -> str:
    """Return what a page says, without its tags."""
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", text).split()))


def test_a_failure_shows_what_was_expected_found_and_where() -> None:
    text = page(entry(0, mark("fsp")))

    assert (
        "T01.1 ✗ fail it is there 0 of 2 wrong type plan.json:4:12 $.steps[3].order"
        ' 2 { 3 "a": 1, ▸ failing line 4 "order": true , 5 }'
        " Expected a number Found <b>true</b> To do: Write a number."
        " T01.2 · skip it is <right> (waits for T01.1) 0 of 3"
        " T01.3 ✓ pass it is nice (advisory) no points"
    ) in words(text)
    assert "<mark>true</mark>" in text


def test_a_failure_that_does_not_say_what_to_do_names_its_lesson_and_links_one_on_the_web() -> None:
    mute = FINDING._replace(action="")
    results = tuple(result_of(check, "f", mute) for check in CHECKS)
    text = page(entry(0, mark("fff", results=results)))

    assert "To do: read docs/t/01.md#t01-1" in words(text)
    assert "To do: read the lesson on T01.2" in words(text)
    assert re.findall(r'href="([^"]+)"', text) == [
        *(f"../assets/{name}.css" for name in ("colours", "page", "learner", "media")),
        "../index.html#learners",
        *["https://example.org/#t01-2"] * 2,
    ]


def test_t6_what_to_fix_first_is_what_other_checks_wait_for_with_its_page_and_the_command() -> None:
    again = {mark("fsf").exercise.name: "--issue ISSUE-7"}
    settings = NO_SETTINGS._replace(site="https://school.example/course", again=again)
    text = Pages(settings).learner(entry(0, mark("fsf")), (), has_roster=True).decode()

    assert (
        "Fix first: T01.1 it is there (1 check waits for it) What T01.1 asks"
        " To see it: python3 -m verify toy/01 --issue ISSUE-7 T01.1"
    ) in words(text)
    assert '<a href="https://school.example/course/t/01/#t01-1" rel="noopener' in text
    assert "https://school.example/course/javascript%3Aalert%281%29/" in text
    assert "Fix first" not in page(entry(0, mark("ppf")))  # only advice


def test_t6_who_is_excused_has_nothing_to_fix_and_is_not_in_the_figures_of_a_check() -> None:
    excused = mark("fsp", outcome=Outcome.EXCUSED)
    tally = CohortTally(toys(mark("ppp")))
    for number, each in enumerate((mark("ppp"), mark("fpp"), excused)):
        tally.add_learner([entry(number, each)])

    assert "Fix first" not in page(entry(0, excused))
    assert [item.graded for item in tally.items.figures()[0]] == [2, 2, 2]


def test_t6_the_learners_before_and_after_are_linked_by_name() -> None:
    before, after = entry(0, key="ada"), entry(2, key="<zoë>")
    text = Pages().learner(entry(1), (), has_roster=True, beside=(before, after)).decode()

    assert re.findall('<a href="(.*)">(Previous|Next): <bdi>(.*)</bdi>', text) == [
        ("ada.html", "Previous", "ada"),
        (after.file, "Next", "&lt;zoë&gt;"),
    ]
    assert "Previous" not in page(entry(1))


def test_a_score_set_by_hand_says_by_whom_when_and_why() -> None:
    override = Override(4.5, "<me>", "2026-01-02T03:04:05Z", "late & ill")
    text = words(page(entry(0, mark("fpp", override=override))))

    assert (
        "Set by hand. <me> gave 4.5 on 2026-01-02T03:04:05Z; the checks gave 3. Reason: late & ill"
    ) in text


def test_missing_unresolved_and_error_are_no_zero() -> None:
    marks = mark("u"), mark("m"), mark("epp")
    text = words(page(entry(0, *marks, submitted="2026-03-01T09:30", late=True)))

    assert "Submitted 2026-03-01T09:30 late" in text
    assert (
        "¿ unresolved a person must look at it: no score (not a zero)"
        " two <b>folders</b> hold work To do: Submit one."
    ) in text

    assert "nothing was submitted: no score (not a zero)" in text
    assert "because the grader failed: no score (not a zero)" in text
    assert not re.search(r"\b0 of 5\b", text)


def test_what_the_roster_says_is_shown_and_who_is_not_on_it() -> None:
    known = Learner(
        "k1",
        "Ada",
        "ada@example.edu",
        {"SIS <id>": "7", "empty": "", "login": "k1", "name": "Ada", "e-mail": "ada@example.edu"},
        rostered=True,
    )
    standing = Standing(known, (mark("ppp"),), place="in/k1")
    text = words(page(entry_of(0, standing, [EXERCISE])))
    stranger = words(page(entry_of(0, Standing(Learner("k2"), (mark("ppp"),)), [EXERCISE])))

    assert "Key k1 Email ada@example.edu SIS <id> 7 Read from in/k1" in text
    assert "Roster not listed" in stranger
    assert "Roster" not in text


def test_several_attempts_lead_to_each_other() -> None:
    first = entry(0, mark("fpp"), key="ada", attempt="1")
    second = entry(1, mark("ppp"), key="ada", attempt="2")
    text = page(first, second)

    assert '<span aria-current="page">1</span>' in text
    assert f'<a href="{second.file}">2</a> <span class="soft">pass</span>' in text


def test_pieces_that_are_kept_are_not_given_to_another_learner() -> None:
    pages = Pages()
    first, *others = mark("fpp").results
    other = (result_of(first.check, "f", FINDING._replace(message="other")), *others)
    marks = [*map(mark, ["ppp", "epp", "m", "fpp", "fpp", "pff"]), mark("fpp", results=other)]
    marks += [mark("ppp", override=Override(score, "me", "now", "why")) for score in (1.0, 2.0)]
    entries = [entry(number, each) for number, each in enumerate(marks)]
    together = [pages.learner(entry, [entry], has_roster=True) for entry in entries]

    assert [text.decode() for text in together] == [page(entry) for entry in entries]


def lines(**change: object) -> list[ExcerptLine]:
    return lines_of(FINDING._replace(**change))  # type: ignore[arg-type]


def test_the_value_at_the_place_is_marked_in_its_line() -> None:
    assert lines() == [
        ExcerptLine(2, "  {", "", "", failing=False),
        ExcerptLine(3, '  "a": 1,', "", "", failing=False),
        ExcerptLine(4, '  "order": ', "true", ",", failing=True),
        ExcerptLine(5, "  }", "", "", failing=False),
    ]
    # a string whole, even where it never ends; no value beyond the line, or in the file as a whole
    assert lines(line=1, column=3, excerpt='  "a \\" b", 1')[0].marked == '"a \\" b"'
    assert lines(line=1, column=3, excerpt='  "a b, 1')[0].marked == '"a b, 1'
    assert lines(line=1, column=99, excerpt="abc") == [ExcerptLine(1, "abc", "", "", failing=True)]
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
        ExcerptLine(1, "    ", "\\u{202e}", "true", failing=True)
    ]


def test_a_value_that_is_missing_is_a_fault_and_no_blank() -> None:
    with pytest.raises(UndefinedError):
        Pages().environment.get_template("learner.html").render()


def test_data_in_a_page_cannot_end_its_element() -> None:
    value = ["</script><!--", "&amp;", "\u2028", "half \udc80"]
    text = Pages().environment.from_string("{{ value | tojson }}").render(value=value)

    assert not set(text) & set("<>&\u2028")
    assert json.loads(text) == value


def test_shares_are_whole_numbers() -> None:
    assert [percent(value) for value in (None, 0, 0.976)] == ["–", "0\u00a0%", "98\u00a0%"]  # noqa: RUF001  # a dash


def test_figures_are_written_as_people_do() -> None:
    assert (plural(1, "learner"), plural(2000, "learner")) == ("1 learner", "2,000 learners")
    assert [Pages().environment.filters["points"](n) for n in (12, 12.0, 12.5)] == [
        "12",
        "12",
        "12.5",
    ]


def said(cohort: FakeCohort) -> str:
    """Return the words of a cohort's overview, without tags and data."""
    text = re.sub(r"(?s)<script.*?</script>", "", overview(cohort))
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", text).split())).replace("\u00a0", " ")


def toys(*marks: Mark, has_roster: bool = True, late: bool = False) -> FakeCohort:
    """Return a cohort in the toy exercise, of these marks; the last one may be late."""
    standings = [
        Standing(Learner(f"k{n}", rostered=has_roster), (each,)) for n, each in enumerate(marks)
    ]
    standings[-1] = standings[-1]._replace(late=late)
    return FakeCohort((EXERCISE,), standings, has_roster)


def test_it_begins_with_how_many_passed_failed_are_missing_and_could_not_be_graded() -> None:
    text = said(toys(*map(mark, LETTERS), mark("u"), late=True))

    assert "1 ¿ unresolved a person must look at it, 12 %" in text
    assert "To look at 1 learner unresolved: a person must look 1 learner late" in text
    assert "3 of 8 learners passed toy/01, A toy." in text
    assert "3 ✓ passed all that counts, 38 %" in text
    assert "2 ✗ failed at least one check, 25 %" in text
    assert "1 – missing nothing submitted, 12 %" in text  # noqa: RUF001  # the sign of missing
    assert "1 ? not graded the grader failed, 12 %" in text


def test_every_check_has_its_title_its_bar_and_its_numbers_the_hardest_first() -> None:
    cohort = toys(*map(mark, LETTERS))

    assert (
        "T01.1 it is there 60 % pass 3 passed , 2 failed , 1 not graded ; discrimination +0.61"
        " T01.2 it is <right> 83 % pass 5 passed , 1 skipped ; discrimination +0.61"
        " T01.3 it is nice (advisory) 83 % pass 5 passed , 1 failed ; discrimination -0.28"
    ) in said(cohort)
    assert re.findall(r'<rect class="(.*)" x="(.*)" width="(.*)" height', overview(cohort)) == [
        *(("pass", "0.0", "50.0"), ("fail", "50.0", "33.33"), ("error", "83.33", "16.67")),
        *(("pass", "0.0", "83.33"), ("skip", "83.33", "16.67")),
        *(("pass", "0.0", "83.33"), ("fail", "83.33", "16.67")),
    ]
    assert "T01.1 it is there not graded 1 not graded" in said(toys(mark("epp")))


def test_several_exercises_have_a_bar_each() -> None:
    other = EXERCISE._replace(name="toy/02", title="Another")
    both = Standing(Learner("k0", rostered=True), (mark("fpp"), mark("m", exercise=other)))
    text = said(FakeCohort((EXERCISE, other), [both]))

    assert "toy/01 A toy 0 % pass 1 failed toy/02 Another not graded 1 missing" in text


def test_it_groups_the_failures_with_the_learners_behind_them() -> None:
    text = said(toys(*map(mark, LETTERS)))

    assert "2 T01.1 wrong type $.steps[*].order it is there 2 learners" in text
    assert "k2 , k3" in text.replace("k2, k3", "k2 , k3")


def test_copies_are_a_reason_to_look_with_the_learners_behind_them() -> None:
    two, both = (("k0", ""), ("k1", "")), ("plan.json", "worker-result.json")
    alike = [Copies("toy/01", both, "", two), Copies("toy/01", both, "solution", two[:1])]
    cohort = toys(mark("ppp"), mark("ppp"))._replace(alike=alike)
    text = said(cohort)

    assert "Copies are a reason to look, not a verdict" in text
    assert (
        "1 learner submitted the solution that the course ships in toy/01"
        " plan.json , worker-result.json 1 learner of copies, group 1 k0"
    ) in text
    assert (
        "2 learners submitted the same artifacts in toy/01"
        " plan.json , worker-result.json 2 learners of copies, group 2 k0 , k1"
    ) in text
    assert "<bdi>k0</bdi>" in overview(cohort)
    assert '"copies":["the shipped solution","1 other"]' in overview(cohort)
    assert "No two learners submitted the same artifacts." in said(toys(mark("ppp")))


def test_it_tells_of_scores_set_by_hand_and_of_strangers() -> None:
    cohort = toys(mark("fpp", override=BY_HAND))
    stranger = [*cohort.made, Standing(Learner("zz"), (mark("ppp"),))]
    output = "To look at 1 learner not on the roster 1 learner scored by hand"

    assert output in said(cohort._replace(made=stranger))


def test_t6_what_a_person_must_look_at_comes_first_and_is_text() -> None:
    lines = [f"entry-{number}: unmatched: <b>who</b>" for number in range(102)]
    text = overview(toys(mark("ppp")), NO_SETTINGS._replace(attention=lines))

    assert words(text).index("To look at") < words(text).index("complete score")
    assert "<li><bdi>entry-99: unmatched: &lt;b&gt;who&lt;/b&gt;</bdi></li>" in text
    assert "and 2 more: see --entries" in words(text)
    assert "entry-100" not in text


def test_t6_a_section_is_an_option_with_its_value_as_the_roster_writes_it() -> None:
    learners = [Learner(f"k{n}", ids={"Section": text}) for n, text in enumerate(('B  "2"', "A<"))]
    text = overview(
        FakeCohort((EXERCISE,), [Standing(learner, (mark("ppp"),)) for learner in learners])
    )

    assert re.findall(r'<option value="([^"]*)">([^<]*)</option>', text)[-3:] == [
        ("", "all"),
        ("A&lt;", "A&lt;"),
        ("B  &#34;2&#34;", "B  &#34;2&#34;"),
    ]
    assert 'name="section"' not in overview(toys(mark("ppp")))


def test_t6_checks_that_divide_nobody_are_named() -> None:
    text = said(toys(mark("pfp"), mark("pfp"), mark("pff")))

    assert (
        "No discrimination, since everyone graded has the same outcome:"
        " T01.2 (none pass), T01.1 (all pass)."
    ) in text.replace(" ,", ",").replace(" .", ".")


def test_without_a_roster_no_one_is_missing_or_unknown() -> None:
    text = said(toys(mark("ppp"), has_roster=False))

    assert "nothing submitted" not in text
    assert "To look at" not in text


def test_several_attempts_of_one_learner_are_counted_as_attempts() -> None:
    standing = Standing(Learner("k0", rostered=True), (mark("ppp"),))

    assert "2 of 2 attempts passed" in said(FakeCohort((EXERCISE,), [standing, standing]))


def test_where_nothing_is_scored_or_failed_it_says_so() -> None:
    text = said(toys(mark("m")))

    assert "No learner has a complete score." in text
    assert "No check failed." in text
