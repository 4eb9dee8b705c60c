"""The Python packages of the project, and those that only headless runs use."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pipeline.doctor.finding import MISSING, NOTE, OK, Finding

if TYPE_CHECKING:
    from pipeline.doctor.machine import Machine

_NAMED_ALIKE = (
    *("dulwich", "filelock", "jsonschema", "pebble", "pydantic", "pydantic_core", "tabulate"),
    *("typing_extensions", "watchfiles", *(("tomli",) if sys.version_info < (3, 11) else ())),
)
OWN = {**dict(zip(_NAMED_ALIKE, _NAMED_ALIKE, strict=True)), "yaml": "PyYAML"}  # by module
HEADLESS = {"acp": "agent-client-protocol", "httpx": "httpx"}  # by module, the package it is in


def packages(machine: Machine) -> list[Finding]:
    """Return whether the project's packages, and those of its extra `headless`, are there."""
    return [_own(machine), _headless(machine)]


def _own(machine: Machine) -> Finding:
    code, name = "packages", "Python packages"
    missing = [package for module, package in OWN.items() if not machine.has_module(module)]
    if not missing:
        return Finding(code=code, name=name, standing=OK, found="all are installed")
    found = f"not installed: {', '.join(missing)}"
    advice = "python3 start.py setup"
    return Finding(code=code, name=name, standing=MISSING, found=found, advice=advice)


def _headless(machine: Machine) -> Finding:
    code, name = "headless", "extra headless"
    missing = [package for module, package in HEADLESS.items() if not machine.has_module(module)]
    if not missing:
        found = " and ".join(HEADLESS.values())
        return Finding(code=code, name=name, standing=OK, found=found)
    return Finding(
        code=code,
        name=name,
        standing=NOTE,
        found=f"not installed: {', '.join(missing)}",
        advice="the driver acp and the forge github need it: python3 start.py headless",
    )
