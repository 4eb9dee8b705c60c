"""`pipeline doctor`: what is missing on this machine, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.terminal.display import json_document, named, printed
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.fault import unusable
from pipeline.terminal.streams import deliver

if TYPE_CHECKING:
    from pipeline.doctor import Requirement
    from pipeline.terminal.arguments import Arguments

_EPILOG = """\
examples:
  python3 -m pipeline doctor
  python3 -m pipeline doctor --project sandbox --json

exit codes: 0 nothing required is missing, 1 something is, 2 wrong usage
"""


def add_options(parser: Arguments) -> None:
    """Add the options of `pipeline doctor`."""
    parser.description = (
        "Check whether this machine has what the pipeline needs, and show what to do\n"
        "if something is missing. Nothing is changed."
    )
    parser.epilog = _EPILOG
    parser.set_defaults(command=_doctor)
    parser.add_argument(
        "--project", metavar="DIR", default=".", help="the target project (default: this folder)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def _doctor(*, project: str, json: bool) -> int:
    import os

    from pipeline.doctor import examine

    if not os.path.isdir(project):
        raise unusable(f"{named(project)} is not a folder (--project must be the target project)")
    findings = examine(project)
    missing = sum(finding.status == "missing" for finding in findings)
    records = [finding._asdict() for finding in findings]
    document = {"version": 1, "ready": not missing, "findings": records}
    deliver(json_document(document) if json else _table(findings, missing))
    return FAILED if missing else PASSED


def _table(findings: list[Requirement], missing: int) -> str:
    width = max(len(finding.name) for finding in findings) + 2
    lines = []
    for finding in findings:
        lines.append(f"{finding.status:<9}{finding.name:<{width}}{finding.found}")
        if finding.advice:
            lines.append(f"{'':<9}{'':<{width}}-> {finding.advice}")
    summary = "Nothing required is missing."
    if missing:
        summary = f"Missing: {missing} of the above. The text after -> says what to do."
    return printed([*lines, "", summary])
