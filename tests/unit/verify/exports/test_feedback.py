"""A learner's page says all of the learner's own work, and nothing in it takes effect."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from verify.exports.feedback import page, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Override, Standing

MARKDOWN = MarkdownIt("commonmark").enable("table")
INLINE = {"text", "code_inline", "strong_open", "strong_close", "softbreak"}

PAGE = """\
# Bob

6 of 14 points in total.

## expert/04 Evidence: not passed

2 of 10 points.

| check | result | what is checked | points |
| --- | --- | --- | ---: |
| E04.1 | pass | plan.json is there | 2/2 |
| E04.2 | fail | every file is planned | 0/3 |
| E04.3 | note | the branch names its issue |  |
| E04.4 | after E04.2 | the trace is whole | 0/5 |

- **E04.2** ` sandbox/.pipeline/ISSUE-7/plan.json:4:5  $.steps[0] ` this file stands in no step.\
 Expected ` a step `. Found ` "a.js" `. Add a step.

  ```text
      2     "affected_files": [],
      3     "steps": [
      4 >     {"file": "a.js"}
      5     ]
  ```

Lesson: ` docs/expert/tutorials/page.md#e04-2 `

- **E04.3** ` sandbox/.pipeline/ISSUE-7/plan.json:4:5  $.steps[0] ` this file stands in no step.\
 Expected ` a step `. Found ` "a.js" `. Add a step.

  ```text
      2     "affected_files": [],
      3     "steps": [
      4 >     {"file": "a.js"}
      5     ]
  ```

Lesson: ` docs/expert/tutorials/page.md#e04-3 `

## expert/01 Classify: passed

4 of 4 points.

| check | result | what is checked | points |
| --- | --- | --- | ---: |
| E01.1 | pass | three records | 4/4 |
"""


def test_the_whole_page(sole: Cohort) -> None:
    assert page(list(sole.standings())) == PAGE


def test_a_missing_or_ungraded_exercise_says_so_and_is_no_zero(
    standing_of: Callable[..., Standing],
) -> None:
    missing, error = page([standing_of("eve", "", "")]), page([standing_of("cyd", "pppp", "e")])

    assert missing == (
        "# eve\n\nNo score in total, of 14 points: a part of it is not known.\n\n"
        "## expert/04 Evidence: missing\n\nmissing\\: no submission was found\n\n"
        "## expert/01 Classify: missing\n\nmissing\\: no submission was found\n"
    )
    assert "## expert/01 Classify: not graded\n\nnot graded\\: grading itself failed" in error
    assert "| E01.1 | error | three records | -/4 |" in error
    assert "\n0 of" not in error


def test_an_override_is_explained(standing_of: Callable[..., Standing], override: Override) -> None:
    text = page([standing_of("dan", "pfps", override=override)])

    assert "7.5 of 10 points.\n\nscore set to 7.5 by Dr. Grace, 2026" in text
    assert "late, but argued, well" in text


def test_the_attempt_that_counts_comes_first(standing_of: Callable[..., Standing]) -> None:
    text = page([standing_of("hal", "pfps", attempt="1"), standing_of("hal", attempt="2")])

    assert text.startswith("# hal\n\n**Attempt ` 2 `, which counts**\n\n14 of 14 points in total.")
    assert "**Attempt ` 1 `**\n\n6 of 14 points in total." in text


def test_nothing_hostile_takes_effect(hostile: Cohort) -> None:
    for row in hostile.standings():
        text = page([row])
        tokens = MARKDOWN.parse(text)

        assert text.replace("\n", "").isprintable()
        assert "html_block" not in {token.type for token in tokens}
        assert {p.type for token in tokens for p in token.children or []} - INLINE == set()
        assert sum(token.type == "heading_open" for token in tokens) == 3
        assert sum(token.type == "fence" for token in tokens) == 3


def test_a_fence_ends_where_it_should_whatever_stands_in_it(
    standing_of: Callable[..., Standing],
) -> None:
    row = standing_of("x", "pfpp")
    trace = row.marks[0]
    wild = "x\n```\n# forged\n`````\n~~~\n<b>x</b>\n    ::error::x"
    finding = trace.checks[1].findings[0]._replace(excerpt=wild)
    checks = (trace.checks[0], trace.checks[1]._replace(findings=(finding,)), *trace.checks[2:])

    text = page([row._replace(marks=(trace._replace(checks=checks), row.marks[1]))])
    (fence,) = (token for token in MARKDOWN.parse(text) if token.type == "fence")

    assert [line[8:] for line in fence.content.splitlines()] == wild.split("\n")


def test_no_line_of_a_page_commands_a_runner(standing_of: Callable[..., Standing]) -> None:
    row = standing_of("x", "pfpp")
    trace = row.marks[0]
    finding = trace.checks[1].findings[0]._replace(excerpt="##[add-path]/tmp")
    checks = (trace.checks[0], trace.checks[1]._replace(findings=(finding,)), *trace.checks[2:])

    assert "##[" not in page([row._replace(marks=(trace._replace(checks=checks), row.marks[1]))])


def test_each_learner_has_a_file_and_the_list_says_which(
    cohort: Cohort, hostile: Cohort, tmp_path: Path, settings: Settings
) -> None:
    assert write(cohort, str(tmp_path / "a"), settings) == [str(tmp_path / "a")]
    write(hostile, str(tmp_path / "b"), settings)
    with open(tmp_path / "b" / "files.csv", encoding="utf-8", newline="") as file:
        listed = [row["file"] for row in csv.DictReader(file)]

    assert (tmp_path / "a" / "hal.md").read_text(encoding="utf-8").count("Attempt") == 2
    assert len(list((tmp_path / "a").iterdir())) == 10
    assert sorted(listed) == sorted(p.name for p in (tmp_path / "b").glob("*.md"))
    assert len({name.casefold() for name in listed}) == len(list(hostile.standings()))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "b"]
