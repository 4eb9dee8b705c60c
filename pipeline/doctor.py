"""Whether this machine has what the pipeline needs (specification, section 1), and what to do."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, NamedTuple

from pipeline.agents.clients import CLIENTS, installed
from pipeline.drivers.environment import FORGE_TOKENS
from pipeline.files import Unreadable, read_file
from pipeline.git import GitFault, Repository
from pipeline.terminal.display import listed, visible
from pipeline.terminal.host import this_host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pipeline.terminal.host import Host, Version

Standing = Literal["ok", "missing", "note"]


class Finding(NamedTuple):
    """One thing that the pipeline needs or can use.

    `code` is permanent, `name` for people. `standing` is `missing` only where no run is possible
    without it; `note` where some run would want it. `found` and `advice` are one line each, safe to
    print and free of secrets; `advice` is empty where there is nothing to do.
    """

    code: str
    name: str
    standing: Standing
    found: str
    advice: str = ""


class Machine(NamedTuple):
    """What the doctor asks a machine; a test answers instead.

    `find` returns the path of a program, None where it is not on PATH; `has_module` returns whether
    a top-level module can be imported, without importing it.
    """

    host: Host
    environment: Mapping[str, str]
    find: Callable[[str], str | None]
    has_module: Callable[[str], bool]


def this_machine() -> Machine:
    """Return the machine that this process runs on."""
    return Machine(this_host, os.environ, shutil.which, lambda name: find_spec(name) is not None)


def examine(project: str, machine: Machine) -> list[Finding]:
    """Return what was found, in the order in which it is fixed, for a target project's folder."""
    tools = programs(machine)
    has_git = any(each.code == "git" and each.standing == "ok" for each in tools)
    return [
        *tools,
        *packages(machine),
        *work_tree(project, has_git=has_git),
        *node_modules(project),
        *clients(machine),
    ]


# --- programs and packages ----------------------------------------------------------------------


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
_OWN = [
    *("dulwich", "filelock", "jsonschema", "pebble", "psutil", "pydantic"),
    *("pydantic_core", "tabulate", "typing_extensions", "watchfiles"),
    *(["tomli"] if sys.version_info < (3, 11) else []),
]
OWN = {**{name: name for name in _OWN}, "yaml": "PyYAML"}  # by module, the package it is in
HEADLESS = {
    "acp": "agent-client-protocol",
    "httpx": "httpx",
    "tree_sitter": "tree-sitter",
    "tree_sitter_bash": "tree-sitter-bash",
}


def programs(machine: Machine) -> list[Finding]:
    """Return a finding for each program; one that does not answer in time is as good as missing."""
    return [_program(machine, program) for program in _PROGRAMS]


def _program(machine: Machine, program: _Program) -> Finding:
    code, name = program.code, program.name
    version = machine.host(code)
    found, needed = _dotted(version) if version else "", f"{_dotted(program.oldest)} or newer"
    if version is not None and version >= program.oldest:
        return Finding(code, name, "ok", found)
    if version is None:
        there = machine.find(code) is not None
        found = "on PATH, but did not print a version within 5 seconds" if there else "not on PATH"
    advice = f"install {name} {needed}: {program.advice}"
    return Finding(code, name, "missing", f"{found}; {needed} is needed", advice)


