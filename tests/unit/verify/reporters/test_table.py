"""The table in whole texts: aligned at every width, told apart without colour, nothing lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from verify.course import catalog
from verify.grading.levels import Level, Provenance, Traced, WhyNot
from verify.grading.model import PASSED, Check, Finding, Outcome, Report, Result, Verdict, failed
from verify.reporters.base import GradedRun, place, provenance_lines
from verify.reporters.table import failure_lines, render

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from verify.grading.model import Exercise
    from verify.reporters.base import View

EXERCISES = list(catalog.exercises())
LONGEST_TITLE = 44  # what two codes, a result and the points leave of 80 columns
CHECK = Check(
    code="F01.1",
    title="all is well",
    run=lambda _: PASSED,
    hint="Fix it.",
    look_at="The first line.",
    example='{\n  "a": 1\n}',
)
LOOK = "  Look at: The first line."
CHANGE = "  Change: Fix it."
EXAMPLE = ["  Example:", "    {", '      "a": 1', "    }"]
FINDING = Finding("wrong")
ADVISED = Finding("is a folder", action="Put a file there.")
MORE = "  More: add --hint, or run: verify explain F01.1"
AGAIN = "  More: add --hint once more, or run: verify explain F01.1"
ALL = "  More: verify explain F01.1"
LONG_FILE = "/".join(["folder"] * 30)
WRONG = failed(FINDING)


def verdict(text: str) -> str:
    return text.split("\n\n")[2]


def report_of(exercise: Exercise, broken: Container[str]) -> Report:
    """Return a report in which some checks fail, and what requires them waits."""
    blockers: dict[str, str] = {}
    results = []
    for check in exercise.checks:
        blocker = next((blockers[code] for code in check.requires if code in blockers), "")
        if check.code in broken:
            blockers[check.code] = check.code
            results.append(Result(check, WRONG))
        elif blocker:
            blockers[check.code] = blocker
            results.append(Result(check, Verdict(Outcome.SKIP), blocker))
        else:
            results.append(Result(check, PASSED))
    return Report(exercise, "work", tuple(results))


@pytest.mark.parametrize("symbols", [True, False])
def test_no_line_of_the_table_is_longer_than_the_terminal_is_wide(
    mixed_run: GradedRun, view: View, *, symbols: bool
) -> None:
    tables = {
        width: render(mixed_run, view._replace(width=width, symbols=symbols)).text.partition(
            "\n\nF01.5"
        )[0]
        for width in range(40, 201)
    }

    assert [w for w, table in tables.items() if max(map(len, table.split("\n"))) > w] == []


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_each_check_takes_one_line_of_80_columns_whichever_check_fails(
    view: View, exercise: Exercise
) -> None:
    for check in exercise.checks:
        report = report_of(exercise, {check.code})
        text = render(GradedRun(exercise.level, (report,)), view).text
        table = text.split("\n\n")[1].split("\n")[2:]

        assert [line for line in table if line.startswith(" ") or len(line) > 80] == []
        assert len({line.split()[0] for line in table}) == len(table)
    assert [c.code for c in exercise.checks if len(c.title) > LONGEST_TITLE] == []


def test_checks_that_wait_for_the_same_check_are_one_row(view: View) -> None:
    report = report_of(catalog.find("foundation", "4"), {"F04.1", "F04.3"})
    lines = render(GradedRun("foundation", (report,)), view).text.split("\n")

    assert [" ".join(line.split()[:-1]) for line in lines if "skipped  " in line] == [
        "F04.4 \N{EN DASH} skipped waits for F04.1 (also 7, 10, 12, 17)",
        "F04.6 \N{EN DASH} skipped waits for F04.3 (also 11, 13\N{EN DASH}16)",
    ]


def test_the_first_failure_is_last_and_alone_has_hints(view: View) -> None:
    report = report_of(catalog.find("foundation", "4"), {"F04.1", "F04.2"})
    shown = render(GradedRun("foundation", (report,)), view._replace(hints=1)).text.split("\n\n")

    assert [part.partition(" ")[0] for part in shown[-2:]] == ["F04.2", "F04.1"]
    assert "Look at:" not in shown[-2]
    assert shown[-1].split("\n")[2].startswith("  Look at: ")


@pytest.mark.parametrize("rows", range(6, 40))
@pytest.mark.parametrize("broken", [("E02.3", "E02.5", "E02.13"), ()])
def test_l6_a_small_screen_has_the_first_failure_whatever_it_leaves_out(
    view: View, rows: int, broken: tuple[str, ...]
) -> None:
    report = report_of(catalog.find("expert", "2"), broken)
    text = render(GradedRun("expert", (report,)), view._replace(rows=rows)).text

    assert len(text.splitlines()) <= rows
    if broken:
        assert "\nE02.3  ISSUE-301 (trivial): git result is valid\n" in text
        assert text.startswith(("expert/02 - Run three tiers\n", "(lines left out: "))
    else:
        assert "\nPASSED  16 of 16 points (21 passed)\n" in text


@pytest.mark.parametrize("rows", [6, 10, 22])
@pytest.mark.parametrize("hints", range(4))
def test_m11_what_to_do_is_never_cut_and_a_hint_is_shown_in_any_window(
    view: View, rows: int, hints: int
) -> None:
    exercise = catalog.find("foundation", "1")
    findings = [
        Finding(f"wrong {n}", "much " * 30, "little", "plan.json", f"$.a[{n}]", n, 1, f"Do {n}.")
        for n in range(1, 9)
    ]
    results = [Result(check, PASSED) for check in exercise.checks]
    results[2] = Result(exercise.checks[2], failed(*findings))
    run = GradedRun("foundation", (Report(exercise, "work", tuple(results)),))
    lines = render(run, view._replace(rows=rows, hints=hints, keys=True)).text.splitlines()
    heads = ["  Look at:", "  Example:", "  Example:"]

    assert len(lines) <= rows
    assert "  To do: Do 1." in lines
    assert lines[-1].startswith("  More: ")
    assert [line[:10] for line in lines if line[:10] in heads][-1:] == heads[:hints][-1:]


def test_m11_several_failures_say_which_to_fix_first(view: View) -> None:
    exercise = catalog.find("foundation", "4")
    texts = [
        render(GradedRun("foundation", (report_of(exercise, broken),)), view).text
        for broken in ({"F04.1"}, {"F04.1", "F04.2"})
    ]

    assert ["\nFix the failure at the bottom first.\n" in text for text in texts] == [False, True]


def test_notes_fail_nothing_and_are_shown_where_they_are_asked_for(
    run_of: Callable[..., GradedRun], view: View
) -> None:
    run = run_of(PASSED, PASSED, PASSED, WRONG, PASSED)
    brief, full = (render(run, view._replace(verbose=verbose)).text for verbose in (False, True))

    assert verdict(brief) == "PASSED  11 of 11 points (4 passed, 1 note)\nMore with -v: 1 note"
    assert verdict(full) == "PASSED  11 of 11 points (4 passed, 1 note)"
    assert ("\n\nF01.4  " in brief, "\n\nF01.4  " in full) == (False, True)


def test_a_heading_is_wrapped_at_the_width(mixed_run: GradedRun, view: View) -> None:
    (report,) = mixed_run.reports
    long = replace(report.exercise, title="Break an issue down into well-known parts")
    run = mixed_run._replace(reports=(report._replace(exercise=long),))
    heading = "foundation/01 - Break an issue down into well-known parts - ISSUE-7"
    shown = {
        width: render(run, view._replace(width=width)).text.partition("\n\n")[0]
        for width in (67, 66, 20)
    }
    without = run._replace(reports=(report._replace(exercise=replace(long, issue=None)),))

    assert shown == {
        67: heading,
        66: heading.replace(" ISSUE-7", "\nISSUE-7"),
        20: heading.replace("into well", "into\nwell"),
    }
    assert render(without, view).text.startswith(f"{heading.removesuffix(' - ISSUE-7')}\n\n")


def test_a_reason_of_all_artifacts_names_none_of_them() -> None:
    missed = (WhyNot(Level.CONSISTENT, "nothing is compared"),)
    traced = [Traced(name, name, Level.DECLARED, missed) for name in ("plan.json", "other.json")]

    assert provenance_lines(Provenance(tuple(traced)))[1:] == ["not L1: nothing is compared"]


@pytest.mark.parametrize("level", catalog.LEVELS)
def test_no_line_of_a_level_is_longer_than_the_terminal_is_wide(view: View, level: str) -> None:
    reports = [
        Report(each, "work", tuple(Result(check, WRONG) for check in each.checks))
        for each in catalog.level(level)
    ]
    run = GradedRun(level, tuple(reports), overview=True)
    tables = {
        width: render(run, view._replace(width=width)).text.rpartition("\n\n")[0]
        for width in range(40, 201)
    }

    assert [w for w, table in tables.items() if max(map(len, table.split("\n"))) > w] == []


def lines(view: View, *findings: Finding) -> list[str]:
    return failure_lines(Result(CHECK, failed(*findings)), view)


def test_values_are_wrapped_below_their_labels(view: View) -> None:
    finding = Finding("message " * 6, "expected " * 5, "found " * 6)

    assert lines(view._replace(width=40), finding) == [
        "F01.1  all is well",
        "  message message message message",
        "  message message",
        "    expected  expected expected expected",
        "              expected expected",
        "    found     found found found found",
        "              found found",
    ]


def test_a_place_is_never_wrapped_so_that_editors_jump_from_it(view: View) -> None:
    finding = Finding("wrong", file=LONG_FILE, path="$.steps[0].file", line=3, column=14)

    assert f"  {LONG_FILE}:3:14  $.steps[0].file" in lines(view._replace(width=40), finding)


@pytest.mark.parametrize(
    ("finding", "shown"),
    [
        (Finding("wrong", file="plan.json"), "plan.json"),
        (Finding("wrong", file="plan.json", line=3, column=1), "plan.json:3:1"),
        (Finding("wrong", file="plan.json", path="$.steps"), "plan.json  $.steps"),
        (Finding("wrong", file="a\nb", path="$.\x1b"), "a\\nb  $.\\u{1b}"),
    ],
)
def test_a_place_is_a_file_a_spot_and_a_path(finding: Finding, shown: str) -> None:
    assert place(finding) == shown


def test_a_value_of_a_million_characters_is_cut(view: View) -> None:
    shown = lines(view, Finding("wrong", found="x" * 1_000_000))

    assert 1_000 < sum(map(len, shown)) < 1_500


@pytest.mark.parametrize(
    ("finding", "stage", "shown"),
    [
        (FINDING, 0, [MORE]),
        (FINDING, 1, [LOOK, AGAIN]),
        (FINDING, 2, [LOOK, CHANGE, AGAIN]),
        (FINDING, 9, [LOOK, CHANGE, *EXAMPLE, ALL]),
        (ADVISED, 0, ["  To do: Put a file there.", MORE]),
        (ADVISED, 1, ["  To do: Put a file there.", LOOK, AGAIN]),
        (ADVISED, 9, ["  To do: Put a file there.", LOOK, *EXAMPLE, ALL]),
    ],
)
def test_each_hint_that_is_asked_for_comes_after_those_before_it(
    view: View, finding: Finding, stage: int, shown: list[str]
) -> None:
    result = Result(CHECK, failed(finding))
    head = ["F01.1  all is well", f"  {finding.message}"]
    hinted = view._replace(hints=stage)

    assert failure_lines(result, hinted, first=True) == [*head, *shown]
    assert failure_lines(result, hinted) == [*head, *shown[: bool(finding.action)]]


def test_a_key_asks_for_the_next_hint_where_keys_are_read(view: View) -> None:
    shown = failure_lines(Result(CHECK, failed(FINDING)), view._replace(keys=True), first=True)

    assert shown[-1] == "  More: press h, or run: verify explain F01.1"


def test_a_crash_has_no_hints(view: View) -> None:
    crash = Result(CHECK, Verdict(Outcome.ERROR, (Finding("crashed", action="Report it."),)))

    assert failure_lines(crash, view._replace(hints=9), first=True) == [
        *("F01.1  all is well", "  crashed", "  To do: Report it.")
    ]


def test_findings_with_one_action_have_it_once(view: View) -> None:
    other = Finding("empty", action="Fill it.")

    assert lines(view, ADVISED, ADVISED, other)[1:] == [
        *("  is a folder", "  is a folder", "  To do: Put a file there."),
        *("  empty", "  To do: Fill it."),
    ]
