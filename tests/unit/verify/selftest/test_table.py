"""A proof is shown as a table, with the excuses by their reasons and the defects one by one."""

from __future__ import annotations

import json

from verify.selftest.defects import FILES, Defect
from verify.selftest.excuses import Excuse
from verify.selftest.proof import Proof, Row
from verify.selftest.record import record
from verify.selftest.table import table

ROWS = (Row("foundation/01", 3, 4, 100, 98, 2, 0), Row("expert/01", 2, 3, 50, 50, 0, 1))
DEFECT = Defect(FILES, "sandbox/a\x1b.md", "stray: not an issue", "Remove it.")
EXCUSED = ((Excuse("a *", "It is right."), 1), (Excuse("b *", "It is right."), 1))

PROVEN = """\
exercise         checks    submissions    mutants    killed    excused    defects
-------------  --------  -------------  ---------  --------  ---------  ---------
foundation/01         3              4        100        98          2          0
expert/01             2              3         50        50          0          1
all                   5              7        150       148          2          0

Mutants that may survive:
     2  It is right.

PROVEN  5 checks, 7 submissions, 150 mutants: 148 killed, 2 excused
"""


def test_a_course_without_defects_is_shown_as_proven() -> None:
    assert table(Proof(ROWS, EXCUSED, ())) == PROVEN


def test_a_defect_says_what_where_and_what_to_do() -> None:
    shown = table(Proof(ROWS, (), (DEFECT,)))

    assert shown.partition("\n\n")[2] == (
        "files: sandbox/a\\u{1b}.md\n  stray: not an issue\n  Remove it.\n\n"
        "NOT PROVEN  1 defect  5 checks, 7 submissions, 150 mutants: 148 killed, 2 excused\n"
    )
    assert "NOT PROVEN  2 defects  " in table(Proof(ROWS, (), (DEFECT, DEFECT)))


def test_the_record_has_the_same_as_a_document() -> None:
    assert json.loads(record(Proof(ROWS[:1], EXCUSED[:1], (DEFECT,)))) == {
        "schema": "urn:issue-pipeline:self-test:1",
        "version": 1,
        "proven": False,
        "exercises": [
            {
                "exercise": "foundation/01",
                "checks": 3,
                "submissions": 4,
                "mutants": 100,
                "killed": 98,
                "excused": 2,
                "defects": 0,
            }
        ],
        "excuses": [{"pattern": "a *", "reason": "It is right.", "mutants": 1}],
        "defects": [
            {
                "area": "files",
                "where": "sandbox/a\u001b.md",
                "what": "stray: not an issue",
                "to_do": "Remove it.",
            }
        ],
    }


def test_a_record_of_no_defects_is_proven() -> None:
    assert json.loads(record(Proof(ROWS, (), ())))["proven"] is True
