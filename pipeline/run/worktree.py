"""A work tree of a run's own: made at the base, kept while the run is unfinished, then removed."""

from __future__ import annotations

import filecmp
import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

from pipeline.files import system_path
from pipeline.protocol.layout import in_target
from pipeline.run import history
from pipeline.run.artifacts import keep_copy
from pipeline.run.stages import STAGES
from pipeline.run.turns import RECORDS
from pipeline.terminal.display import named, visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from pipeline.git import Repository
    from pipeline.run.assignment import Assignment

FOLDER = ".pipeline/worktrees"  # in the root; git ignores it


def ignore_artifacts(repository: Repository, target: str) -> None:
    """Keep `.pipeline/` out of commits by git's own list, unless the project commits its artifacts.

    `git add --all` would add the artifacts to the work otherwise.
    """
    place = repository.run("rev-parse", "--git-path", "info/exclude").removesuffix("\n")
    path, lines = os.path.join(repository.root, place), {""}
    with suppress(FileNotFoundError), open(path, encoding="utf-8", errors="replace") as file:
        lines.update(file.read().split("\n"))
    for folder in {".pipeline/", in_target(target, ".pipeline/")} - {line[1:] for line in lines}:
        words = ("check-ignore", "--quiet", "--", f"{folder}x")
        done = repository.attempt(*words, more={"GIT_LITERAL_PATHSPECS": "0"})
        if done.returncode and not repository.run("ls-files", "--", folder):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "a", encoding="utf-8") as file:
                file.write(f"\n/{folder}\n")


def own_work_tree(repository: Repository, about: Assignment, base: str) -> tuple[str, str]:
    """Return the root of a run's own work tree, and the base.

    The work tree begins at the base, with the artifacts of earlier runs, unless it is there.
    """
    ignore_artifacts(repository, ".")
    base = base or repository.status().branch
    if not base:
        raise unusable("HEAD is detached: choose the base of the work tree (--base main)")
    root = system_path(repository.root, f"{FOLDER}/{about.issue}")
    if not os.path.exists(os.path.join(root, ".git")):
        sha = repository.commit(base)
        if not sha:
            raise unusable(f"the base {named(base)} is not a commit: choose one (--base main)")
        repository.run("worktree", "prune")
        repository.run("worktree", "add", "--quiet", "--detach", root, sha)
        _copy(about.folder_on_disk, system_path(root, about.folder))
    return root, base


def leave(repository: Repository, about: Assignment, *, done: bool) -> str:
    """Copy the artifacts to the user's work tree; remove the run's own if the work is `done`.

    Return where it is, empty if it was removed. `about` is the assignment in the run's work tree.
    """
    _copy(about.folder_on_disk, system_path(repository.root, about.folder))
    if done:
        repository.run("worktree", "remove", "--force", about.root)
        with suppress(OSError):
            os.rmdir(os.path.dirname(about.root))
    return "" if done else visible(f"{FOLDER}/{about.issue}")


def _copy(source: str, goal: str) -> None:
    """Copy artifacts; one that is in the place of another is kept as `*.invalid`."""
    for name in (*(stage.artifact for stage in STAGES), history.NAME, *RECORDS):
        old, new = os.path.join(source, name), os.path.join(goal, name)
        if not os.path.isfile(old) or os.path.islink(old):
            continue
        if not (os.path.isfile(new) and filecmp.cmp(old, new, shallow=False)):
            os.makedirs(goal, exist_ok=True)
            if name not in (history.NAME, *RECORDS):  # these only grow
                keep_copy(new)
            with suppress(FileNotFoundError):
                os.unlink(new)
            shutil.copyfile(old, new)
