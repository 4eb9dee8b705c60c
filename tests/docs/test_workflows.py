"""The commands of the workflows that pages offer are commands of ours, and end as the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from verify.commands.check import level_main

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-to" / "grade-in-github-classroom.md"
FIXTURES = ROOT / "fixtures" / "submissions" / "expert" / "04-evidence"
WORKFLOW = re.search(r"^```yaml\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
CHECK = "--exercise 04 --project work"


@pytest.mark.parametrize(("work", "code"), [("solved", 0), ("broken-markers", 1)])
def test_the_classroom_workflow_annotates_and_grades(
    work: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FIXTURES)
    script = r"python3 course/(docs/expert/tutorials/verify\.py)"
    found = re.findall(rf"(?:run|command): {script} (.+)", WORKFLOW[1] if WORKFLOW else "")
    commands = [words for _, words in found]
    codes = [
        level_main("expert", path, words.replace("work", work).split()) for path, words in found
    ]

    assert commands == [f"{CHECK} --format github", CHECK]
    assert codes == [code, code]
