"""The criteria notice small faults in the solutions; those that they do not are listed with why.

A reason that begins with `the same:` says that no request can tell the mutant from the solution,
one that begins with `free:` that the mutant does what the issue asks for as well.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.services import Node, laid_over
from verify.acceptance.evaluation import hold
from verify.acceptance.reading import ENDING, load
from verify.course.catalog import ISSUES
from verify.grading.model import Outcome
from verify.running.faults import SourceFault, faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SANDBOX = Path(ROOT, "sandbox")
SOLUTIONS = Path(ROOT, "fixtures", "solutions")
UNNOTICED = Path(ROOT, "fixtures", "acceptance", "unnoticed.tsv")
SECONDS = 30  # for an answer: a fault may make the service wait for ever
WORKERS = 2
NO_FAULT = ("the same:", "free:")
WITHOUT_SERVICE = {"ISSUE-301", "ISSUE-306"}
ISSUES_ASKED = [p.stem for p in sorted(Path(ISSUES).glob("*.md")) if p.stem not in WITHOUT_SERVICE]


class Mutant(NamedTuple):
    """A solution with one fault in one file."""

    issue: str
    file: str
    source: str
    fault: SourceFault

    @property
    def row(self) -> str:
        """Return what `unnoticed.tsv` says of it, without the reason."""
        return f"{self.issue}\t{self.file}\t{self.fault.shown(self.source)}"


def listed() -> dict[str, str]:
    """Return the reasons why mutants are not noticed, by their rows."""
    lines = UNNOTICED.read_text(encoding="utf-8").splitlines()[1:]
    return {row: reason for row, _, reason in (line.rpartition("\t") for line in lines)}


def mutants_of(issue: str, folder: Path) -> Iterator[Mutant]:
    """Yield the mutants of what a solution adds or changes in the sources."""
    for path in sorted((folder / "src").rglob("*.js")):
        file = path.relative_to(folder).as_posix()
        before = SANDBOX / file
        kept = set(before.read_text(encoding="utf-8").split("\n")) if before.is_file() else set()
        source = path.read_text(encoding="utf-8")
        for fault in faults(source):
            if fault.line(source) not in kept:
                yield Mutant(issue, file, source, fault)


@pytest.fixture
def solved(tmp_path: Path, installed: Path, apply: Callable[..., None]) -> Callable[[str], Path]:
    """Return a function that gives the sandbox with the course's solution of an issue."""

    def solve(issue: str) -> Path:
        modules = installed / "node_modules"
        folder = laid_over(SANDBOX, SANDBOX / "src", modules, tmp_path / issue)
        apply(SOLUTIONS / issue / "changes.patch", folder)
        return folder

    return solve


def noticed(mutant: Mutant, folder: Path, number: int) -> bool | None:
    """Return whether a criterion fails with a mutant, None where it is not JavaScript."""
    copy = folder.parent / f"{mutant.issue}-{number}"
    shutil.copytree(folder, copy, symlinks=True)
    (copy / mutant.file).write_text(mutant.fault.made_in(mutant.source), encoding="utf-8")
    check = ["node", "--check", str(copy / mutant.file)]
    if subprocess.run(check, capture_output=True, check=False).returncode:
        return None
    name = f"{mutant.issue}{ENDING}"
    acceptance = load(Path(ISSUES, name).read_text(encoding="utf-8"), name)
    return any(
        hold(acceptance, label, Node(copy, acceptance, SECONDS), 1).outcome is Outcome.FAIL
        for label in acceptance.criteria
    )


@pytest.mark.slow
@pytest.mark.figure
def test_nine_of_ten_mutants_of_the_solutions_are_noticed_and_the_others_are_listed(
    solved: Callable[[str], Path], how_many: Callable[[int, int], int]
) -> None:
    reasons, made, seen = listed(), Counter[str](), Counter[str]()
    unlisted, right = [], 0
    for issue in ISSUES_ASKED[: how_many(3, len(ISSUES_ASKED))]:
        folder = solved(issue)
        every = list(mutants_of(issue, folder))
        count = min(len(every), how_many(1, len(every)))
        chosen = random.Random(issue).sample(every, count)  # noqa: S311
        with ThreadPoolExecutor(WORKERS) as pool:
            found = pool.map(lambda m, f=folder: noticed(m[1], f, m[0]), enumerate(chosen))
            verdicts = list(zip(chosen, found, strict=True))
        made[issue] = sum(1 for _, verdict in verdicts if verdict is not None)
        seen[issue] = sum(1 for _, verdict in verdicts if verdict)
        missed = [mutant.row for mutant, verdict in verdicts if verdict is False]
        unlisted += [row for row in missed if row not in reasons]
        right += sum(1 for row in missed if reasons.get(row, "").startswith(NO_FAULT))
        print(f"{issue}: {seen[issue]} of {made[issue]} noticed", flush=True)
    wrong = made.total() - right
    print(*unlisted, sep="\n")
    print(f"all: {seen.total()} of {made.total()} noticed, {right} are no faults", flush=True)

    assert unlisted == []
    if made.total() > 100:  # a sample is too small for a share
        assert seen.total() / wrong >= 0.9
