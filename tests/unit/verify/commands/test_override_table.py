"""`verify override --from` takes all rows of a table or none; excuses and comments are exported."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.unit.verify.commands.conftest import (
    GRADE,
    ROSTER,
    SOLVED,  # noqa: F401  # where the fixtures are
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Verify = Callable[..., tuple[int, str, str]]

FROM = ("override", "--from", "t.csv", "--by", "grace")
ONE = ("--exercise", "foundation/01")


def set_by_hand(verify: Verify) -> list[str]:
    """Return what is in effect, without the time."""
    lines = verify("override")[1].splitlines()
    return [re.sub(r", 20[^,]*Z", "", line) for line in lines if "withdrawn" not in line]


@pytest.mark.parametrize(
    "table",
    [
        "learner,exercise,score,reason\nada,foundation/01,4.5,oral\n",
        "key;assignment;score;comment\nADA;foundation/1;4,5;oral\n",
        "E-Mail,exercise,score,reason\nAda@x.org,foundation/01,4.50,oral\n",
        "Student,Exercise,Score,Reason\n'Okafor, Ada',foundation/01,4.5,oral\n".replace("'", '"'),
        "First Name,Last Name,exercise,score,reason\nAda,Okafor,foundation/01,4.5,oral\n",
        "student id,gitlab,exercise,score,reason\n99,0017,foundation/01,4.5,oral\n",
        "name,username,exercise,score,reason\nAda O.,ada,foundation/01,4.5,oral\nx,,,,\n",
    ],
)
def test_t5_a_table_names_its_learners_by_any_column(
    graded: Verify, cohort: Path, table: str
) -> None:
    (cohort / "t.csv").write_text(table, "utf-8")
    code, out, err = graded(*FROM)

    assert (code, err, out.splitlines()[-1]) == (0, "", "1 override set")
    assert set_by_hand(graded) == ["ada foundation/01: 4.5 by grace, oral"]
    assert graded(*FROM)[1] == "0 overrides set, 1 unchanged\n"


def test_a_key_in_the_column_learner_is_a_key_whatever_else_it_is(
    graded: Verify, cohort: Path
) -> None:
    (cohort / "two.csv").write_text("id,sis user id,name\nada,7,Ada\neve,ada,Eve\n", "utf-8")
    graded(*GRADE, "--roster", "two.csv", "--replace")
    (cohort / "t.csv").write_text("learner,exercise,score,reason\nada,foundation/01,4,x\n", "utf-8")
    by_key = graded(*FROM)
    (cohort / "t.csv").write_text(
        "sis user id,exercise,score,reason\nada,foundation/01,5,x\n", "utf-8"
    )
    by_either = graded(*FROM)

    assert (by_key[0], set_by_hand(graded)) == (0, ["ada foundation/01: 4 by grace, x"])
    assert (by_either[0], by_either[2].splitlines()[1]) == (
        2,
        't.csv:2: the "sis user id" "ada" may mean 2 learners: "ada", "eve"',
    )


def test_t5_each_bad_row_is_named_and_no_row_is_used(graded: Verify, cohort: Path) -> None:
    rows = (
        "username,name,exercise,score,excused,reason,comment",
        "ada,,foundation/01,4,,oral,",
        "nobody,,foundation/01,4,,oral,",
        "eve,Ada Okafor,foundation/01,4,,oral,",
        ",Ann Lee,foundation/01,4,,oral,",
        "ann,,foundation/09,4,,oral,",
        "ann,,foundation/01,-1,,oral,",
        "ann,,foundation/01,1,yes,oral,",
        "ann,,foundation/01,,perhaps,oral,",
        "ann,,foundation/01,1,,,",
        "ann,,foundation/01,,,oral,",
        "ada,,foundation/1,5,,again,",
        "ann\x1b[2J,,,1,,oral,",
        ",,foundation/01,1,,oral,",
    )
    (cohort / "t.csv").write_text("\n".join(rows), "utf-8")
    code, out, err = graded(*FROM)

    assert (code, out) == (2, "")
    assert err.splitlines() == [
        "verify: t.csv: 12 rows cannot be used; nothing was written",
        't.csv:3: no learner has the "username" "nobody"',
        't.csv:4: may mean 2 learners: "ada", "eve"',
        't.csv:5: may mean 2 learners: "ann", "eve"',
        't.csv:6: this gradebook has no exercise foundation/09 (expected "foundation/01")',
        't.csv:7: the score is "-1" (expected a number such as 4.5)',
        't.csv:8: is excused and has the score "1" (expected one of them)',
        't.csv:9: excused is "perhaps" (expected yes or no)',
        "t.csv:10: has no reason (fill in a column reason, or add --reason TEXT)",
        "t.csv:11: has a reason, but no score and no excuse (fill in score or excused)",
        "t.csv:12: decides about the same as line 2",
        't.csv:13: the "username" contains a control character or damaged text',
        "t.csv:14: names no learner",
    ]
    assert set_by_hand(graded) == ["No scores have been set by hand."]


def test_t5_a_dry_run_shows_what_would_change_and_writes_nothing(
    graded: Verify, cohort: Path
) -> None:
    (cohort / "t.csv").write_text("learner,exercise,score\nada,foundation/01,4\n", "utf-8")
    before = (cohort / "gradebook.db").read_bytes()
    code, out, _ = graded(*FROM, "--reason", "oral", "--dry-run")

    assert code == 0
    assert re.fullmatch(
        r"ada foundation/01: 4 by grace, \S+, oral\.\n1 override set\nNothing was written\.\n", out
    )
    assert (cohort / "gradebook.db").read_bytes() == before


def test_t5_an_excuse_and_a_comment_are_in_every_export(graded: Verify, cohort: Path) -> None:
    (cohort / "roster.csv").write_text(ROSTER.partition("ann,")[0], "utf-8")
    graded(*GRADE, "--roster", "roster.csv")
    (cohort / "canvas.csv").write_text(
        "Student,ID,SIS Login ID,Section,foundation/01 Plan (7)\n    Points Possible,,,,18\n"
        "Ada,1,ada,A,18\nEve,2,eve,A,3\n",
        "utf-8",
    )
    (cohort / "moodle.csv").write_text(
        "Identifier,Full name,Email address,Grade,Maximum grade,Last modified (grade),"
        "Feedback comments\nParticipant 1,Ada Okafor,ada@x.org,,9,-,\n"
        "Participant 2,Ann Lee,eve@x.org,,9,-,\n",
        "utf-8",
    )
    graded("override", "eve", *ONE, "--excused", "--reason", "ill", "--by", "grace")
    graded("override", "ada", *ONE, "--comment", "see <me>", "--by", "grace")
    words = ["--csv-wide", "w.csv", "--json", "c.json", "--html", "site", "--feedback", "f"]
    words += ["--canvas", "c.csv", "--canvas-from", "canvas.csv", "--overwrite"]
    words += ["--moodle", "m.csv", "--moodle-from", "moodle.csv", "--gradescope", "g"]
    assert graded("export", *words)[0] == 0

    text = {name: (cohort / name).read_text("utf-8") for name in ("w.csv", "c.csv", "m.csv")}
    eve = next(line for line in text["w.csv"].splitlines() if line.startswith("eve,"))
    marks = {
        standing["learner"]: standing["marks"][0]
        for standing in json.loads((cohort / "c.json").read_text("utf-8"))["standings"]
    }
    assert ",excused," in eve
    assert (marks["eve"]["outcome"], marks["eve"]["score"]) == ("excused", None)
    assert "Ada,1,ada,A,18\nEve,2,eve,A,EX\n" in text["c.csv"]
    ada_row, eve_row = text["m.csv"].splitlines()[1:]
    assert ada_row.startswith('Participant 1,Ada Okafor,ada@x.org,9,9,-,"Graded by verify: 9 of 9')
    assert "see &lt;me&gt; (grace, 20" in ada_row
    assert eve_row.startswith('Participant 2,Ann Lee,eve@x.org,,9,-,"Graded by verify: no grade; ')
    assert "foundation/01: excused by grace, 20" in eve_row
    for name in ("f/eve.md", "g/eve/results.json"):
        page = (cohort / name).read_text("utf-8").replace("\\", "")
        assert "excused by grace, 20" in page, name
    assert "excused</span>" in (cohort / "site/learners/eve.html").read_text("utf-8")
    for name in ("f/ada.md", "site/learners/ada.html", "g/ada/results.json"):
        page = (cohort / name).read_text("utf-8").replace("\\", "").replace("&lt;", "<")
        assert "see <me>" in page.replace("&gt;", ">"), name


def test_t5_an_excuse_that_is_withdrawn_leaves_canvas_again(graded: Verify, cohort: Path) -> None:
    header = "Student,ID,SIS Login ID,Section,foundation/01 Plan (7)\n    Points Possible,,,,9\n"
    (cohort / "a.csv").write_text(f"{header}Eve,2,eve,A,\nAda,1,ada,A,ex\n", "utf-8")
    graded("override", "eve", *ONE, "--excused", "--reason", "ill")
    graded("export", "--canvas", "b.csv", "--canvas-from", "a.csv")
    assert graded("override", "eve", "--withdraw")[0] == 0
    graded("export", "--canvas", "c.csv", "--canvas-from", "b.csv")
    before, after = (
        (cohort / name).read_text("utf-8").splitlines()[2:] for name in ("b.csv", "c.csv")
    )

    assert before == ["Eve,2,eve,A,EX", "Ada,1,ada,A,ex"]  # the instructor's own stays
    assert after == ["Eve,2,eve,A,0", "Ada,1,ada,A,ex"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ada", *ONE, "--excused"], "--excused needs --reason TEXT"),
        (["ada", *ONE, "--comment", "x", "--reason", "y"], "--comment takes no --reason TEXT"),
        (["ada", "--withdraw", "--comment", "x"], "--withdraw takes no --comment TEXT"),
        (["ada", *ONE, "--comment", " "], "an override needs --exercise LEVEL/NN, and"),
        (["ada", "--from", "t.csv"], "--from takes no LEARNER, --exercise or --comment"),
        (["--from", "none.csv"], "none.csv does not exist"),
        (["--comment", "x"], "an override needs the key of a learner"),
        (["ada", "--assignment", "w9", "--excused", "--reason", "x"], "has no assignment w9"),
    ],
)
def test_t5_what_says_too_little_is_refused(graded: Verify, words: list[str], message: str) -> None:
    code, out, err = graded("override", *words)

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
