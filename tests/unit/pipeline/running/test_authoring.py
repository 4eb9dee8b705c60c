"""What is left of an artifact that could not be used, and of names that drive a terminal."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.stubs.agents import Scripted, write

if TYPE_CHECKING:
    from pipeline.drivers.base import Turn
    from tests.unit.pipeline.running.conftest import Bench


def test_the_run_after_an_invalid_plan_blames_nobody_for_the_copy_that_was_kept(
    bench: Bench,
) -> None:
    def invalid(turn: Turn) -> None:
        write(turn, {"affected_files": []})

    codes = bench.run(Scripted(plan=invalid)), bench.run(Scripted())

    assert codes == (1, 0)
    assert (bench.folder / "plan.json.invalid").read_text() == '{"affected_files": []}'


def test_names_of_the_users_files_are_made_safe_to_show(bench: Bench) -> None:
    name = "src/a\x1b[2J\n.js"
    (bench.root / "app" / name).write_text("// before\n")
    for words in (("add", "."), ("commit", "-q", "-m", "chore: y")):
        subprocess.run(["git", "-C", str(bench.root), *words], check=True)
    (bench.root / "app" / name).write_text("// mine\n")

    trivial = bench._replace(about=replace(bench.about, tier="trivial"))

    assert trivial.run(Scripted()) == 2
    assert bench.stop[0] == (
        "the worker would change files that have changes of yours: app/src/a\\u{1b}[2J\\u{a}.js"
    )
