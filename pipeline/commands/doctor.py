"""`pipeline doctor`: what this machine lacks (specification, section 1), and what to do."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, NamedTuple

from pipeline.agents.clients import CLIENTS, installed
from pipeline.drivers.environment import FORGE_TOKENS
from pipeline.drivers.mounts import toolchains
from pipeline.files import is_inside
from pipeline.git import GitFault, Repository
from pipeline.jail import missing
from pipeline.terminal.display import json_document, listed, named, printed, visible
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.fault import unusable
from pipeline.terminal.programs import installed_version
from pipeline.terminal.streams import deliver

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.terminal.arguments import Arguments
    from pipeline.terminal.programs import Version

_EPILOG = """\
examples:
  python3 -m pipeline doctor
  python3 -m pipeline doctor --project sandbox --json

exit codes: 0 nothing required is missing, 1 something is, 2 wrong usage
"""
Status = Literal["ok", "missing", "note"]


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
    if not os.path.isdir(project):
        raise unusable(f"{named(project)} is not a folder (--project must be the target project)")
    findings = examine(project)
    count = sum(finding.status == "missing" for finding in findings)
    records = [finding._asdict() for finding in findings]
    document = {"version": 1, "ready": not count, "findings": records}
    deliver(json_document(document) if json else _table(findings, count))
    return FAILED if count else PASSED


def _table(findings: list[Requirement], count: int) -> str:
    width = max(len(finding.name) for finding in findings) + 2
    lines = []
    for finding in findings:
        lines.append(f"{finding.status:<9}{finding.name:<{width}}{finding.found}")
        if finding.advice:
            lines.append(f"{'':<9}{'':<{width}}-> {finding.advice}")
    summary = "Nothing required is missing."
    if count:
        summary = f"Missing: {count} of the above. The text after -> says what to do."
    return printed([*lines, "", summary])


class Requirement(NamedTuple):
    """One thing that the pipeline needs or can use; what it says is safe to print."""

    code: str  #: permanent
    name: str  #: for people
    status: Status  #: `missing` where no run is possible without it; `note` where some run wants it
    found: str  #: one line
    advice: str = ""  #: one line, empty where there is nothing to do


def examine(project: str) -> list[Requirement]:
    """Return the findings for a target project's folder, in the order to fix them."""
    tools = programs()
    has_git = any(found.code == "git" and found.status == "ok" for found in tools)
    return [
        *tools,
        *packages(),
        *(work_tree(project) if has_git else ()),
        *node_modules(project),
        client(),
        jail(),
        token(),
    ]


# --- programs and packages ----------------------------------------------------------------------

_NODE = "https://nodejs.org, or a version manager such as nvm"
_PROGRAMS = (
    ("python", "Python", (3, 10), "https://www.python.org, then: python3 start.py setup"),
    ("node", "Node.js", (20, 0), _NODE),
    # Lock files of version 3 came with npm 7 (npm documentation, package-lock.json).
    ("npm", "npm", (7, 0), f"it comes with Node.js ({_NODE})"),
    # `git rev-parse --end-of-options` came with 2.30 (its release notes).
    ("git", "git", (2, 30), "https://git-scm.com"),
)
OWN = (  # by the names of their modules
    *("dulwich", "filelock", "jsonschema", "psutil", "pydantic"),
    *("pydantic_core", "tabulate", "typing_extensions", "watchfiles", "yaml"),
    *(["tomli"] if sys.version_info < (3, 11) else []),
)
HEADLESS = ("acp", "httpx", "jinja2")


def programs() -> list[Requirement]:
    """Return a finding for each program; one that prints no version in time counts as missing."""
    return [_program(*row) for row in _PROGRAMS]


def _program(code: str, name: str, oldest: Version, advice: str) -> Requirement:
    version = installed_version(code)
    found = _dotted(version) if version else "not on PATH"
    if version is not None and version >= oldest:
        return Requirement(code, name, "ok", found)
    if version is None and shutil.which(code):
        found = "on PATH, but did not print a version within 5 seconds"
    needed = f"{_dotted(oldest)} or newer"
    advice = f"install {name} {needed}: {advice}"
    return Requirement(code, name, "missing", f"{found}; {needed} is needed", advice)


