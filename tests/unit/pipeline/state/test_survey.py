"""Which issues a project has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.reading import Unreadable
from pipeline.state import Survey, survey

if TYPE_CHECKING:
    from pathlib import Path


def test_issues_come_in_natural_order(project: Path) -> None:
    for name in ("ISSUE-10", "ISSUE-9", "API-100", "ISSUE-007", "ISSUE-7"):
        (project / ".pipeline" / name).mkdir(parents=True)

    assert survey(".").issues == ("API-100", "ISSUE-007", "ISSUE-7", "ISSUE-9", "ISSUE-10")


def test_other_names_are_told_apart_the_forge_and_hidden_ones_left_out(project: Path) -> None:
    for name in ("issue-7", "ISSUE-7", ".cache", "forge", "ISSUE-7.bak"):
        (project / "sandbox" / ".pipeline" / name).mkdir(parents=True)

    assert survey("sandbox") == Survey(("ISSUE-7",), ("ISSUE-7.bak", "issue-7"))


@pytest.mark.usefixtures("project")
def test_a_project_without_artifacts_has_no_issue() -> None:
    assert survey(".") == Survey()


def test_artifacts_behind_a_link_are_refused(project: Path) -> None:
    (project / "elsewhere").mkdir()
    (project / ".pipeline").symlink_to("elsewhere")

    with pytest.raises(Unreadable, match="is a link, which is not followed"):
        survey(".")
