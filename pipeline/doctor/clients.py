"""What headless runs can make use of: agents' clients, and tokens of forges, by name only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.doctor.finding import NOTE, OK, Finding
from pipeline.drivers.profiles import FORGE_TOKENS, PROFILES, installed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.doctor.machine import Machine
    from pipeline.drivers.profiles import Profile


def clients(machine: Machine) -> list[Finding]:
    """Return whether a client of an agent is there, and a token; no value of a variable is read on.

    Clients are looked for, not started: some would log in, or write to the user's folders.
    """
    return [_client(machine), _token(machine)]


def _client(machine: Machine) -> Finding:
    code, name = "client", "agent client"
    there = installed(machine.find)
    if not there:
        known = ", ".join(profile.program for profile in PROFILES.values())
        return Finding(
            code=code,
            name=name,
            standing=NOTE,
            found=f"none on PATH (looked for {known})",
            advice=f"pipeline demo needs none; for pipeline run: {PROFILES['opencode'].install}",
        )
    found = ", ".join(_told(machine, profile) for profile in there)
    keyless = next((each for each in there if not _set(machine, each.keys)), None)
    advice = f"if {keyless.name} is not logged in: {keyless.login}" if keyless else ""
    return Finding(code=code, name=name, standing=OK, found=found, advice=advice)


def _told(machine: Machine, profile: Profile) -> str:
    keys = _set(machine, profile.keys)
    return f"{profile.name} ({profile.program}; {' and '.join(keys) or 'no key'} set)"


def _token(machine: Machine) -> Finding:
    code, name = "token", "token of a forge"
    there = _set(machine, FORGE_TOKENS)
    if there:
        return Finding(code=code, name=name, standing=OK, found=f"{' and '.join(there)} set")
    return Finding(
        code=code,
        name=name,
        standing=NOTE,
        found="none is set",
        advice="the forge local needs none; for the forge github: export GH_TOKEN=$(gh auth token)",
    )


def _set(machine: Machine, names: Iterable[str]) -> list[str]:
    return [name for name in names if machine.environment.get(name, "").strip()]
