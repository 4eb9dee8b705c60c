"""Which artifact a file's name tells, and which path is a test's."""

from __future__ import annotations

import pytest

from pipeline.schema import KINDS, SHAPES, is_test_path, kind_of


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("plan.json", "plan"),
        (".pipeline/ISSUE-7/plan.json", "plan"),
        ("/x/worker-result.json", "worker-result"),
        ("git-result.json", "git-result"),
        ("classifications.json", "classifications"),
        ("docs/expert/tutorials/outputs/01-classifications.json", "classifications"),
    ],
)
def test_a_file_name_tells_the_kind_of_artifact(file: str, kind: str) -> None:
    assert kind_of(file) == KINDS[kind]


@pytest.mark.parametrize(
    "file",
    [
        "",
        "my-plan.json",
        "plan.JSON",
        "plan.json.bak",
        "plan.json/other.json",
        "my-worker-result.json",
        "report.json",
    ],
)
def test_another_file_name_tells_no_kind(file: str) -> None:
    assert kind_of(file) is None


@pytest.mark.spec("1.12", "2.1.2")
def test_the_four_kinds_are_listed_by_their_names() -> None:
    listed = [(name, kind.name, kind.ending, kind.exercise_fields) for name, kind in KINDS.items()]

    assert listed == [
        ("plan", "plan", "plan.json", ("acceptance_mapping", "produced_by")),
        ("worker-result", "worker-result", "worker-result.json", ("produced_by",)),
        ("git-result", "git-result", "git-result.json", ("produced_by",)),
        ("classifications", "classifications", "classifications.json", ()),
    ]


def test_every_shape_is_found_by_its_pattern() -> None:
    rules = [shape.rule for pattern, shape in SHAPES.items() if shape.pattern == pattern]

    assert rules == [
        "text",
        "summary",
        "path",
        "criterion-label",
        "branch",
        "commit-sha",
        "commit-message",
        "pr-url",
    ]


@pytest.mark.spec("2.2.11")
@pytest.mark.parametrize(
    "path",
    [
        # pytest
        "test_app.py",
        "src/test_app.py",
        "src/app_test.py",
        "conftest.py",
        "pkg/conftest.py",
        "tests/helpers.py",
        "tests/unit/a.json",
        "test/a.py",
        # Jest, Vitest, the Node test runner
        "src/app.test.js",
        "src/app.spec.js",
        "app.test.mjs",
        "app.spec.cjs",
        "app.test.ts",
        "app.test.tsx",
        "app.spec.jsx",
        "app.test.mts",
        "src/__tests__/app.js",
        # Go
        "server/app_test.go",
        # JUnit
        "src/test/java/a/App.java",
        "AppTest.java",
        "AppTests.java",
        "AppTestCase.java",
        "AppIT.java",
        "TestApp.java",
        "AppTest.kt",
    ],
)
def test_a_path_by_a_common_test_convention_is_a_test(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "app.py",
        "testing.py",
        "test.py",
        "latest_app.py",
        "mytest_app.py",
        "test_app.pyc",
        "test_app.py/a.py",
        "conftest.pyi",
        "src/test-app.js",
        "src/apptest.js",
        "src/app.test.json",
        "src/app.testing.js",
        "app.test",
        "contest/a.py",
        "latests/a.py",
        "tests",
        "a/tests.py",
        "app_test.gopher",
        "test.go",
        "Testable.java",
        "Contest.java",
        "Latest.java",
        "TestApp.class",
        "Test/App.py",
    ],
)
def test_another_path_is_not_a_test(path: str) -> None:
    assert not is_test_path(path)


@pytest.mark.parametrize("folder", ["a/", "a" * 200 + "/"])
def test_a_long_path_is_judged_like_a_short_one(folder: str) -> None:
    assert is_test_path(f"{folder}test_app.py")
    assert not is_test_path(f"{folder}app.py")
