"""The programs of specification section 1, and npm, in a version that is new enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipeline.doctor.finding import MISSING, OK, Finding

if TYPE_CHECKING:
    from pipeline.doctor.machine import Machine
    from pipeline.terminal.host import Version


class _Program(NamedTuple):
    code: str
    name: str
    oldest: Version
    advice: str


_NODE = "https://nodejs.org, or a version manager such as nvm"
_PROGRAMS = (
    _Program("python", "Python", (3, 10), "https://www.python.org, then: python3 start.py setup"),
    _Program("node", "Node.js", (20, 0), _NODE),
    # Lock files of version 3 came with npm 7 (npm documentation, package-lock.json).
    _Program("npm", "npm", (7, 0), f"it comes with Node.js: {_NODE}"),
    # `git rev-parse --end-of-options` came with 2.30 (its release notes).
    _Program("git", "git", (2, 30), "https://git-scm.com"),
)


def programs(machine: Machine) -> list[Finding]:
    """Return a finding for each program; one that does not answer in time is as good as missing."""
    return [_finding(machine, program) for program in _PROGRAMS]


def _finding(machine: Machine, program: _Program) -> Finding:
    version = machine.host.version(program.code)
    needed = f"{_dotted(program.oldest)} or newer"
    if version is not None and version >= program.oldest:
        return Finding(code=program.code, name=program.name, standing=OK, found=_dotted(version))
    return Finding(
        code=program.code,
        name=program.name,
        standing=MISSING,
        found=f"{_found(machine, program, version)}; {needed} is needed",
        advice=f"install {program.name} {needed}: {program.advice}",
    )


def _found(machine: Machine, program: _Program, version: Version | None) -> str:
    if version is not None:
        return _dotted(version)
    if machine.find(program.code) is None:
        return "not on PATH"
    return "on PATH, but tells no version within some seconds"


def _dotted(version: Version) -> str:
    return f"{version[0]}.{version[1]}"
