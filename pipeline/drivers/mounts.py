"""What an agent's client sees of this machine: a role's rights are its mounts."""

from __future__ import annotations

import os
import shutil
import sys
from functools import cache
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT, environment_python
from pipeline.drivers.git_copy import copied_git
from pipeline.files import is_inside
from pipeline.git import Repository
from pipeline.jail import SYSTEM, Jail
from pipeline.protocol.layout import artifact_folder
from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pipeline.agents.clients.base import Profile
    from pipeline.drivers.base import Allowed, Turn

_PROGRAMS = {"bin", "sbin", "shims"}  # a prefix's folders of programs
_BESIDE = {".cargo": ".rustup"}  # what the programs of a prefix read beside it
_SECRET = (".git", "credentials", "credentials.toml")  # in a prefix: an address may have a token
_SHARED = ("/etc", "/home", "/mnt", "/media", "/srv", "/var")  # folders of data, no prefixes
_FILES = ("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE")  # variables that name a file


def terms_of(allowed: Allowed | None) -> str:
    """Return what agents can reach, in one line for the user."""
    if allowed is None:
        return "no jail: agents can read and change all that you can"
    if allowed.offline:
        return "agents work in a jail without a network"
    return "agents work in a jail; they reach the network, and services of this machine (--offline)"


def jail_of(
    turn: Turn,
    allowed: Allowed,
    environment: Mapping[str, str],
    *,
    programs: Iterable[str],
    profile: Profile | None = None,
    copies: str,
) -> Jail:
    """Return the jail of a role's turn.

    `programs` are the words of what starts in it: files by absolute paths are seen with what
    belongs to them. `copies` is an empty folder of the caller's, in which the role's own git
    directory is made.

    Raises:
        Fault: the issue's folder, or the repository's `.git`, is a link.
    """
    home = environment.get("HOME") or "/home/agent"
    if any(is_inside(path, os.path.realpath(turn.root)) for path in _homes(home)):
        raise unusable(f"{visible(turn.root, 300)}: has your home in it, which no agent may see")
    root = os.path.realpath(turn.root)
    tools, reads_at = seen_tools(root, environment, copies, programs)
    prefixes = {sys.prefix} - {sys.base_prefix}
    python = [os.path.realpath(path) for path in prefixes if is_inside(path, root)]
    reads = [turn.root, ROOT, *tools, *python]
    reads += [environment[name] for name in _FILES if os.path.exists(environment.get(name, ""))]
    if not is_inside(ROOT, root) and os.path.isdir(f"{ROOT}/.git"):
        reads_at[f"{ROOT}/.git"] = hidden_folder(copies)
    writes = [*_project(turn), *allowed.writes]
    git_reads, writes_at = copied_git(turn.root, copies)
    if profile and profile.settings:
        place, settings, logins = profile.files_of_user(environment)
        reads += filter(os.path.isdir, settings)
        writes += logins
        writes_at[place] = _copied_settings(settings, copies)
    return Jail(
        reads=[*dict.fromkeys([*reads, *_kept(turn), *allowed.reads])],
        writes=writes,
        reads_at={**reads_at, **git_reads},
        writes_at=writes_at,
        home=home,
        folder=turn.root,
        network=not allowed.offline,
        environment=environment,
    )


def seen_tools(
    root: str, environment: Mapping[str, str], copies: str, programs: Iterable[str] = ()
) -> tuple[list[str], dict[str, str]]:
    """Return the prefixes of tools, and the places in them that stay hidden with what is there.

    The work tree is seen anyway, and what the worker installs there is written.
    """
    home = environment.get("HOME") or "/home/agent"
    found = _tools(environment.get("PATH", ""), home, programs)
    # What a link of the course's leads to, such as its .venv, is seen there.
    found = [os.path.realpath(path) if is_inside(path, ROOT) else path for path in found]
    tools = [path for path in found if not is_inside(path, root)]
    hidden = hidden_folder(copies)
    return tools, {path: hidden if os.path.isdir(path) else "/dev/null" for path in _secrets(tools)}


def hidden_folder(copies: str) -> str:
    """Return the empty folder that is seen in the place of one that stays hidden."""
    folder = os.path.join(copies, "hidden")
    os.makedirs(folder, exist_ok=True)
    return folder


def _copied_settings(settings: Iterable[str], copies: str) -> str:
    """Return a folder with copies of a client's files of settings, which it may write to."""
    folder = os.path.join(copies, "home")
    os.makedirs(folder)
    for path in filter(os.path.isfile, settings):
        shutil.copyfile(path, os.path.join(folder, os.path.basename(path)))
    return folder


