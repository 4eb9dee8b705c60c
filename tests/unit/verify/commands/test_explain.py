"""`verify explain`: each check in words, and the words are those of its page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tools.markdown import plain
from verify import cli
from verify.commands.explain import condition, explanation
from verify.course import catalog

if TYPE_CHECKING:
    from verify.grading.model import Exercise

EXERCISES = list(catalog.exercises())


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_each_paragraph_is_on_the_page_of_the_checks(exercise: Exercise) -> None:
    page = Path(ROOT, exercise.checks_page).read_text(encoding="utf-8")
    for check in exercise.checks:
        (section,) = (s for s in page.split("\n## ") if f'<a id="{check.anchor}"></a>' in s)
        shown = explanation(exercise, check, "lesson", "page", 10_000)
        text, _, rest = shown.partition("\n\nFor example:\n")
        example = rest.partition("\n\nLesson: ")[0].replace("\n  ", "\n").strip()
        _, why, *advice = text.partition("\n\nLesson: ")[0].split("\n\n")

        assert why == f"{check.why} {condition(check)}".strip()
        assert plain(check.why) in section
        assert plain(condition(check)) in section
        assert [each for each in advice if not is_in(section, each, check.code)] == []
        assert example in section


def is_in(section: str, advice: str, code: str) -> bool:
    """Return whether a section gives an advice to all of its checks, or to this one."""
    label, _, text = advice.partition(": ")
    return any(f"**{each}:** {plain(text)}" in section for each in (label, f"{label} ({code})"))


def test_a_code_is_found_in_any_case(capsys: pytest.CaptureFixture[str]) -> None:
    code = cli.main(["explain", "f01.3"])
    out, err = capsys.readouterr()
    lesson = os.path.relpath(os.path.join(ROOT, "docs/foundation/tutorials/01-plan.md"))
    page = os.path.relpath(os.path.join(ROOT, "docs/reference/checks-foundation.md"))

    assert (code, err) == (0, "")
    assert out.startswith("F01.3  plan.json has its required fields\nfoundation/01 - Plan an issue")
    assert out.endswith(f"\nLesson: {lesson}\nChecks: {page}#f01-3\n")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (
            "F01.99",
            (
                "F01.99 is not the code of a check (expected a code such as F01.3)"
                " (did you mean F01.9?)"
            ),
        ),
        (
            "F01",
            "F01 is not the code of a check (expected a code such as F01.3) (did you mean F01.1?)",
        ),
        ("\x1b[2J", r"\u{1b}[2J is not the code of a check (expected a code such as F01.3)"),
    ],
)
def test_another_code_ends_with_2_and_a_sentence(
    capsys: pytest.CaptureFixture[str], code: str, error: str
) -> None:
    assert cli.main(["explain", code]) == 2
    assert capsys.readouterr() == ("", f"verify: {error}\n")
