"""What an agent's turn changed: the tree before and after it, compared."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from typing import TYPE_CHECKING, NamedTuple

from pipeline.protocol.layout import SETTINGS, from_target, in_target
from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.drivers.base import Turn
    from pipeline.git import Repository

# The runner's own files in the issue's folder, and what the hooks of an agent's client note there.
_OURS = re.compile(r"run\.(?:lock|json)|(?:dispatch|turns|transcript)\.jsonl|[^/]+\.json\.invalid")
_FORGE = (
    ".pipeline/forge/"  # of the root: the local forge, which trusts nothing that it finds there
)
_MOST_FILES = 10_000  # below `.pipeline/`
# Folders with a `.gitignore` that ignores itself, as the tools of a worker's tests make them.
_OF_TOOLS = re.compile(
    r"(?:\.(?:hypothesis|import_linter_cache|ipynb_checkpoints|mypy_cache|nox|pytest_cache"
    r"|ruff_cache|tox|venv)|htmlcov|node_modules|venv)/(?:.*/)?"
)
_WHOLE = 1 << 20  # bytes up to which a file is compared by its content, not by its times


class Snapshot(NamedTuple):
    """A repository at one moment: its head, and a mark for each file that differs from it.

    `files` has the files that git reports as changed or new, those of `.pipeline/`, and those of
    folders whose `.gitignore` ignores itself, by path relative to the root. Other files that git
    ignores are not in it, nor git's own, which a jail keeps from an agent.
    """

    branch: str
    sha: str
    files: dict[str, str]


NOTHING = Snapshot("", "", {})  # compared with this, every uncommitted file has changed


def take(repository: Repository, target: str, remote: str = "", issue: str = "") -> Snapshot:
    """Return the snapshot of a repository, without what the runner itself writes for an issue.

    `remote` is the pull request's, empty for none: the local forge is the runner's too.
    """
    branch, sha, changes, ignored = repository.status()
    is_local = not remote or f"/{_FORGE}" in f"/{remote}"
    written = _pipeline_files(repository.root, target, forge=is_local)
    names = {*changes, *written, *_self_hidden(ignored)}
    folder = in_target(target, f".pipeline/{issue}/")
    mine = sorted(
        name
        for name in names
        if not (name.startswith(folder) and _OURS.fullmatch(name, len(folder)))
        and not (is_local and name.startswith(_FORGE))
    )
    return Snapshot(branch, sha, {name: mark(repository.root, name) for name in mine})


def changed(before: Snapshot, after: Snapshot) -> list[str]:
    """Return the paths whose marks differ, sorted."""
    names = {*before.files, *after.files}
    return sorted(name for name in names if before.files.get(name) != after.files.get(name))


def digest(snapshot: Snapshot, paths: Iterable[str]) -> str:
    """Return a digest of some files as a snapshot has them, and of the commit they are based on."""
    marks = [(path, snapshot.files.get(path, "")) for path in sorted(paths)]
    return hashlib.sha256(repr((snapshot.sha, marks)).encode("utf-8", "replace")).hexdigest()


def violations(before: Snapshot, after: Snapshot, turn: Turn, *, fresh: bool = False) -> list[str]:
    """Return a line for each change that the turn's role may not make; empty if there is none.

    `fresh`: what differed from the last commit before the turn was the user's.
    """
    found = []
    if before.branch != after.branch:
        was = before.branch or "none"
        found.append(f"the branch is now {visible(after.branch) or 'none'}, not {was}")
    if before.sha != after.sha:
        found.append(f"HEAD is now {after.sha[:12] or 'none'}, not {before.sha[:12]}")
    for name in changed(before, after):
        mixed = "you had already changed this file" if fresh and name in before.files else ""
        reason = _why_not(name, turn) or (mixed if name != turn.artifact else "")
        if reason:
            found.append(f"{visible(name, 300)}: {reason}")
    return found


def project_changes(before: Snapshot, after: Snapshot, target: str) -> set[str]:
    """Return the changed files of the target project, relative to it, without artifacts."""
    names = (name for name in changed(before, after) if not _is_pipeline(name, target))
    return set(from_target(target, names))


def _why_not(name: str, turn: Turn) -> str:
    """Return why a turn may not have changed a file, empty if it may."""
    if name == turn.artifact:
        return ""
    if _is_pipeline(name, turn.target):
        return f"is not the artifact of {turn.delegate or turn.role}"
    if turn.writes != "project":
        return f"{turn.delegate or turn.role} may not change files of the project"
    if name == SETTINGS:
        return "has the settings of runs, which only a person changes"
    is_inside = name.startswith(in_target(turn.target, ""))
    return "" if is_inside else f"is outside the target project {turn.target}"


def _is_pipeline(name: str, target: str) -> bool:
    top = in_target(target, ".pipeline")
    return name == top or name.startswith(f"{top}/")


def _pipeline_files(root: str, target: str, *, forge: bool) -> list[str]:
    """Return the files below the target project's `.pipeline/`, even those that git ignores.

    A link in place of a folder counts as a file: it is not followed. The folders of other programs,
    the local `forge` and the work trees of other runs, are left out.
    """
    top = in_target(target, ".pipeline")
    if os.path.islink(os.path.join(root, top)):
        return [top]
    files: list[str] = []
    for folder, folders, names in os.walk(os.path.join(root, top)):
        place = os.path.relpath(folder, root).replace(os.sep, "/")
        if place == ".pipeline":
            skipped = {"worktrees", *(["forge"] if forge else [])}
            folders[:] = [name for name in folders if name not in skipped]
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        files += [f"{place}/{name}" for name in (*names, *links)]
        if len(files) > _MOST_FILES:
            raise unusable(f"{top} has more than {_MOST_FILES} files: remove what no run needs")
    return files


def _self_hidden(ignored: tuple[str, ...]) -> list[str]:
    """Return the ignored files of folders with a `.gitignore` that ignores itself."""
    hidden = [path.removesuffix(".gitignore") for path in ignored if path.endswith("/.gitignore")]
    folders = tuple(folder for folder in hidden if not _OF_TOOLS.search(folder))
    return [path.rstrip("/") for path in ignored if folders and path.startswith(folders)]


def mark(root: str, name: str) -> str:
    """Return a text that changes when the file does; links are not followed."""
    path = os.path.join(root, name)
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return f"link {os.readlink(path)}"
        if stat.S_ISREG(status.st_mode) and status.st_size <= _WHOLE:
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read(_WHOLE + 1)).hexdigest()
            return f"{status.st_mode & 0o111:o} {digest}"
    except FileNotFoundError:
        return "absent"
    except OSError as error:
        return f"unreadable {error.errno}"
    # ctime cannot be set back
    return f"{status.st_mode:o} {status.st_size} {status.st_ctime_ns} {status.st_ino}"
