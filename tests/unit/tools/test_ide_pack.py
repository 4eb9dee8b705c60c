"""The trees that the repository keeps are made of the neutral source."""

from __future__ import annotations

from tools.ide_pack import SUBMISSIONS, VARIANTS, files
from verify.exercises.practitioner.ex01_setup import PACK

MADE = dict(files())
GIT = "sandbox/.cursor/agents/x-git.md"
ROUTING = "sandbox/.cursor/rules/x-tier-routing.mdc"


def test_the_trees_are_the_pack_and_the_submissions_made_of_it() -> None:
    cursor = [path for path in MADE if path.startswith((".cursor/", ".agents/"))]
    copies = [f"{SUBMISSIONS}/{name}/sandbox/{file.path}" for name in VARIANTS for file in PACK]

    assert len(cursor) == 11
    assert set(MADE) == {*cursor, *copies}


def test_a_solved_submission_is_the_pack_word_for_word() -> None:
    assert MADE[f"{SUBMISSIONS}/solved/{GIT}"] == MADE[".cursor/agents/x-git.md"]


def test_a_broken_submission_has_one_line_more_or_less() -> None:
    more = MADE[f"{SUBMISSIONS}/broken-agents-held-back/{GIT}"].split("\n")
    less = MADE[f"{SUBMISSIONS}/broken-rule-never-applies/{ROUTING}"].split("\n")

    assert more[:6] == [*MADE[".cursor/agents/x-git.md"].split("\n")[:4], more[4], "---"]
    assert more[4] == "is_background: true"
    assert less[:3] == ["---", "alwaysApply: false", "---"]
