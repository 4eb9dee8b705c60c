"""The findings of a flawed submission as the gradebook keeps them, with the lines around each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.gradebook.records import FindingRow
from verify.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verify.model import Finding, Report

AROUND = 2  # lines before and after the one that is meant
_WIDTH = 200  # characters of a line that are kept
_LONGEST = 2_000  # characters of a text that are kept


def rows_of(report: Report, held: Mapping[str, bytes]) -> tuple[FindingRow, ...]:
    """Return the rows of a report's checks that did not pass; `held` are the files that were read.

    A failure that left findings out says so in a last row.
    """
    return tuple(_rows(report, held))


def _rows(report: Report, held: Mapping[str, bytes]) -> Iterator[FindingRow]:
    for position, result in enumerate(report.results):
        verdict = result.verdict
        if result.outcome is Outcome.SKIP:
            yield FindingRow(position, 0, "", waits_for=result.waits_for)
        for ordinal, finding in enumerate(verdict.findings):
            yield _row(position, ordinal, finding, held)
        if verdict.more:
            yield FindingRow(position, len(verdict.findings), f"and {verdict.more} more like these")


def _row(position: int, ordinal: int, finding: Finding, held: Mapping[str, bytes]) -> FindingRow:
    return FindingRow(
        position,
        ordinal,
        kept(finding.message),
        kept(finding.expected),
        kept(finding.found),
        kept(finding.file),
        kept(finding.path),
        finding.line,
        finding.column,
        kept(finding.action),
        _excerpt(held.get(finding.file, b""), finding.line),
    )


def kept(text: str) -> str:
    """Return a text that a database takes: no half characters, no NUL, not without end."""
    whole = text[:_LONGEST].encode("utf-8", "backslashreplace").decode()
    return whole.replace("\0", "\\x00")


def _excerpt(data: bytes, line: int) -> str:
    """Return the lines around a line, as they stand; the caller shows them as data.

    Lines are counted as `pipeline.protocol.problems` counts them: they end with a line feed.
    """
    if not line or not data:
        return ""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    around = lines[max(0, line - 1 - AROUND) : line + AROUND]
    shown = (each.decode("utf-8", "replace").rstrip("\r")[:_WIDTH] for each in around)
    return "\n".join(map(kept, shown))
