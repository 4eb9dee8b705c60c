"""Checks of the machine that a learner works on (specification, section 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.verdicts import PASSED, Finding, Verdict, failed

if TYPE_CHECKING:
    from pipeline.host import Version
    from verify.attempt import Attempt, CheckFunction


def has_program(program: str, at_least: Version) -> CheckFunction:
    """Pass where the program is on PATH in this version or a newer one."""

    def check(attempt: Attempt) -> Verdict:
        version = attempt.host.version(program)
        if version is not None and version >= at_least:
            return PASSED
        expected = f"{program} {at_least[0]}.{at_least[1]} or newer"
        found = f"{version[0]}.{version[1]}" if version else "none on PATH"
        action = f"Install {expected}, and open a new terminal."
        return failed(Finding(f"{program} is missing or too old", expected, found, action=action))

    return check


def has_folder(path: str) -> CheckFunction:
    """Pass where the target project has a folder that is not empty."""
    from pipeline.files import Unreadable
    from pipeline.protocol.layout import in_target

    def check(attempt: Attempt) -> Verdict:
        folder = in_target(attempt.exercise.target or ".", path)
        try:
            if attempt.submission.names(folder):
                return PASSED
        except Unreadable:
            pass
        message, expected = f"{path} is missing or empty", "the installed dependencies"
        action = f"Run npm ci in the folder {attempt.exercise.target or '.'}."
        return failed(Finding(message, expected, "nothing", folder, action=action))

    return check
