"""The proof for people: a row an exercise, why mutants may survive, and every defect."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import TYPE_CHECKING

from tabulate import tabulate

from pipeline.display import visible
from verify.selftest.proof import Row

if TYPE_CHECKING:
    from verify.selftest.defects import Defect
    from verify.selftest.proof import Proof

_WIDTH = 100  # of reasons and of what to do; fixed, since the output is quoted in the docs


def table(proof: Proof) -> str:
    """Return the text of a proof; the same for the same course, whatever the terminal."""
    rows = [*proof.rows, total(proof)]
    grid = tabulate(
        [list(row) for row in rows],
        headers=list(Row._fields),
        tablefmt="simple",
        disable_numparse=True,
        colalign=("left", *["right"] * (len(Row._fields) - 1)),
    )
    parts = [grid, *_excuses(proof), *map(_shown, proof.defects), verdict(proof)]
    return "\n\n".join(parts) + "\n"


def total(proof: Proof) -> Row:
    """Return the sums of the rows; the defects are all, those of no exercise too."""
    return Row(
        exercise="all",
        checks=sum(row.checks for row in proof.rows),
        submissions=sum(row.submissions for row in proof.rows),
        mutants=sum(row.mutants for row in proof.rows),
        killed=sum(row.killed for row in proof.rows),
        excused=sum(row.excused for row in proof.rows),
        defects=len(proof.defects),
    )


def verdict(proof: Proof) -> str:
    """Return the last line: proven or not, and what was looked at."""
    row = total(proof)
    counts = (
        f"{row.checks} checks, {row.submissions} submissions, {row.mutants} mutants: "
        f"{row.killed} killed, {row.excused} excused"
    )
    if not proof.defects:
        return f"PROVEN  {counts}"
    return f"NOT PROVEN  {row.defects} defect{'s' * (row.defects != 1)}  {counts}"


def _excuses(proof: Proof) -> list[str]:
    reasons: Counter[str] = Counter()
    for excuse, mutants in proof.excused:
        reasons[excuse.reason] += mutants
    paragraphs = [
        textwrap.fill(reason, _WIDTH, initial_indent=f"{mutants:6}  ", subsequent_indent=" " * 8)
        for reason, mutants in reasons.items()
    ]
    return ["\n".join(["Mutants that may survive:", *paragraphs])] if paragraphs else []


def _shown(defect: Defect) -> str:
    texts = (textwrap.fill(visible(text, 1_000), _WIDTH) for text in (defect.what, defect.to_do))
    head = visible(f"{defect.area}: {defect.where}", 300)
    return "\n".join([head, *(textwrap.indent(text, "  ") for text in texts)])
