"""`--near-copies`: the report lists pairs whose work is alike; without it nothing is sketched."""

from __future__ import annotations

import random
import re
import shutil
from typing import TYPE_CHECKING

from tests.stubs.rewriting import honest, rewritten
from tests.unit.verify.commands.conftest import SOLVED
from verify.gradebook.reading import GradebookCohort
from verify.gradebook.store import reading

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.gradebook.copies import Copies

    Verify = Callable[..., tuple[int, str, str]]

BATCH = ("batch", "cohort", "--exercise", "foundation/01", "--no-exercise-check")


def near(gradebook: str = "gradebook.db") -> list[Copies]:
    """Return the groups whose work is alike."""
    with reading(gradebook) as connection:
        return [found for found in GradebookCohort(connection).copies() if found.common]


def test_t6_a_rewritten_copy_is_reported_with_its_share_and_is_graded_again_once_it_changes(
    cohort: Path, verify: Verify
) -> None:
    draw = random.Random(7)  # noqa: S311  # the same every time
    works = {key: honest(draw, number) for number, key in enumerate(("ada", "bo", "cy", "dee"))}
    works["eve"] = rewritten(works["bo"], draw)
    for key, files in works.items():
        shutil.copytree(SOLVED, cohort / "cohort" / key, dirs_exist_ok=True)
        (cohort / "cohort" / key / "sandbox" / "src").mkdir()
        (cohort / "cohort" / key / "sandbox" / "src" / "tags.js").write_bytes(files["routes.js"])
    verify(*BATCH)

    assert near() == []

    verify(*BATCH, "--near-copies", "--html", "report")
    (pair,) = near()
    page = (cohort / "report" / "index.html").read_text(encoding="utf-8")

    assert pair.members == (("bo", ""), ("eve", ""))
    assert 0.5 < pair.share < 1
    assert f"learners have work that is {pair.share * 100:.0f}" in page
    assert f"{pair.common} rare passages in common" in page
    assert re.search(r'"\d\d% alike"', page)

    (cohort / "roster.csv").write_text("username\nzed\n", encoding="utf-8")
    (cohort / "late").mkdir()
    shutil.copytree(SOLVED, cohort / "late" / "zed")
    (cohort / "late" / "who").mkdir()
    verify("batch", "late", *BATCH[2:], "--gradebook", "late.db", "--roster", "roster.csv")
    merged = verify("merge", "gradebook.db", "late.db", "--into", "both.db")
    verify("export", "--gradebook", "both.db", "--html", "both")

    assert merged[0] == 0
    assert [found.members for found in near("both.db")] == [pair.members]
    assert "who: unmatched" in (cohort / "both" / "index.html").read_text(encoding="utf-8")

    (cohort / "cohort" / "eve" / "sandbox" / "src" / "tags.js").write_bytes(b"let own = 1;")
    _, out, _ = verify(*BATCH, "--near-copies")

    assert "1 submission graded, 4 unchanged since an earlier run" in out
    assert near() == []
