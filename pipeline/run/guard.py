"""What an agent's turn changed: the tree before and after it, compared."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from contextlib import suppress
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pipeline.git import Repository
from pipeline.protocol.layout import GIT_RESULT, in_target
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.drivers.base import Turn

# the runner's own files, what the hooks of an agent's client note, and the local forge, which
# trusts nothing that it finds there
_OURS = re.compile(
    r"(?:.*/)?\.pipeline/(?:[^/]+/(?:run\.(?:lock|json)|dispatch\.jsonl|[^/]+\.json\.invalid)|forge/.*)"
)
_WHOLE = 1 << 20  # bytes up to which a file is compared by its content, not by its times
# Files that can make git run something, look elsewhere or skip a file.
_GIT_FILES = (
    *("config", "config.worktree", "commondir", "hooks"),
    *("info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout"),
)
_PASSED_OVER = ".git/index (assume-unchanged, skip-worktree)"


class Snapshot(NamedTuple):
    """A repository at one moment: its head, and a mark for each file that differs from it.

    `files` has the files that git reports as changed or new, those of `.pipeline/`, and git's own
    settings, by path relative to the root. Files that git ignores are not in it. `references` has
    the commits of branches and tags, those of the remote as `REMOTE refs/heads/NAME`; it is empty
    in a checkpoint of an earlier run, since the user may make branches and fetch between two runs.
    """

    branch: str
    sha: str
    files: dict[str, str]
    references: Mapping[str, str] = MappingProxyType({})


NOTHING = Snapshot("", "", {})  # compared with this, every uncommitted file has changed


def take(repository: Repository, target: str, remote: str = "") -> Snapshot:
    """Return the snapshot of a repository, and of a remote's references if one is given."""
    branch, sha, changes = repository.status()
    names = {*changes, *_pipeline_files(repository.root, target)}
    mine = sorted(name for name in names if not _OURS.fullmatch(name))
    files = {name: mark(repository.root, name) for name in mine}
    files.update(_git_marks(repository.root))
    files[_PASSED_OVER] = _passed_over(repository)
    return Snapshot(branch, sha, files, _references(repository, remote))


def changed(before: Snapshot, after: Snapshot) -> list[str]:
    """Return the paths whose marks differ, sorted."""
    names = {*before.files, *after.files}
    return sorted(name for name in names if before.files.get(name) != after.files.get(name))


def work_changed(before: Snapshot, after: Snapshot) -> list[str]:
    """Return the changed paths that are neither git's settings nor what publishing writes."""
    return [
        name
        for name in changed(before, after)
        if not name.startswith(".git/") and not name.endswith(f"/{GIT_RESULT}")
    ]


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
    if before.references:
        moved = set(before.references.items()) ^ set(after.references.items())
        names = sorted({visible(name, 300) for name, _ in moved})
        found += [f"{name}: only the runner creates and pushes branches and tags" for name in names]
    for name in changed(before, after):
        mixed = "you had already changed this file" if fresh and name in before.files else ""
        reason = _why_not(name, turn) or (mixed if name != turn.artifact else "")
        if reason:
            found.append(f"{visible(name, 300)}: {reason}")
    return found


def project_changes(before: Snapshot, after: Snapshot, target: str) -> set[str]:
    """Return the changed files of the target project, relative to it, without artifacts."""
    prefix = "" if target == "." else f"{target}/"
    return {
        name[len(prefix) :]
        for name in changed(before, after)
        if name.startswith(prefix) and not (_is_pipeline(name, target) or name.startswith(".git/"))
    }


def _why_not(name: str, turn: Turn) -> str:
    """Return why a turn may not have changed a file, empty if it may."""
    if name == turn.artifact:
        return ""
    if name.startswith(".git/"):
        return "no role may change git's settings"
    if _is_pipeline(name, turn.target):
        return f"is not the artifact of {turn.delegate or turn.role}"
    if turn.writes != "project":
        return f"{turn.delegate or turn.role} may not change files of the project"
    inside = turn.target == "." or name.startswith(f"{turn.target}/")
    return "" if inside else f"is outside the target project {turn.target}"


def _is_pipeline(name: str, target: str) -> bool:
    top = in_target(target, ".pipeline")
    return name == top or name.startswith(f"{top}/")


def _pipeline_files(root: str, target: str) -> list[str]:
    """Return the artifacts of the target project, even those that git ignores.

    A link in place of a folder counts as a file: it is not followed.
    """
    top = in_target(target, ".pipeline")
    if os.path.islink(os.path.join(root, top)):
        return [top]
    files = []
    with suppress(FileNotFoundError, NotADirectoryError):
        for each in os.scandir(os.path.join(root, top)):
            if each.is_dir(follow_symlinks=False):
                files += [f"{top}/{each.name}/{name}" for name in os.listdir(each.path)]
            else:
                files.append(f"{top}/{each.name}")
    return files


def _git_marks(root: str) -> dict[str, str]:
    """Return the marks of git's own settings, wherever a work tree or the user keeps them."""
    marks = {}
    for name, path in zip(_GIT_FILES, _git_paths(root), strict=True):
        if os.path.isdir(path):
            marks.update({f".git/{name}/{e}": mark(path, e) for e in sorted(os.listdir(path))})
        else:
            marks[f".git/{name}"] = mark(root, path)
    if os.path.isfile(os.path.join(root, ".git")):  # says where a further work tree's settings are
        marks[".git/."] = mark(root, ".git")
    return marks


def _references(repository: Repository, remote: str) -> dict[str, str]:
    """Return the commits of the references, here and, if it answers, at the remote.

    At the remote, only commits that exist here count: others may push at the same time.
    """
    printed = repository.run("for-each-ref", "--format=%(objectname) %(refname)")
    own = {name: sha for sha, name in (line.split(" ", 1) for line in printed.splitlines())}
    found = dict(own)
    if remote and any(name.startswith(f"refs/remotes/{remote}/") for name in own):
        answer = repository.attempt("ls-remote", "--quiet", "--heads", "--tags", "--", remote)
        at_remote = (line.split("\t", 1) for line in answer.stdout.splitlines())
        known = set(own.values())
        found.update((f"{remote} {name}", sha) for sha, name in at_remote if sha in known)
    return found


def _passed_over(repository: Repository) -> str:
    """Return a mark of the files that git assumes unchanged (git-ls-files(1), -v)."""
    entries = repository.run("ls-files", "-v", "-z").split("\0")
    files = [entry for entry in entries if entry[:1].islower() or entry[:1] == "S"]
    data = "\0".join(files).encode("utf-8", "surrogateescape")
    return hashlib.sha256(data).hexdigest() if files else "absent"


@lru_cache(maxsize=8)  # a change of settings that moves these paths is itself detected
def _git_paths(root: str) -> tuple[str, ...]:
    words = [word for name in _GIT_FILES for word in ("--git-path", name)]
    paths = Repository(root).run("rev-parse", *words).removesuffix("\n").split("\n")
    return tuple(os.path.join(root, path) for path in paths)


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
