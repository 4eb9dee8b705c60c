"""Artifacts live below the target project, and only an issue id ever becomes part of a path."""

from __future__ import annotations

import pytest

from pipeline.protocol.layout import ARTIFACTS, artifact_folder, is_issue_id
from pipeline.schema import KINDS


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
