"""Every hostile input through every entry point: one clear line, its own outcome, nobody harmed."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.stubs.hostile.cases import Case, corpus
from tests.stubs.hostile.places import FIRST, learner_of, neighbour_of

Trial = dict[str, Any]
CASES = corpus()
INDEX = {case.name: index for index, case in enumerate(CASES)}
SECONDS = 2.0  # of the processor, for one input
MEBIBYTES = 300
PASS = ["pass", 9]
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff]")
_UNRESOLVED = re.compile(
    r'^verify: \S+ \((\S+)\): unresolved: (?:"[^"]*" )?(.*)\. [A-Z].*$', re.MULTILINE
)
_COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)


def first_finding(report: str) -> list[str]:
    checks = json.loads(report)["exercises"][0]["checks"]
    found = [
        [check["code"], finding["message"]]
        for check in checks
        if not check["advisory"]
        for finding in check["findings"]
    ]
    return found[0] if found else []


def of_kind(*kinds: str) -> list[Case]:
    return [case for case in CASES if case.kind in kinds]


def runs_of(trial: Trial) -> dict[str, Any]:
    return {name: run for name, run in trial.items() if isinstance(run, dict) and "code" in run}


def key_of(index: int) -> str:
    """Return what a grader calls a case's learner: the name of its folder, in one line."""
    return learner_of(index, CASES[index]).replace("\n", r"\x0a")


def expected_of(held: dict[str, int], place: str) -> dict[str, list[Any]]:
    """Return outcome and first finding by learner, of all that a place holds."""
    expected: dict[str, list[Any]] = {FIRST: ["pass"]}
    for name, index in held.items():
        graded = CASES[index].graded(place)
        assert graded is not None, name
        expected[key_of(index)] = list(graded)
        expected[neighbour_of(index)] = ["pass"]
    return expected


def unresolved_in(marks: dict[str, list[Any]]) -> set[tuple[str, str]]:
    return {(who, mark[2]) for who, mark in marks.items() if mark[0] == "unresolved"}


def test_the_corpus_in_a_folder_is_graded_case_by_case_and_nothing_leaks(
    quick_trial: Trial,
) -> None:
    run, held = quick_trial["folder"], quick_trial["held"]["folder"]
    shown = run["out"] + run["err"]

    assert {who: [mark[0], *mark[2:]] for who, mark in run["marks"].items()} == expected_of(
        held, "folder"
    )
    assert quick_trial["alone"]["marks"] == {FIRST: PASS}
    lines = run["err"].splitlines()
    assert [line for line in lines if not _UNRESOLVED.fullmatch(line)] == []
    assert set(_UNRESOLVED.findall(run["err"])) == unresolved_in(run["marks"])
    assert (run["code"], run["leaked"], run["ran"]) == (1, False, False)
    assert (_CONTROL.findall(shown), _COMMAND.findall(shown)) == ([], [])


def test_every_case_has_a_name_of_its_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES) > 250


@pytest.mark.slow
@pytest.mark.parametrize("place", ["folder", "zip", "pool"])
def test_a_batch_gives_each_its_own_outcome_and_every_neighbour_a_pass(
    trial: Trial, place: str
) -> None:
    entry = "folder" if place == "pool" else place
    held, marks = trial["held"][entry], trial[place]["marks"]

    assert {who: [mark[0], *mark[2:]] for who, mark in marks.items()} == expected_of(held, entry)
    assert trial[place]["code"] == 1
    lines = trial[place]["err"].splitlines()
    assert [line for line in lines if not _UNRESOLVED.fullmatch(line)] == []
    assert set(_UNRESOLVED.findall(trial[place]["err"])) == unresolved_in(marks)
    assert all(marks[neighbour_of(index)] == PASS for index in held.values())
    assert trial["alone"]["marks"][FIRST] == marks[FIRST] == PASS


@pytest.mark.slow
def test_the_artifact_alone_is_validated(trial: Trial) -> None:
    cases = {f"validate:{case.name}": case for case in CASES if case.validate is not None}
    runs = {name: run for name, run in trial.items() if name.startswith("validate:")}
    wrong = [
        name
        for name, case in cases.items()
        if case.validate is not None
        if runs[name]["code"] != case.validate[0]
        or case.validate[1] not in runs[name]["out"] + runs[name]["err"]
    ]

    assert runs.keys() == cases.keys()
    assert wrong == []
    assert [n for n, run in runs.items() if len(run["out"]) + len(run["err"]) >= 20_000] == []


