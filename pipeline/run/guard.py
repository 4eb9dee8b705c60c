"""What an agent's turn changed: the tree before and after it, compared."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from pipeline.git import Repository
from pipeline.protocol.layout import GIT_RESULT, in_target
from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipeline.drivers.base import Turn

# The runner's own files in the issue's folder, and what the hooks of an agent's client note there.
_OURS = re.compile(r"run\.(?:lock|json)|dispatch\.jsonl|[^/]+\.json\.invalid")
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
# Files that can make git run something, look elsewhere or skip a file.
_GIT_FILES = (
    *("commondir", "hooks"),
    *("info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout"),
)
# Settings that can do the same to the run's own git (git-config(1)); the others are the user's.
_SETTINGS = re.compile(
    r"core\.(?!abbrev|comment|editor|logallrefupdates|pager|quotepath|whitespace)|commit\.(?!verbose)"
    r"|credential|diff\.(?:external|.+\.(?:command|textconv)$)|extensions\.|filter\.|gpg\.|hook\."
    r"|http\.|include|merge\..+\.driver$|protocol\.|push\.(?!autosetupremote|default)|ssh\.|submodule\."
    r"|trailer\.|transfer\.|url\.|user\.signingkey"
)
_PASSED_OVER = ".git/index (assume-unchanged, skip-worktree)"


class Snapshot(NamedTuple):
    """A repository at one moment: its head, and a mark for each file that differs from it.

    `files` has the files that git reports as changed or new, those of `.pipeline/`, those of
    folders whose `.gitignore` ignores itself, and git's own settings, by path relative to the root.
    Other files that git ignores are not in it. `references` has
    the commits of branches and tags, those of the remote as `REMOTE refs/heads/NAME`; it is empty
    in a checkpoint of an earlier run, since the user may make branches and fetch between two runs.
    """

    branch: str
    sha: str
    files: dict[str, str]
    references: Mapping[str, str] = MappingProxyType({})


NOTHING = Snapshot("", "", {})  # compared with this, every uncommitted file has changed


def take(repository: Repository, target: str, remote: str = "", issue: str = "") -> Snapshot:
    """Return the snapshot of a repository, and of a remote's references if one is given.

    What the runner itself writes for the `issue` is left out.
    """
    branch, sha, changes, ignored = repository.status()
    is_local = not remote or f"/{_FORGE}" in f"/{remote}"
    written = _pipeline_files(repository.root, target, forge=is_local)
    names = {*changes, *written, *_self_hidden(ignored)}
    own = in_target(target, f".pipeline/{issue}/")
    mine = sorted(
        name
        for name in names
        if not (name.startswith(own) and _OURS.fullmatch(name, len(own)))
        and not (is_local and name.startswith(_FORGE))
    )
    files = {name: mark(repository.root, name) for name in mine}
    files.update(_git_marks(repository, remote))
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


def moved(before: Snapshot, after: Snapshot) -> list[str]:
    """Return the names of the references that differ, here and at the remote, sorted."""
    if not before.references:
        return []
    return sorted({name for name, _ in before.references.items() ^ after.references.items()})


def violations(
    before: Snapshot,
    after: Snapshot,
    turn: Turn,
    is_own: Callable[[str], bool] = bool,
    *,
    fresh: bool = False,
) -> list[str]:
    """Return a line for each change that the turn's role may not make; empty if there is none.

    `is_own` says whether a branch is the run's: other branches, and all tags, are other people's.
    `fresh`: what differed from the last commit before the turn was the user's.
    """
    found = []
    if before.branch != after.branch:
        was = before.branch or "none"
        found.append(f"the branch is now {visible(after.branch) or 'none'}, not {was}")
    if before.sha != after.sha:
        found.append(f"HEAD is now {after.sha[:12] or 'none'}, not {before.sha[:12]}")
    found += [
        f"{visible(name, 300)}: only the runner creates and pushes this branch"
        for name in moved(before, after)
        if is_own(name.rpartition("refs/heads/")[2])
    ]
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


def _git_marks(repository: Repository, remote: str) -> dict[str, str]:
    """Return the marks of git's own settings, wherever a work tree or the user keeps them."""
    root = repository.root
    config, in_work_tree, index, *paths = _git_paths(root)
    marks = dict(_settings(root, remote, mark(root, config), mark(root, in_work_tree)))
    marks[_PASSED_OVER] = _passed_over(root, mark(root, index))
    for name, path in zip(_GIT_FILES, paths, strict=True):
        if os.path.isdir(path):
            marks.update({f".git/{name}/{e}": mark(path, e) for e in sorted(os.listdir(path))})
        else:
            marks[f".git/{name}"] = mark(root, path)
    if os.path.isfile(os.path.join(root, ".git")):  # says where a further work tree's settings are
        marks[".git/."] = mark(root, ".git")
    return marks


@lru_cache(maxsize=8)
def _settings(root: str, remote: str, *_files: str) -> dict[str, str]:
    """Return a mark for each setting by which the run's own git starts or reads something else.

    `_files` are the marks of the files of settings: git is asked again when one has changed.
    """
    marks: dict[str, str] = {}
    for entry in Repository(root).run("config", "--list", "--null").split("\0"):
        name, _, value = entry.partition("\n")
        if _SETTINGS.match(name) or (remote and name.startswith(f"remote.{remote}.")):
            key = f".git/config ({visible(name, 80)})"
            text = f"{marks.get(key, '')}\n{value}"  # a setting may have several values
            marks[key] = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
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


@lru_cache(maxsize=8)
def _passed_over(root: str, _index: str) -> str:
    """Return a mark of the files that git assumes unchanged (git-ls-files(1), -v).

    `_index` is the mark of git's index: git is asked again when it has changed.
    """
    entries = Repository(root).run("ls-files", "-v", "-z").split("\0")
    files = [entry for entry in entries if entry[:1].islower() or entry[:1] == "S"]
    data = "\0".join(files).encode("utf-8", "surrogateescape")
    return hashlib.sha256(data).hexdigest() if files else "absent"


@lru_cache(maxsize=8)  # a change of settings that moves these paths is itself detected
def _git_paths(root: str) -> tuple[str, ...]:
    names = ("config", "config.worktree", "index", *_GIT_FILES)
    words = [word for name in names for word in ("--git-path", name)]
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
