"""The consistency rules that tie the fields of one artifact together."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipeline.schema import KINDS
from pipeline.validation import validate

Found = list[tuple[Any, ...]]
UNPLANNED = "this file stands in no step"
UNAFFECTED = "this step's file is not among affected_files"
DESCENDING = "the steps' order does not ascend here"
TOO_LATE = "this implementation step comes after a test step"
WRITTEN_SO = ", written so: upper and lower case differ"
UNMAPPED = "this criterion is mapped to a file that is not in the plan"


def plan_of(files: list[str], steps: list[tuple[Any, Any]], **fields: object) -> dict[str, Any]:
    return {
        "affected_files": files,
        "steps": [{"order": o, "file": file, "description": "Do it"} for o, file in steps],
        **fields,
    }


def found(plan: dict[str, Any]) -> Found:
    result = validate(json.dumps(plan).encode(), KINDS["plan"])
    return [(p.rule, p.path, p.message, p.expected, p.found) for p in result.problems]


def found_in_order(*files: str) -> Found:
    return found(plan_of(list(dict.fromkeys(files)), list(enumerate(files))))


@pytest.mark.spec("2.2.3", "2.2.9")
def test_files_and_steps_that_agree_have_no_problem() -> None:
    assert found(plan_of(["a", "b"], [(1, "b"), (2, "a")])) == []


def test_a_file_may_stand_twice_in_the_files_and_in_several_steps() -> None:
    assert found(plan_of(["a", "b", "a"], [(1, "a"), (2, "b"), (3, "a")])) == []


@pytest.mark.spec("2.2.3", "7.3")
def test_an_affected_file_without_a_step_is_a_problem_each_time_it_stands() -> None:
    assert found(plan_of(["a", "b", "c", "b"], [(1, "a"), (2, "c")])) == [
        ("files-steps", ("affected_files", 1), UNPLANNED, "a step whose file is it", '"b"'),
        ("files-steps", ("affected_files", 3), UNPLANNED, "a step whose file is it", '"b"'),
    ]


@pytest.mark.spec("2.2.9", "7.3")
def test_a_step_whose_file_is_not_affected_is_a_problem() -> None:
    steps = [(1, "a"), (2, "x"), (3, "x")]

    assert found(plan_of(["a"], steps)) == [
        ("files-steps", ("steps", 1, "file"), UNAFFECTED, 'one of "a"', '"x"'),
        ("files-steps", ("steps", 2, "file"), UNAFFECTED, 'one of "a"', '"x"'),
    ]


def test_files_are_compared_letter_by_letter() -> None:
    assert found(plan_of(["A"], [(1, "a")])) == [
        ("files-steps", ("affected_files", 0), UNPLANNED, "a step whose file is it", '"A"'),
        ("files-steps", ("steps", 0, "file"), UNAFFECTED, f'"A"{WRITTEN_SO}', '"a"'),
    ]


@pytest.mark.parametrize(
    "orders", [[1, 2, 3], [0, 10, 20], [-2, -1, 0], [0.1, 0.2, 1], [1], [2**53, 2**53 + 1]]
)
def test_orders_that_ascend_have_no_problem(orders: list[float]) -> None:
    assert found(plan_of(["a"], [(order, "a") for order in orders])) == []


@pytest.mark.spec("2.2.10")
@pytest.mark.parametrize(
    ("orders", "problems"),
    [
        ([1, 1], [(1, "1", "1")]),
        ([1, 1.0], [(1, "1", "1.0")]),
        ([2, 1, 3], [(1, "2", "1")]),
        ([3, 2, 1], [(1, "3", "2"), (2, "2", "1")]),
        ([1, 3, 2, 4, 4], [(2, "3", "2"), (4, "4", "4")]),
        ([0.2, 0.1], [(1, "0.2", "0.1")]),
    ],
)
def test_an_order_that_is_not_above_the_one_before_is_a_problem(
    orders: list[float], problems: list[tuple[int, str, str]]
) -> None:
    assert found(plan_of(["a"], [(order, "a") for order in orders])) == [
        ("step-order", ("steps", index, "order"), DESCENDING, f"a number above {before}", order)
        for index, before, order in problems
    ]


@pytest.mark.spec("2.2.11")
@pytest.mark.parametrize(
    "files",
    [
        ("src/app.js", "test/app.test.js"),
        ("a.py", "b.py"),
        ("test_a.py", "test_b.py"),
        ("test_a.py",),
        ("README.md", "src/app.js", "docs/a.html", "test/app.test.js", "CHANGELOG.md", "docs/b.py"),
    ],
)
def test_tests_at_the_end_and_documents_anywhere_have_no_problem(files: tuple[str, ...]) -> None:
    assert found_in_order(*files) == []


@pytest.mark.parametrize(
    "document",
    ["README.md", "a/b.MDX", "a.rst", "a.adoc", "notes.txt", "docs/x.js", "x/Doc/y.py", "doc/z"],
)
def test_a_document_may_come_after_a_test(document: str) -> None:
    assert found_in_order("test_a.py", document) == []


@pytest.mark.spec("2.2.11")
@pytest.mark.parametrize("file", ["src/md.js", "mydocs/a.js", "a.md.js", "documents/a", "a.htm"])
def test_an_implementation_step_after_a_test_step_is_a_problem(file: str) -> None:
    expected = 'a place before the test step for "test_a.py"'

    assert found_in_order("first.py", "test_a.py", file) == [
        ("tests-last", ("steps", 2, "file"), TOO_LATE, expected, f'"{file}"'),
    ]


def test_every_implementation_step_after_the_first_test_step_is_a_problem() -> None:
    expected = 'a place before the test step for "test_a.py"'

    assert found_in_order("test_a.py", "a.py", "test_b.py", "b.py") == [
        ("tests-last", ("steps", 1, "file"), TOO_LATE, expected, '"a.py"'),
        ("tests-last", ("steps", 3, "file"), TOO_LATE, expected, '"b.py"'),
    ]


def test_a_criterion_may_be_mapped_to_any_file_of_the_plan() -> None:
    mapping = {"AC1_a": "a", "AC2_b": "b", "AC3_c": "a"}

    assert found(plan_of(["a", "b"], [(1, "a"), (2, "b")], acceptance_mapping=mapping)) == []


@pytest.mark.spec("2.2.15")
def test_a_criterion_that_is_mapped_to_another_file_is_a_problem() -> None:
    mapping = {"AC1_a": "a", "AC2_b": "x", "AC3_c": "A"}

    assert found(plan_of(["a"], [(1, "a")], acceptance_mapping=mapping)) == [
        ("mapping", ("acceptance_mapping", "AC2_b"), UNMAPPED, 'one of "a"', '"x"'),
        ("mapping", ("acceptance_mapping", "AC3_c"), UNMAPPED, f'"a"{WRITTEN_SO}', '"A"'),
    ]


def test_all_rules_are_broken_at_once_in_the_order_of_the_document() -> None:
    mapping = {"AC1_a": "nowhere"}
    plan = plan_of(
        ["lonely", "test_a.py"],
        [(2, "test_a.py"), (1, "a.py")],
        acceptance_mapping=mapping,
    )

    assert [(rule, path) for rule, path, *_ in found(plan)] == [
        ("files-steps", ("affected_files", 0)),
        ("step-order", ("steps", 1, "order")),
        ("files-steps", ("steps", 1, "file")),
        ("tests-last", ("steps", 1, "file")),
        ("mapping", ("acceptance_mapping", "AC1_a")),
    ]


@pytest.mark.spec("2.3.6", "2.5.23")
@pytest.mark.parametrize(
    ("status", "blockers"), [("completed", []), ("blocked", ["x"]), ("failed", [])]
)
def test_blockers_that_fit_the_status_have_no_problem(status: str, blockers: list[str]) -> None:
    assert worker_problems(status, blockers) == []


@pytest.mark.spec("2.3.6", "3.8")
@pytest.mark.parametrize(
    ("blockers", "shown"),
    [(["x"], "an array of 1 element"), ([None, {}], "an array of 2 elements")],
)
def test_a_completed_result_with_blockers_is_a_problem(blockers: list[Any], shown: str) -> None:
    message = "a completed result still lists blockers"
    expected = "[] or a status other than completed"

    assert worker_problems("completed", blockers) == [
        ("blockers", ("blockers",), message, expected, shown),
    ]


def worker_problems(status: str, blockers: list[Any]) -> Found:
    result = {"status": status, "files_changed": [], "blockers": blockers, "summary": "Done"}
    found = validate(json.dumps(result).encode(), KINDS["worker-result"])
    return [(p.rule, p.path, p.message, p.expected, p.found) for p in found.problems]


def test_a_path_in_another_form_of_unicode_is_the_same_path() -> None:
    composed, combined = "caf\u00e9.js", "cafe\u0301.js"
    mapping = {"AC1_x": combined}

    assert found(plan_of([composed], [(1, combined)], acceptance_mapping=mapping)) == []


def test_two_paths_that_only_letter_case_parts_are_one_file_on_many_systems() -> None:
    assert found_in_order("src/App.js", "b", "src/app.js") == [
        (
            "files-steps",
            ("affected_files", 2),
            "this path differs from another one only in letter case",
            'one spelling of "src/App.js"',
            '"src/app.js"',
        )
    ]


def test_a_path_in_other_letter_case_is_shown_the_one_that_was_meant() -> None:
    meant = f'"src/App.js"{WRITTEN_SO}'

    assert found(plan_of(["src/App.js", "b"], [(1, "src/app.js"), (2, "b")])) == [
        (
            "files-steps",
            ("affected_files", 0),
            UNPLANNED,
            "a step whose file is it",
            '"src/App.js"',
        ),
        ("files-steps", ("steps", 0, "file"), UNAFFECTED, meant, '"src/app.js"'),
    ]
