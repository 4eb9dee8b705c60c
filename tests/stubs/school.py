"""An instructor's folder: collections, rosters, and the commands as the instructor gives them."""

from __future__ import annotations

import csv
import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    Verify = Callable[..., tuple[int, str, str]]


def alone(call: Callable[..., Any], tasks: Iterable[Any], **_: object) -> Iterator[list[Any]]:
    """Carry out tasks as `workers.run` does, in this process, one at a time."""
    again = (False,)  # no task ends its worker
    return ([(task, call(task, *again))] for task in tasks)


class School(NamedTuple):
    """An instructor's folder, where we are, and what runs a command line."""

    folder: Path
    verify: Verify
    solved: str

    def has(self, *entries: str, collection: str = "cohort") -> None:
        """Let a collection have submissions, all of them solved, and nothing else."""
        shutil.rmtree(self.folder / collection, ignore_errors=True)
        (self.folder / collection).mkdir()
        for entry in entries:
            shutil.copytree(self.solved, self.folder / collection / entry)

    def file(self, name: str, text: str) -> str:
        """Write a file and return its name."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def batch(self, *words: str, collection: str = "cohort") -> tuple[int, list[str]]:
        """Grade; return the exit code and the lines of stderr without those about a roster."""
        grade = ("--exercise", "foundation/01", "--jobs", "1", "--quiet", "--csv-wide", "g.csv")
        code, _, errors = self.verify("batch", collection, *grade, *words)
        return code, [line for line in errors.splitlines() if "the roster in" not in line]

    def grades(self) -> dict[str, tuple[str, str]]:
        """Return the outcome and the score of each learner in the last export."""
        with (self.folder / "g.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        columns = "foundation/01 outcome", "foundation/01 score"
        return {row["learner"]: (row[columns[0]], row[columns[1]]) for row in rows}
