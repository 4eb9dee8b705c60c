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
PLACES = ("folder", "zip", "tar", "tgz", "pool")
PASS = ["pass", 8]
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ufeff]")
_COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)


def named(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: str(case.name))


def first_finding(report: str) -> list[str]:
    checks = json.loads(report)["exercises"][0]["checks"]
    found = [
        [check["code"], finding["message"]]
        for check in checks
        if not check["advisory"]
        for finding in check["findings"]
    ]
    return found[0] if found else []


def with_grade(*kinds: str) -> list[Case]:
    return [case for case in CASES if case.kind in kinds]


def is_folder(case: Case) -> bool:
    return case.kind != "archive" and not str(case.recipe).endswith(".bundle")


def test_names_of_cases_are_their_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES) > 250


@named([case for case in CASES if case.validate is not None])
def test_the_artifact_alone_is_validated(trial: Trial, case: Case) -> None:
    run = trial.get(f"validate:{case.name}")
    assert run is not None
    assert case.validate is not None
    code, line = case.validate

    assert (run["code"], line in run["out"] + run["err"]) == (code, True)
    assert len(run["out"]) + len(run["err"]) < 20_000


@named([case for case in with_grade("plan", "tree", "learner", "repository") if is_folder(case)])
def test_the_levels_script_grades_it(trial: Trial, case: Case) -> None:
    if case.name not in trial["held"]["folder"]:
        assert case.name == "device"  # which only root can make
        return
    run, expected = trial[f"verify:{case.name}"], case.graded("verify")
    assert expected is not None

    assert run["code"] == (0 if expected[0] == "pass" else 1)
    assert first_finding(run["out"]) == list(expected[1:])


@named([case for case in with_grade("archive", "repository") if not is_folder(case)])
def test_the_levels_script_takes_no_archive_for_a_project(trial: Trial, case: Case) -> None:
    run = trial[f"verify:{case.name}"]

    assert (run["code"], run["out"], run["err"].count("\n")) == (2, "", 1)
    assert run["err"].endswith(" is not a folder\n")


@named(with_grade("repository"))
def test_claims_are_checked_against_a_hostile_history(trial: Trial, case: Case) -> None:
    run, expected = trial[f"evidence:{case.name}"], case.graded("evidence")
    assert expected is not None

    assert (run["code"], run["err"]) == (1, "")
    assert ("fail", *first_finding(run["out"])) == expected


@pytest.mark.parametrize("place", PLACES)
def test_a_batch_gives_each_its_own_outcome_and_every_neighbour_a_pass(
    trial: Trial, place: str
) -> None:
    entry = "folder" if place == "pool" else place
    held, marks = trial["held"][entry], trial[place]["marks"]
    expected: dict[str, list[Any]] = {FIRST: ["pass"]}
    for name, index in held.items():
        graded = CASES[index].graded(entry)
        assert graded is not None, name
        expected[learner_of(index, CASES[index])] = list(graded)
        expected[neighbour_of(index)] = ["pass"]

    assert {who: [mark[0], *mark[2:]] for who, mark in marks.items()} == expected
    assert trial[place]["code"] == 1
    assert trial[place]["err"] == ""
    assert all(marks[neighbour_of(index)] == PASS for index in held.values())
    assert trial["alone"]["marks"][FIRST] == marks[FIRST] == PASS


def test_every_case_is_handed_in_everywhere_it_can_be(trial: Trial) -> None:
    plans = {case.name for case in with_grade("plan")}
    archives = {case.name for case in with_grade("archive")}
    repositories = {case.name for case in with_grade("repository")}

    assert plans <= set(trial["held"]["folder"])
    assert plans | archives <= set(trial["held"]["zip"])
    assert trial["held"]["zip"].keys() == trial["held"]["tar"].keys()
    assert trial["held"]["zip"].keys() == trial["held"]["tgz"].keys()
    assert archives == set(trial["held"]["archives"])
    assert repositories == set(trial["held"]["evidence"])


@named(with_grade("archive"))
def test_an_archive_is_its_learners_own_outcome(trial: Trial, case: Case) -> None:
    run, index = trial[f"archives:{case.name}"], INDEX[case.name]
    mark = run["marks"][learner_of(index, case)]

    assert (mark[0], *mark[2:]) == case.graded("archives")
    assert [run["marks"][who] for who in (FIRST, neighbour_of(index))] == [PASS, PASS]
    assert (run["code"], run["err"]) == (0 if mark[0] == "pass" else 1, "")


@named(with_grade("source", "words"))
def test_what_cannot_be_graded_is_one_line(trial: Trial, case: Case) -> None:
    run = trial[f"{case.kind}:{case.name}"]
    code, line = case.grade

    assert (str(run["code"]), run["out"], run["err"].count("\n")) == (code, "", 1)
    assert line in run["err"]


def runs_of(trial: Trial) -> dict[str, Any]:
    return {name: run for name, run in trial.items() if isinstance(run, dict) and "code" in run}


def test_no_input_takes_more_than_it_may(trial: Trial) -> None:
    runs = {name: run for name, run in runs_of(trial).items() if ":" in name}

    assert len(runs) > len(CASES)
    assert {name: run["seconds"] for name, run in runs.items() if run["seconds"] > SECONDS} == {}
    # all of a place together, in one process: what one of them leaves behind would add up
    heavy = {
        n: r["kibibytes"] for n, r in runs_of(trial).items() if r["kibibytes"] > MEBIBYTES << 10
    }
    assert heavy == {}


def test_nothing_ends_in_a_trace_or_a_signal(trial: Trial) -> None:
    runs = runs_of(trial)

    assert {n: r["code"] for n, r in runs.items() if r["code"] not in (0, 1, 2)} == {}
    assert [n for n, r in runs.items() if "Traceback" in r["out"] + r["err"]] == []


def test_nothing_that_is_shown_drives_a_terminal_or_a_workflow(trial: Trial) -> None:
    shown = {name: run["out"] + run["err"] for name, run in runs_of(trial).items()}

    assert [name for name, text in shown.items() if _CONTROL.search(text)] == []
    assert [name for name, text in shown.items() if _COMMAND.search(text)] == []


def test_nothing_outside_is_read_and_nothing_is_run(trial: Trial) -> None:
    assert [name for name, run in runs_of(trial).items() if run["leaked"] or run["ran"]] == []


def test_no_submission_is_changed(trial: Trial) -> None:
    assert trial["unchanged"] is True