def _dotted(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def packages() -> list[Requirement]:
    """Return findings about this project's packages and those of the extra `headless`."""
    advice = "for the acp driver and the github forge: python3 start.py headless"
    return [
        _packages(OWN, "packages", "Python packages", "missing", "python3 start.py setup"),
        _packages(HEADLESS, "headless", "extra headless", "note", advice),
    ]


def _packages(
    modules: Iterable[str], code: str, name: str, status: Status, advice: str
) -> Requirement:
    if lacking := ", ".join(module for module in modules if find_spec(module) is None):
        return Requirement(code, name, status, f"not installed: {lacking}", advice)
    return Requirement(code, name, "ok", "all are installed")


# --- the user's repository ----------------------------------------------------------------------

_COMMIT = 'git commit --allow-empty -m "chore: begin"'
_WHO = 'git config --global user.name "…" and git config --global user.email …'


def work_tree(project: str) -> list[Requirement]:
    """Return the findings about the repository that contains the target project."""
    repository = Repository(project)
    try:
        return [_repository(repository), _identity(repository), _remote(repository)]
    except GitFault as fault:
        advice = "make sure that git works, then run this command again"
        return [
            Requirement("repository", "repository", "missing", visible(str(fault), 300), advice)
        ]


def _repository(repository: Repository) -> Requirement:
    code = name = "repository"
    done = repository.attempt("rev-parse", "--show-toplevel")
    if done.returncode:
        is_new = "not a git repository" in done.stderr
        advice = f"run git init, then commit: {_COMMIT}" if is_new else "fix what git reports"
        return Requirement(
            code, name, "missing", visible(" ".join(done.stderr.split()), 300), advice
        )
    top = visible(done.stdout.removesuffix("\n"), 300)
    if not repository.commit("HEAD"):
        advice = f"make a first commit: {_COMMIT}"
        return Requirement(code, name, "missing", f"{top} has no commits", advice)
    return Requirement(code, name, "ok", top)


def _identity(repository: Repository) -> Requirement:
    code, name = "identity", "name for commits"
    who = repository.identity()
    if not who:
        return Requirement(code, name, "missing", "user.name or user.email is not set in git", _WHO)
    return Requirement(code, name, "ok", visible(who, 120))


def _remote(repository: Repository) -> Requirement:
    """Name the remotes only: an address may hold a password."""
    done = repository.attempt("remote")
    names = done.stdout.split() if done.returncode == 0 else []
    if names:
        return Requirement("remote", "remote", "ok", listed(names))
    advice = "the local forge needs no remote; for the others: git remote add origin URL"
    return Requirement("remote", "remote", "note", "none", advice)


# --- npm packages -------------------------------------------------------------------------------


def node_modules(project: str) -> list[Requirement]:
    """Return a finding for the project and its `sandbox/`, each if it has a lock file."""
    findings = []
    for folder in (project, os.path.join(project, "sandbox")):
        if not os.path.isfile(os.path.join(folder, "package-lock.json")):
            continue
        shown = visible(os.path.normpath(folder), 100)
        name = f"npm packages of {shown}" if shown != "." else "npm packages"
        found = Requirement("dependencies", name, "ok", "installed")
        # npm writes it last (npm documentation, package-lock.json, "hidden lockfiles").
        if not os.path.isfile(os.path.join(folder, "node_modules", ".package-lock.json")):
            advice = f"npm ci --prefix {shown}"
            found = found._replace(status="missing", found="not installed", advice=advice)
        findings.append(found)
    return findings


# --- what headless runs can use -----------------------------------------------------------------


def client() -> Requirement:
    """Return the clients on PATH; start none, because some would log in or write files."""
    code, name = "client", "agent client"
    there = installed()
    if not there:
        known = ", ".join(client.program for client in CLIENTS.values())
        advice = f"the acp driver needs one, such as opencode: {CLIENTS['opencode'].install}"
        return Requirement(code, name, "note", f"none on PATH (looked for {known})", advice)
    keys = {known.name: " and ".join(_set(known.keys)) for known in there}
    found = ", ".join(f"{name} ({key or 'no key'} set)" for name, key in keys.items())
    keyless = [known for known in there if not keys[known.name]]
    advice = f"if {keyless[0].name} is not logged in: {keyless[0].login}" if keyless else ""
    return Requirement(code, name, "ok", found, advice)


def jail() -> Requirement:
    """Return whether agents can work in a jail, and the toolchains outside the system in it."""
    code, name = "jail", "jail"
    if why := missing():
        advice = "or let agents see and change all that you can: pipeline run --no-jail"
        return Requirement(code, name, "note", why, advice)
    found = toolchains(os.environ.get("PATH", ""), os.path.expanduser("~"))
    outermost = [path for path in found if sum(is_inside(path, folder) for folder in found) == 1]
    also = f"agents also see {', '.join(outermost)}"
    seen = also if found else "agents see the system's programs"
    return Requirement(code, name, "ok", visible(seen, 400))


def token() -> Requirement:
    """Return the names of the variables that contain a forge's token."""
    there = _set(FORGE_TOKENS)
    if there:
        return Requirement("token", "forge token", "ok", f"{' and '.join(there)} set")
    advice = "for the github forge (the others need none): export GH_TOKEN=$(gh auth token)"
    return Requirement("token", "forge token", "note", "none is set", advice)


def _set(names: Iterable[str]) -> list[str]:
    return [name for name in names if os.environ.get(name, "").strip()]