@pytest.mark.slow
def test_the_levels_script_grades_it(trial: Trial) -> None:
    found, expected = {}, {}
    for name in trial["held"]["folder"]:
        run, graded = trial[f"verify:{name}"], CASES[INDEX[name]].graded("verify")
        assert graded is not None
        found[name] = [run["code"], *first_finding(run["out"])]
        expected[name] = [0 if graded[0] == "pass" else 1, *graded[1 : 3 * (graded[0] == "fail")]]

    assert found == expected


@pytest.mark.slow
def test_claims_are_checked_against_a_hostile_history(trial: Trial) -> None:
    found, expected = {}, {}
    for case in of_kind("repository"):
        run, graded = trial[f"evidence:{case.name}"], case.graded("evidence")
        assert graded is not None
        outcome = "fail" if run["code"] else "not checked"
        found[case.name] = (outcome, run["err"], *first_finding(run["out"]))
        expected[case.name] = (graded[0], "", *graded[1:])

    assert found == expected


@pytest.mark.slow
def test_every_case_is_submitted_everywhere_it_can_be(trial: Trial) -> None:
    held = {place: set(names) for place, names in trial["held"].items()}
    named = {kind: {case.name for case in of_kind(kind)} for kind in ("plan", "tree", "archive")}

    assert named["plan"] | named["tree"] - {"device"} <= held["folder"]  # which only root can make
    assert named["plan"] | named["archive"] <= held["zip"]
    assert named["archive"] == held["archives"]
    assert {case.name for case in of_kind("repository")} == held["evidence"]


@pytest.mark.slow
def test_an_archive_is_its_learners_own_outcome(trial: Trial) -> None:
    found, expected = {}, {}
    for case in of_kind("archive"):
        run, index = trial[f"archives:{case.name}"], INDEX[case.name]
        outcome, _, *finding = run["marks"][learner_of(index, case)]
        neighbours = [run["marks"][who] for who in (FIRST, neighbour_of(index))]
        said = [reason for _, reason in _UNRESOLVED.findall(run["err"])]
        found[case.name] = (run["code"], said, neighbours, outcome, *finding)
        graded = case.graded("archives")
        assert graded is not None
        said = list(graded[1:]) if graded[0] == "unresolved" else []
        expected[case.name] = (0 if graded[0] == "pass" else 1, said, [PASS, PASS], *graded)

    assert found == expected


@pytest.mark.slow
def test_what_cannot_be_graded_is_one_line_or_a_report_that_says_unresolved(trial: Trial) -> None:
    found, expected, unsaid = {}, {}, []
    for case in of_kind("source", "words"):
        run = trial[f"{case.kind}:{case.name}"]
        reported, lines = bool(run["out"]), run["err"].count("\n")
        found[case.name] = (str(run["code"]), reported, lines)
        code, _, *unresolved = case.grade  # a line for each entry that a person has to look at
        expected[case.name] = (code, code == "1", *(map(int, unresolved or ["01"[code == "2"]])))
        unsaid += [] if case.grade[1] in run["out"] + run["err"] else [case.name]

    assert found == expected
    assert unsaid == []


@pytest.mark.slow
def test_no_input_takes_more_than_it_may(trial: Trial) -> None:
    runs = {name: run for name, run in runs_of(trial).items() if ":" in name}

    assert len(runs) > len(CASES)
    slow = {name: run for name, run in runs.items() if run["seconds"] > SECONDS * run["slowness"]}
    assert {name: run["seconds"] for name, run in slow.items()} == {}
    # all of a place together, in one process: what one of them leaves behind would add up
    heavy = {
        n: r["kibibytes"] for n, r in runs_of(trial).items() if r["kibibytes"] > MEBIBYTES << 10
    }
    assert heavy == {}


@pytest.mark.slow
def test_nothing_ends_in_a_trace_or_a_signal(trial: Trial) -> None:
    runs = runs_of(trial)

    assert {n: r["code"] for n, r in runs.items() if r["code"] not in (0, 1, 2)} == {}
    assert [n for n, r in runs.items() if "Traceback" in r["out"] + r["err"]] == []


@pytest.mark.slow
def test_nothing_that_is_shown_drives_a_terminal_or_a_workflow(trial: Trial) -> None:
    shown = {name: run["out"] + run["err"] for name, run in runs_of(trial).items()}

    assert [name for name, text in shown.items() if _CONTROL.search(text)] == []
    assert [name for name, text in shown.items() if _COMMAND.search(text)] == []


@pytest.mark.slow
def test_nothing_outside_is_read_and_nothing_is_run(trial: Trial) -> None:
    assert [name for name, run in runs_of(trial).items() if run["leaked"] or run["ran"]] == []


@pytest.mark.slow
def test_no_submission_is_changed(trial: Trial) -> None:
    assert trial["unchanged"] is True
