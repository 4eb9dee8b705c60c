"""A plan's files tell how far a task reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.classifying.planned import documents_only, new_parts, planned_tests, scope_of

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.schema import Plan


def plan(*files: str) -> Plan:
    return {"affected_files": list(files), "steps": []}


@pytest.mark.parametrize(
    ("files", "domains"),
    [
        (["src/app.js"], ()),
        (["src/notes/routes.js", "test/notes/routes.test.js", "src/app.js"], ("notes",)),
        (["sandbox/src/notes/a.js", "sandbox/src/transfer/b.js"], ("notes", "transfer")),
        (["README.md", "docs/api/x.md"], ()),
        (["billing/a.go", "ui/b.ts"], ("billing", "ui")),
    ],
)
def test_domains_are_the_folders_of_parts(files: list[str], domains: tuple[str, ...]) -> None:
    assert scope_of(plan(*files)).domains == domains


def test_files_are_counted_once() -> None:
    scope = scope_of(plan("a.py", "b.py", "a.py"))

    assert scope.file_count == 2
    assert scope.evidence[0].quote == "affected_files: a.py, b.py"


def test_many_files_are_not_all_named() -> None:
    assert scope_of(plan(*"abcdefgh")).evidence[0].quote == "affected_files: a, b, c, d, e, f …"


def test_test_files_are_told() -> None:
    assert [each.quote for each in planned_tests(plan("a.py", "tests/test_a.py"))] == [
        "tests/test_a.py"
    ]


def test_documents_are_told_from_code() -> None:
    assert documents_only(plan("README.md", "docs/a.md"))
    assert not documents_only(plan("README.md", "a.py"))


def test_a_folder_that_is_not_there_is_a_new_part(tmp_path: Path) -> None:
    (tmp_path / "src" / "old").mkdir(parents=True)
    files = plan("src/old/a.js", "src/new/b.js", "src/new/c.js", "test/new/b.test.js", "src/d.js")

    assert [each.quote for each in new_parts(files, str(tmp_path))] == [
        "src/new/b.js: a new folder"
    ]
