"""Every format tells the level beside the mark."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from verify.levels import Level, Provenance, Traced, WhyNot
from verify.reporters import github, json_report, junit, table
from verify.reporters.json_report import ReportRecord
from verify.reporters.provenance import reasons

if TYPE_CHECKING:
    from verify.reporters.base import Run, View

FOUND = Provenance(
    (
        Traced("plan.json", "app/plan.json", Level.WITNESSED),
        Traced(
            "git-result.json",
            "app/git-result.json",
            Level.CONSISTENT,
            (
                WhyNot(Level.WITNESSED, "its envelope does not exist"),
                WhyNot(Level.CORROBORATED, "dispatch.jsonl does not exist"),
            ),
        ),
    )
)


@pytest.fixture
def traced_run(passing_run: Run) -> Run:
    """Return a passing run with levels."""
    return passing_run._replace(reports=(passing_run.reports[0]._replace(provenance=FOUND),))


def test_the_table_tells_the_levels_beneath_the_mark(traced_run: Run, view: View) -> None:
    text = table.render(traced_run, view).text

    assert text[text.index("PASSED") :].split("\n")[:4] == [
        "PASSED  11 of 11 points (4 passed)",
        "Provenance: L1, consistent with git (plan.json L3, git-result.json L1)",
        "  not L2: dispatch.jsonl does not exist (git-result.json)",
        "  not L3: its envelope does not exist (git-result.json)",
    ]


def test_a_reason_of_all_artifacts_names_none_of_them() -> None:
    missed = (WhyNot(Level.CONSISTENT, "nothing is compared"),)
    alike = [traced._replace(missed=missed) for traced in FOUND.artifacts]

    assert reasons(Provenance(tuple(alike))) == ["not L1: nothing is compared"]


def test_the_json_report_tells_each_artifact_s_level_and_what_it_missed(
    traced_run: Run, passing_run: Run, view: View
) -> None:
    value = json.loads(json_report.render(traced_run, view).text)
    plain = json.loads(json_report.render(passing_run, view).text)
    schema = Draft202012Validator(TypeAdapter(ReportRecord).json_schema())

    assert list(schema.iter_errors(value)) == []
    assert value["exercises"][0].pop("provenance") == {
        "level": "L1",
        "artifacts": [
            {"path": "app/plan.json", "level": "L3", "missed": []},
            {
                "path": "app/git-result.json",
                "level": "L1",
                "missed": [
                    {"level": "L3", "reason": "its envelope does not exist"},
                    {"level": "L2", "reason": "dispatch.jsonl does not exist"},
                ],
            },
        ],
    }
    assert value == plain


def test_the_junit_report_has_the_level_as_a_property(traced_run: Run, view: View) -> None:
    suite = ET.fromstring(junit.render(traced_run, view).text)[0]  # noqa: S314  # our own text

    assert [(each.tag, each.attrib) for each in suite[0]] == [
        ("property", {"name": "provenance", "value": "L1"})
    ]


def test_the_step_summary_tells_the_levels(traced_run: Run, view: View) -> None:
    summary = github.render(traced_run, view).summary

    assert "Provenance: L1, consistent with git" in summary.replace("\\", "")
    assert "not L3: its envelope does not exist (git-result.json)" in summary.replace("\\", "")
