"""Artifacts live below the target project, issue ids become part of paths, names are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.protocol import layout
from pipeline.protocol.layout import (
    ARTIFACTS,
    artifact_folder,
    compared,
    composed,
    instead,
    is_issue_id,
)
from pipeline.protocol.validate import validate
from pipeline.schema import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

E_ACUTE, E_COMBINED = "\u00e9", "e\u0301"


@pytest.mark.spec("2.1.5")
@pytest.mark.parametrize("text", ["ISSUE-7", "A-0", "PROJ2-0042", "I-" + "7" * 62])
def test_a_project_and_a_number_are_an_issue_id(text: str) -> None:
    assert is_issue_id(text)


@pytest.mark.spec("2.1.5")
@pytest.mark.parametrize(
    "text",
    [
        *("", "ISSUE", "ISSUE-", "-7", "7-7", "issue-7", "ISSUE_7", "ISSUE-7a", "ISSUE-7-8"),
        *("ISSUE-7\n", " ISSUE-7", "../ISSUE-7", "ISSUE-7/..", "ISSUE-\u0667", "\u0418-7"),
        *("ISSUE-7\0", "I-" + "7" * 63),
    ],
)
def test_nothing_else_is_an_issue_id_or_names_a_folder(text: str) -> None:
    assert not is_issue_id(text)
    with pytest.raises(ValueError, match="not an issue id: ") as caught:
        artifact_folder("sandbox", text)

    assert str(caught.value) == f"not an issue id: {text!r}"


@pytest.mark.spec("2.1.1", "2.1.3", "2.1.4")
@pytest.mark.parametrize(
    ("target", "folder"), [(".", ".pipeline/ISSUE-7"), ("a/b", "a/b/.pipeline/ISSUE-7")]
)
def test_the_artifacts_of_an_issue_have_a_folder_in_the_target(target: str, folder: str) -> None:
    assert artifact_folder(target, "ISSUE-7") == folder


@pytest.mark.spec("2.1.2")
def test_the_artifacts_are_the_kinds_of_one_issue_in_the_order_of_the_stages() -> None:
    assert list(ARTIFACTS) == [kind.ending for kind in KINDS.values()][:3]


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("plain", "plain"),
        (f"{E_COMBINED}/a", f"{E_ACUTE}/a"),
        # the longest name that a file can have, in a long path
        (f"a/{E_COMBINED * 382}/{'b' * 999}", f"a/{E_ACUTE * 382}/{'b' * 999}"),
        # longer than any file's name
        (E_COMBINED * 383 + f"/{E_COMBINED}", E_COMBINED * 383 + f"/{E_ACUTE}"),
    ],
)
def test_a_name_that_a_file_can_have_is_composed(name: str, form: str) -> None:
    assert composed(name) == form


def test_an_unknown_name_is_answered_by_the_one_that_is_near() -> None:
    known = ["src/App.js", f"{E_COMBINED}.js"]
    names = ["src/app.js", f"{E_ACUTE.upper()}.js", "sandbox/src/App.js", "src/Apps.js", "b.js"]

    assert compared([f"{E_ACUTE}.js"], known) == ({}, {"src/App.js"})
    assert compared(names, known) == (
        dict(zip(names, ["src/App.js", f"{E_COMBINED}.js", *["src/App.js"] * 2, ""], strict=True)),
        set(),
    )
    assert instead("src/App.js", known) == '"src/App.js"'
    assert instead("", known) == 'one of "src/App.js", "e\\u0301.js"'


@pytest.fixture
def composed_names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names that have been composed so far."""
    seen: list[str] = []
    original: Callable[[str], str] = layout.composed

    def noted(name: str) -> str:
        seen.append(name)
        return original(name)

    monkeypatch.setattr(layout, "composed", noted)
    return seen


def test_lists_that_share_no_name_are_compared_in_linear_time(composed_names: list[str]) -> None:
    files, planned = ([f"{head}{number}" for number in range(300)] for head in "ab")
    steps = [f'{{"order":{n},"file":"{file}","description":"d"}}' for n, file in enumerate(planned)]
    affected = ",".join(f'"{file}"' for file in files)
    plan = f'{{"affected_files":[{affected}],"steps":[{",".join(steps)}]}}'

    assert len(validate(plan.encode(), KINDS["plan"]).problems) == 600
    assert len(composed_names) <= 4 * 300  # the rule is asked twice


def test_two_lists_are_compared_by_what_is_missing_and_what_is_meant_by_it() -> None:
    names, others = ["a.js", "src/healht.js", "x"], ["src/health.js", "a.js", "b"]

    assert compared(names, others) == ({"src/healht.js": "src/health.js", "x": ""}, {"b"})
