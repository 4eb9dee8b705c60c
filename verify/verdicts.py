"""What comes of a check: an outcome, and the findings that explain it."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.display import json_path

if TYPE_CHECKING:
    from pipeline.protocol.problems import Problem


class Outcome(enum.Enum):
    """What came of one check. SKIP names the check it waited for; ERROR is our own crash.

    UNASKED: the submission has nothing that could answer. It leaves what is passed, and the total.
    """

    PASS = "pass"  # noqa: S105  # an outcome, no password
    FAIL = "fail"
    SKIP = "skip"
    ERROR = "error"
    UNASKED = "unasked"


class Finding(NamedTuple):
    """One reason why a check failed, and where: `file` is relative to the submission root.

    `line` and `column` are 1-based, 0 where the file as a whole is meant. `action` says what to do,
    made from what was found; where it is empty, the check's hint does.
    """

    message: str
    expected: str = ""
    found: str = ""
    file: str = ""
    path: str = ""
    line: int = 0
    column: int = 0
    action: str = ""

    @classmethod
    def of(cls, problem: Problem, file: str) -> Finding:
        """Return the finding on a problem of a file."""
        return cls(
            message=problem.message,
            expected=problem.expected,
            found=problem.found,
            file=file,
            path=json_path(problem.path) if problem.path else "",
            line=problem.line,
            column=problem.column,
            action=problem.action,
        )


class Verdict(NamedTuple):
    """What a check function returns: its outcome and, unless it passed, the findings."""

    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    more: int = 0  # findings that were left out
    crash: str = ""  # the traceback of a check of ours that raised, for the log only

    def advising(self, action: str) -> Verdict:
        """Return the verdict with one action for all of its findings."""
        findings = tuple(finding._replace(action=action) for finding in self.findings)
        return self._replace(findings=findings)


PASSED = Verdict(Outcome.PASS)
SHOWN_FINDINGS = 5


def unasked(reason: str) -> Verdict:
    """Return that a check cannot be asked of a submission, and why, in one line."""
    return Verdict(Outcome.UNASKED, (Finding(reason),))


def failed(*findings: Finding) -> Verdict:
    """Return a failure with these findings, the first few of them kept; PASSED for none."""
    if not findings:
        return PASSED
    return Verdict(Outcome.FAIL, findings[:SHOWN_FINDINGS], max(0, len(findings) - SHOWN_FINDINGS))
