"""Carries out `verify limits`: lists every limit, its value and how far it can be set."""

from __future__ import annotations

from pipeline.exit_codes import PASSED
from pipeline.limits import KNOWN
from pipeline.streams import deliver
from verify.command import carried_out
from verify.limiting import in_force

_HEAD = ("limit", "value", "least", "most", "unit", "bounds")
_NUMBERS = slice(1, 4)


def limits(limits: str) -> int:
    """List the limits, with those of a file in force; return 0, or 2 for a file that sets none."""
    return carried_out(lambda: _listed(limits), None)


def _listed(path: str) -> int:
    given = dict(in_force(path))
    rows = [
        (
            name,
            f"{given.get(name, limit.value):,}",
            f"{limit.least:,}",
            f"{limit.most:,}",
            limit.unit,
            limit.bounds,
        )
        for name, limit in KNOWN.items()
    ]
    widths = [max(map(len, column)) for column in zip(_HEAD, *rows, strict=True)]
    lines = [_line(row, widths) for row in (_HEAD, tuple("-" * width for width in widths), *rows)]
    deliver("\n".join(lines) + "\n")
    return PASSED


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
    numbers = zip(row[_NUMBERS], widths[_NUMBERS], strict=True)
    cells[_NUMBERS] = [cell.rjust(width) for cell, width in numbers]
    return "  ".join(cells).rstrip()