def _project(turn: Turn) -> list[str]:
    """Return what a role writes: the issue's folder, and a worker the target project as well."""
    if turn.writes == "nothing":
        return []
    folder = _issue_folder(turn)
    os.makedirs(folder, exist_ok=True)
    if os.path.realpath(folder) != folder:
        raise unusable(f"{visible(folder, 300)}: is behind a link (expected a folder)")
    project = os.path.normpath(os.path.join(turn.root, turn.target))
    return [project, folder] if turn.writes == "project" else [folder]


def _issue_folder(turn: Turn) -> str:
    return os.path.join(os.path.realpath(turn.root), artifact_folder(turn.target, turn.issue))


def _kept(turn: Turn) -> Iterator[str]:
    """Yield what stays read-only within what a role writes: other issues, other artifacts."""
    if turn.writes == "nothing":
        return
    folder = _issue_folder(turn)
    yield os.path.dirname(folder)
    with os.scandir(folder) as entries:
        artifact = os.path.basename(turn.artifact)
        yield from (
            entry.path for entry in entries if entry.name != artifact and not entry.is_symlink()
        )
    if os.path.isfile(os.path.join(turn.root, ".gitmodules")):
        top = os.path.normpath(os.path.join(turn.root, turn.target))
        paths = (f"{top}/{name}/.git" for name in Repository(turn.root).submodules(turn.target))
        yield from (path for path in paths if os.path.exists(path))


def _tools(path: str, home: str, programs: Iterable[str]) -> list[str]:
    """Return the prefixes of what is on a search path, of programs, and of the course's Python."""
    found = toolchains(path, home)
    for program in (*programs, sys.executable, environment_python(ROOT)):
        if os.path.isabs(program) and os.path.isfile(program):
            found += [prefix_of(program, home), *_prefixes(os.path.dirname(program), home)]
    return found


def toolchains(path: str, home: str) -> list[str]:
    """Return the prefixes of the programs on a search path that lie outside the system's folders.

    A version manager's folder of shims leads to its prefix, a link to the program's.
    """
    folders = filter(os.path.isdir, filter(os.path.isabs, path.split(os.pathsep)))
    return list(dict.fromkeys(found for folder in folders for found in _prefixes(folder, home)))


@cache
def _prefixes(folder: str, home: str) -> list[str]:
    prefixes = [] if _is_of_system(os.path.realpath(folder)) else [prefix_of(f"{folder}/x", home)]
    with os.scandir(folder) as entries:
        links = [os.path.realpath(entry.path) for entry in entries if entry.is_symlink()]
    prefixes += [_linked_prefix(link, home) for link in links if os.path.isfile(link)]
    named = [os.path.split(path) for path in prefixes]
    prefixes += [f"{above}/{_BESIDE[name]}" for above, name in named if name in _BESIDE]
    there = filter(os.path.exists, dict.fromkeys(prefixes))
    return [path for path in there if not _is_of_system(path)]


def _linked_prefix(program: str, home: str) -> str:
    """Return the prefix of a program that a link leads to; one in `~/Documents` is alone there."""
    prefix = prefix_of(program, home)
    is_alone = os.path.dirname(prefix) in _homes(home) and prefix == os.path.dirname(program)
    return program if is_alone else prefix


def prefix_of(program: str, home: str) -> str:
    """Return what a program's installation fills; never the home or a folder above it."""
    before, modules, _ = program.partition("/node_modules/")
    folder = f"{before}/node_modules" if modules else os.path.dirname(program)
    above = os.path.dirname(folder)
    if os.path.basename(folder) in _PROGRAMS and not _is_personal(above, home):
        return above
    return program if _is_personal(folder, home) else folder


def _is_personal(folder: str, home: str) -> bool:
    return folder in _SHARED or any(
        is_inside(path, folder) or folder == f"{path}/.local" for path in _homes(home)
    )


@cache
def _homes(home: str) -> tuple[str, str]:
    return home, os.path.realpath(home)  # /home is a link on some systems


def _secrets(prefixes: Iterable[str]) -> Iterator[str]:
    """Yield what a prefix has beside its programs that is only for the user, such as a log-in."""
    for prefix in filter(os.path.isdir, prefixes):
        with os.scandir(prefix) as found:
            entries = [entry for entry in found if not entry.is_symlink()]
        modes = {entry: entry.stat().st_mode & 0o077 for entry in entries}
        programs = [mode for entry, mode in modes.items() if entry.name in _PROGRAMS]
        for entry, mode in modes.items():
            if entry.name in _SECRET or (any(programs) and not mode):
                yield entry.path


def _is_of_system(path: str) -> bool:
    return any(is_inside(path, folder) for folder in SYSTEM)


def checked_paths(option: str, paths: Iterable[str]) -> list[str]:
    """Return the absolute paths of folders that the user adds.

    Raises:
        Fault: one of them is missing.
    """
    found = [os.path.abspath(os.path.expanduser(path)) for path in paths]
    for path, given in zip(found, paths, strict=True):
        if not os.path.exists(path):
            raise unusable(f"{option} {visible(given)}: does not exist")
    return found
