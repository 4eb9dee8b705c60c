"""What a sketch of a submission has: its own work, and nothing that the course comes with."""

from __future__ import annotations

import os
import random
import shutil
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from pipeline.terminal.programs import no_version
from tests.stubs.rewriting import honest
from verify.batch.sketching import folder_of, handed_out, sketch_in
from verify.course import catalog
from verify.gradebook.copies import artifacts_in
from verify.grading.artifacts import Context
from verify.submissions.submission import open_folder
from verify.submissions.winnowing import hashes_in

if TYPE_CHECKING:
    from pathlib import Path

SOLVED = os.path.join(ROOT, "fixtures", "submissions", "foundation", "02-implement", "solved")
WORK = honest(random.Random(1), 1)["routes.js"]  # noqa: S311  # the same every time


def hashes_of(folder: Path) -> set[int]:
    """Return the sketch of a submission of foundation/02."""
    exercise = catalog.find("foundation", "02")
    known = handed_out("", folder_of(exercise))
    with open_folder(str(folder)) as submission:
        context = Context(exercise, submission, None, no_version)
        return set(hashes_in(sketch_in(artifacts_in(exercise), "", known, context)))


def test_t6_shipped_work_and_unchanged_sources_leave_nothing_and_own_sources_do(
    tmp_path: Path,
) -> None:
    place = shutil.copytree(SOLVED, tmp_path / "ada")

    assert hashes_of(tmp_path / "ada") == set()

    (place / "sandbox" / "src" / "health" / "extra.js").write_bytes(WORK)
    own = hashes_of(place)
    (place / "sandbox" / "src" / "image.js").write_bytes(b"\0" + WORK)
    (place / "sandbox" / "src" / "link.js").symlink_to(__file__)
    (place / "sandbox" / "node_modules").mkdir()
    (place / "sandbox" / "node_modules" / "own.js").write_text("let a = 1;" * 99, encoding="utf-8")

    assert len(own) > 50
    assert hashes_of(place) == own


def test_t6_sources_that_are_too_many_to_read_cost_only_the_sketch_of_them(tmp_path: Path) -> None:
    place = shutil.copytree(SOLVED, tmp_path / "ada")
    for number in range(501):
        (place / "sandbox" / "src" / f"n{number}.js").write_bytes(WORK)

    assert hashes_of(place) == set()
