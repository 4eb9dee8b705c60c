"""A learner's page says all of the learner's own work, and nothing in it takes effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from tests.stubs.marks import result_of
from tests.unit.verify.exports.conftest import IVY, OVERRIDE, UNRESOLVED, standing_of, whole
from verify.exports.base import NO_SETTINGS, link_of
from verify.exports.feedback import page, plain

if TYPE_CHECKING:
    from verify.gradebook.reading import Cohort


def test_the_whole_page(sole: Cohort) -> None:
    assert page(list(sole.standings())) == whole("feedback.md")


def test_a_missing_or_ungraded_exercise_says_so_and_is_no_zero() -> None:
    missing, error = page([standing_of("eve", "", "")]), page([standing_of("cyd", "pppp", "e")])

    row = IVY._replace(marks=(UNRESOLVED,))

    assert page([row]) == (
        "# ivy\n\nSubmitted 2026\\-03\\-01T09\\:30, late.\n\n"
        "There is no total score because an exercise has no score.\n\n"
        "## expert/01 Classify: unresolved\n\n"
        "unresolved\\: two folders hold work. Submit one\n"
    )
    assert missing == (
        "# eve\n\nThere is no total score because an exercise has no score.\n\n"
        "## expert/04 Evidence: missing\n\nmissing\\: no submission was found\n\n"
        "## expert/01 Classify: missing\n\nmissing\\: no submission was found\n"
    )
    assert "## expert/01 Classify: not graded\n\nnot graded\\: the grader failed" in error
    assert "| E01.1 | error | three records | -/4 |" in error
    assert "\n0 of" not in error


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ada", "Ada"),
        ("Zoë 李", "Zoë 李"),
        ("משה", "\u2068משה\u2069"),
        ("5 عمر", "\u20685 عمر\u2069"),
        ("Ada\u202e", "Ada\\\\u\\{202e\\}"),  # an override is shown, and has no effect
        ("\u2069משה", "\u2068\\\\u\\{2069\\}משה\u2069"),  # nobody ends what isolates a name
    ],
)
def test_a_name_from_right_to_left_reorders_nothing_beside_it(name: str, shown: str) -> None:
    assert plain(name) == shown


def test_t6_it_says_what_to_fix_first_where_that_is_explained_and_how_to_see_it() -> None:
    again = {"expert/04": "--course 'my course'", "expert/01": "--strict"}
    settings = NO_SETTINGS._replace(site="https://school.example/c", again=again)
    text = page([standing_of("dan", "pfps")], settings)
    first = (
        "Fix first: **E04.2** every file is planned (1 check waits for it).\n\n"
        "To see it yourself:\n\n"
        "```text\npython3 -m verify expert/04 --course 'my course'\n```\n\n| check "
    )

    assert first in text
    assert "[More on E04.2](<https://school.example/c/expert/tutorials/page/#e04-2>)" in text
    assert "Fix first" not in page([standing_of("bob")], settings)


@pytest.mark.parametrize(
    ("address", "site", "link"),
    [
        ("docs/a/b.md#x-1", "", ""),
        ("docs/a/b.md#x-1", "https://s.example/", "https://s.example/a/b/#x-1"),
        ("docs/a/index.md", "http://s.example", "http://s.example/a/"),
        (
            "docs/a b.md",
            "https://s.example/blob/{page}?plain",
            "https://s.example/blob/docs/a%20b.md?plain",
        ),
        ("https://e.org/#x", "https://s.example", "https://e.org/#x"),
        ("https://e.org/>)[x", "", "https://e.org/%3E)[x"),
        ("javascript:alert(1)", "", ""),
        ("", "https://s.example", ""),
    ],
)
def test_t6_a_page_of_the_course_is_linked_below_its_site(
    address: str, site: str, link: str
) -> None:
    assert link_of(address, site) == link


def test_an_override_and_the_level_of_provenance_are_reported_where_there_are_some() -> None:
    row = standing_of("dan", "pfps", override=OVERRIDE)
    traced = row._replace(marks=(row.marks[0]._replace(provenance="L1"), row.marks[1]))
    level = "Provenance of the artifacts: L1. The level does not change the score."
    texts = [page([each]) for each in (standing_of("bob"), traced)]

    assert [(level in text, "score set to" in text) for text in texts] == [
        (False, False),
        (True, True),
    ]
    assert "7.5 of 10 points.\n" in texts[1]
    assert "score set to 7.5 by Dr. Grace, 2026" in texts[1]
    assert "late, but argued, well" in texts[1]


def test_the_attempt_that_counts_comes_first() -> None:
    text = page([standing_of("hal", "pfps", attempt="1"), standing_of("hal", attempt="2")])

    assert text.startswith("# hal\n\n**Attempt 2, which counts**\n\n14 of 14 points in total.")
    assert "**Attempt 1**\n\n6 of 14 points in total." in text


def test_a_fence_ends_where_it_should_and_nothing_in_it_commands_a_runner() -> None:
    row = standing_of("x", "pfpp")
    trace = row.marks[0]
    wild = "x\n```\n# forged\n`````\n~~~\n<b>x</b>\n    ::error::x\n##[add-path]/tmp"
    first, second, *others = trace.results
    finding = second.findings[0]._replace(excerpt=wild)
    results = (first, result_of(second.check, "f", finding), *others)

    text = page([row._replace(marks=(trace._replace(results=results), row.marks[1]))])
    *_, fence = (token for token in MarkdownIt().parse(text) if token.type == "fence")
    lines = [line[10:] for line in fence.content.splitlines()]

    assert lines[5:-3] == wild.split("\n")[:-1]
    assert "##[" not in text


@pytest.mark.parametrize(
    ("words", "escaped", "parts"),
    [
        ("a|b", "a\\|b", [("text", "a|b")]),
        ("*bold* _it_ ~gone~", "\\*bold\\* \\_it\\_ \\~gone\\~", [("text", "*bold* _it_ ~gone~")]),
        ("www.e.org", "www\\.e.org", [("text", "www.e.org")]),
        ("<img src=x>", "&lt;img src=x\\>", [("text", "<img src=x>")]),
        (
            "![x](https://e.org)",
            "\\!\\[x\\]\\(https\\://e.org\\)",
            [("text", "![x](https://e.org)")],
        ),
        ("# big", "\\# big", [("text", "# big")]),
        ("\\| &lt;", "\\\\\\| \\&lt;", [("text", "\\| &lt;")]),
        ("::error::x", "\\:\\:error\\:\\:x", [("text", "::error::x")]),
        ("a@b.c", "a`@`b.c", [("text", "a"), ("code_inline", "@"), ("text", "b.c")]),
        ("see #1", "see `#`1", [("text", "see "), ("code_inline", "#"), ("text", "1")]),
        ("GH-1", "GH`-`1", [("text", "GH"), ("code_inline", "-"), ("text", "1")]),
        ("`@`", "\\``@`\\`", [("text", "`"), ("code_inline", "@"), ("text", "`")]),
    ],
    ids=ascii,
)
def test_our_own_words_are_shown_as_written_and_name_no_person_and_no_issue(
    words: str, escaped: str, parts: list[tuple[str, str]]
) -> None:
    (paragraph,) = [each for each in MarkdownIt("commonmark").parse(plain(words)) if each.children]
    shown = [(part.type, part.content) for part in paragraph.children or []]

    assert plain(words) == escaped
    assert "".join(text for _, text in shown) == "".join(text for _, text in parts)
    assert [kind for kind, _ in shown if kind != "text"] == [k for k, _ in parts if k != "text"]