def _dotted(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def packages(machine: Machine) -> list[Finding]:
    """Return whether the project's packages, and those of its extra `headless`, are there."""
    own = Finding("packages", "Python packages", "ok", "all are installed")
    if lacking := _lacking(machine, OWN):
        own = own._replace(standing="missing", found=lacking, advice="python3 start.py setup")
    headless = Finding("headless", "extra headless", "ok", ", ".join(HEADLESS.values()))
    if lacking := _lacking(machine, HEADLESS):
        advice = "the acp driver and the github forge need it: python3 start.py headless"
        headless = headless._replace(standing="note", found=lacking, advice=advice)
    return [own, headless]


def _lacking(machine: Machine, libraries: Mapping[str, str]) -> str:
    names = [package for module, package in libraries.items() if not machine.has_module(module)]
    return f"not installed: {', '.join(names)}" if names else ""


# --- the user's repository ----------------------------------------------------------------------

_COMMIT = 'git commit --allow-empty -m "chore: begin"'
_WHO = 'git config --global user.name "…" and git config --global user.email …'
_REFUSALS = (  # what git says, what it means, what to do
    (
        "not a git repository",
        "the project is not in a git repository",
        f"git init, then a first commit: {_COMMIT}",
    ),
    ("must be run in a work tree", "a bare repository, without files", "work in a clone of it"),
    (
        "dubious ownership",
        "git does not trust the folder's owner",
        "if you trust it: git config --global --add safe.directory {}",
    ),
)


def work_tree(project: str, *, has_git: bool) -> list[Finding]:
    """Return what was found of the repository that the target project is in.

    Without git nothing is checked: what is needed is then not known, a note.
    """
    if not has_git:
        names = {"repository": "repository", "identity": "name for commits"}
        found = "not checked: it needs git"
        return [Finding(code, name, "note", found) for code, name in names.items()]
    repository = Repository(project)
    try:
        return [_repository(repository), _identity(repository), _remote(repository)]
    except GitFault as fault:
        advice = "make sure that git works, then run this again"
        return [Finding("repository", "repository", "missing", visible(str(fault), 300), advice)]


def _repository(repository: Repository) -> Finding:
    code = name = "repository"
    done = repository.attempt("rev-parse", "--show-toplevel")
    if done.returncode:
        for sign, found, advice in _REFUSALS:
            if sign in done.stderr:
                place = visible(repository.root, 200)
                return Finding(code, name, "missing", found, advice.format(place))
        message = visible(" ".join(done.stderr.split()), 300)
        return Finding(code, name, "missing", message, "fix what git reports")
    top = visible(done.stdout.removesuffix("\n"), 300)
    if not repository.commit("HEAD"):
        advice = f"make a first commit: {_COMMIT}"
        return Finding(code, name, "missing", f"{top} has no commits", advice)
    return Finding(code, name, "ok", top)


def _identity(repository: Repository) -> Finding:
    code, name = "identity", "name for commits"
    who = repository.identity()
    if not who:
        return Finding(code, name, "missing", "git has no user.name or no user.email", _WHO)
    return Finding(code, name, "ok", visible(who, 120))


def _remote(repository: Repository) -> Finding:
    """Name the remotes only: an address may hold a password."""
    done = repository.attempt("remote")
    names = done.stdout.split() if done.returncode == 0 else []
    if names:
        return Finding("remote", "remote", "ok", listed(names))
    advice = "the local forge needs none; for the others: git remote add origin URL"
    return Finding("remote", "remote", "note", "none", advice)


# --- npm packages -------------------------------------------------------------------------------

_MOST = 16 << 20  # bytes of a lock file: those of large projects have some megabytes
# npm writes it last (npm documentation, package-lock.json, "hidden lockfiles").
_RECORD = os.path.join("node_modules", ".package-lock.json")


def node_modules(project: str) -> list[Finding]:
    """Return a finding for the project and for its `sandbox/`, where a lock file names packages."""
    folders = (project, os.path.join(project, "sandbox"))
    return [_npm_packages(each) for each in folders if _needs_packages(each)]


def _needs_packages(folder: str) -> bool:
    try:
        return b'"node_modules/' in read_file(os.path.join(folder, "package-lock.json"), _MOST)
    except Unreadable:
        return False


def _npm_packages(folder: str) -> Finding:
    shown = visible(os.path.normpath(folder), 100)
    code, name = "dependencies", f"npm packages of {shown}" if shown != "." else "npm packages"
    if os.path.isfile(os.path.join(folder, _RECORD)):
        return Finding(code, name, "ok", "installed")
    return Finding(code, name, "missing", "not installed", f"npm ci --prefix {shown}")


# --- what headless runs can use -----------------------------------------------------------------


def clients(machine: Machine) -> list[Finding]:
    """Return whether a client of an agent is there, and a token of a forge, by their names only.

    Clients are looked for, not started: some would log in, or write to the user's folders.
    """
    return [_client(machine), _token(machine)]


def _client(machine: Machine) -> Finding:
    code, name = "client", "agent client"
    there = installed(machine.find)
    if not there:
        known = ", ".join(profile.program for profile in CLIENTS.values())
        advice = f"pipeline demo needs none; for pipeline run: {CLIENTS['opencode'].install}"
        return Finding(code, name, "note", f"none on PATH (looked for {known})", advice)
    keys = {each.name: _set(machine, each.keys) for each in there}
    found = ", ".join(
        f"{each.name} ({each.program}; {' and '.join(keys[each.name]) or 'no key'} set)"
        for each in there
    )
    keyless = next((each for each in there if not keys[each.name]), None)
    advice = f"if {keyless.name} is not logged in: {keyless.login}" if keyless else ""
    return Finding(code, name, "ok", found, advice)


def _token(machine: Machine) -> Finding:
    there = _set(machine, FORGE_TOKENS)
    if there:
        return Finding("token", "token of a forge", "ok", f"{' and '.join(there)} set")
    advice = "the local forge needs none; for the github forge: export GH_TOKEN=$(gh auth token)"
    return Finding("token", "token of a forge", "note", "none is set", advice)


def _set(machine: Machine, names: Iterable[str]) -> list[str]:
    return [name for name in names if machine.environment.get(name, "").strip()]
