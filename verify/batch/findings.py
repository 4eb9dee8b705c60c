"""What a gradebook keeps of a check's verdict: bounded text, and the lines around each place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.model import Finding, Outcome, Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.model import CheckInfo, Report, Verdict

AROUND = 2  # lines before and after the one that is meant
_WIDTH = 200  # characters of a line that are kept
_LONGEST = 2_000  # characters of a text that are kept


def stored_results(
    report: Report, passing: tuple[Result[CheckInfo], ...], files: Mapping[str, bytes]
) -> tuple[Result[CheckInfo], ...]:
    """Return a report's results as a gradebook keeps them; `files` are those that were read.

    Checks that passed have the result in `passing`, an object that many share: it is pickled once.
    """
    return tuple(
        as_passed
        if result.outcome is Outcome.PASS
        else Result(as_passed.check, _stored(result.verdict, files), result.waits_for)
        for result, as_passed in zip(report.results, passing, strict=True)
    )


def _stored(verdict: Verdict, files: Mapping[str, bytes]) -> Verdict:
    """Return a verdict with findings to store; the last one says how many were left out."""
    findings = [_finding(each, files.get(each.file, b"")) for each in verdict.findings]
    if verdict.more:
        findings.append(Finding(f"and {verdict.more} more like these"))
    return verdict._replace(findings=tuple(findings), more=0)


def _finding(finding: Finding, data: bytes) -> Finding:
    return Finding(
        storable(finding.message),
        storable(finding.expected),
        storable(finding.found),
        storable(finding.file),
        storable(finding.path),
        finding.line,
        finding.column,
        storable(finding.action),
        _excerpt(data, finding.line),
    )


def storable(text: str) -> str:
    """Return a text that a database takes: no half characters, no NUL, not without end."""
    whole = text[:_LONGEST].encode("utf-8", "backslashreplace").decode()
    return whole.replace("\0", "\\x00")


def _excerpt(data: bytes, line: int) -> str:
    """Return the lines around a line, as they are in the file; the caller shows them as data.

    Lines are counted as `pipeline.protocol.problems` counts them: they end with a line feed.
    """
    if not line or not data:
        return ""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    around = lines[max(0, line - 1 - AROUND) : line + AROUND]
    shown = (each.decode("utf-8", "replace").rstrip("\r")[:_WIDTH] for each in around)
    return "\n".join(map(storable, shown))
