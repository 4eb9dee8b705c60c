"""What the specification says of classifications, shown by verifying changed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Solved = Callable[[str], Path]
    Failed = Callable[[str, Path], list[str]]
    Change = Mapping[str, Any] | Callable[[Any], Any]
    FailedAfter = Callable[[str, str, Change], list[str]]

RECORDS = "docs/expert/tutorials/outputs/01-classifications.json"


def nth(index: int, fields: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Return a change that puts fields into one record."""
    return lambda values: [
        {**value, **fields} if at == index else value for at, value in enumerate(values)
    ]


def without(field: str) -> Callable[[Any], Any]:
    """Return a change that takes a field out of the first record."""
    return lambda values: [
        {key: each for key, each in values[0].items() if key != field},
        *values[1:],
    ]


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        pytest.param(lambda _: b"[{]", ["E01.2"], id="no JSON", marks=pytest.mark.spec("4.14")),
        pytest.param(
            lambda r: r[:4], ["E01.3"], id="four", marks=pytest.mark.spec("2.5.1", "4.15")
        ),
        pytest.param(
            lambda r: [*r, r[0]], ["E01.3"], id="six", marks=pytest.mark.spec("2.5.1", "4.15")
        ),
        *(
            pytest.param(
                without(field), ["E01.4"], id=f"no {field}", marks=pytest.mark.spec("4.16")
            )
            for field in ("task", "file_count", "domain_scope", "signals", "agents")
        ),
        pytest.param(
            nth(0, {"tier": "easy"}),
            ["E01.5", "E01.7"],
            id="tier",
            marks=pytest.mark.spec("2.5.8", "4.17"),
        ),
        pytest.param(
            nth(0, {"task": "Brew coffee"}),
            ["E01.6", "E01.7"],
            id="task",
            marks=pytest.mark.spec("2.5.3"),
        ),
        pytest.param(
            nth(0, {"agents": ["x-worker"]}),
            ["E01.12"],
            id="agents",
            marks=pytest.mark.spec("2.5.11"),
        ),
    ],
)
def test_a_classification_fails_the_check_of_what_is_wrong(
    failed_after: FailedAfter, change: Change, codes: list[str]
) -> None:
    assert failed_after("expert/01", RECORDS, change) == codes


@pytest.mark.spec("4.18")
@pytest.mark.parametrize(
    ("index", "tier"),
    [
        pytest.param(0, "trivial", id="typo", marks=pytest.mark.spec("2.5.14")),
        pytest.param(1, "standard", id="endpoint", marks=pytest.mark.spec("2.5.15")),
        pytest.param(2, "complex", id="chat", marks=pytest.mark.spec("2.5.16")),
        pytest.param(3, "trivial", id="rename", marks=pytest.mark.spec("2.5.17", "2.5.19")),
        pytest.param(4, "complex", id="access", marks=pytest.mark.spec("2.5.18", "2.5.20")),
    ],
)
def test_a_scenario_has_one_tier_and_any_other_fails(
    failed_after: FailedAfter, index: int, tier: str
) -> None:
    fast = ["x-worker-fast", "x-reviewer-fast"]
    failures = {
        each: failed_after("expert/01", RECORDS, nth(index, {"tier": each, "agents": fast}))
        for each in ("trivial", "standard", "complex")
    }

    assert [each for each, codes in failures.items() if not codes] == [tier]
    assert {code for codes in failures.values() for code in codes} == {f"E01.{index + 7}"}


@pytest.mark.spec("2.5.2")
def test_a_classification_is_read_from_the_outputs_folder_alone(
    failed: Failed, solved: Solved
) -> None:
    project = solved("expert/01")
    before = failed("expert/01", project)
    (project / RECORDS).rename(project / "01-classifications.json")

    assert (before, failed("expert/01", project)) == ([], ["E01.1"])


@pytest.mark.spec("2.5.12", "2.5.13")
@pytest.mark.parametrize("index", [1, 2])
def test_a_task_that_is_not_trivial_may_name_any_agents(
    failed_after: FailedAfter, index: int
) -> None:
    assert failed_after("expert/01", RECORDS, nth(index, {"agents": ["x"]})) == []
