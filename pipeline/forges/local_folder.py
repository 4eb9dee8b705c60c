"""Whether what stands in the local forge's folder is the forge's own making."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.forges.base import ForgeFault
from pipeline.terminal.display import listed

if TYPE_CHECKING:
    from pipeline.git import Repository

# What `git init --bare` sets. Other settings, and hooks, could have a push run programs.
_SETTINGS = {
    *("core.bare", "core.filemode", "core.ignorecase", "core.precomposeunicode", "core.symlinks"),
    *("core.repositoryformatversion", "extensions.objectformat", "extensions.refstorage"),
    *("core.sharedrepository", "receive.denynonfastforwards"),  # where core.sharedRepository is set
}
_FOREIGN = ("commondir", "config.worktree")


def refuse_links(root: str, *folders: str) -> None:
    """Refuse folders, relative to a repository's root, that are links, or lie beyond one.

    Raises:
        ForgeFault: files would be written somewhere else.
    """
    for folder in folders:
        path = os.path.join(os.path.realpath(root), *folder.split("/"))
        if os.path.realpath(path) != path:
            raise ForgeFault(f"{folder} is a link, or lies beyond one: remove it", usage=True)


def refuse_foreign(repository: Repository, origin: str) -> None:
    """Refuse a bare repository with hooks or settings: an agent, or a clone, can have left them.

    Args:
        repository: the user's.
        origin: the bare repository's path, relative to the root.

    Raises:
        ForgeFault: it holds more than the forge puts there.
        GitFault: its settings cannot be read.
    """
    path = os.path.join(repository.root, *origin.split("/"))
    words = ("--file", os.path.join(path, "config"), "--no-includes", "--name-only", "--list")
    settings = repository.run("config", *words).splitlines()
    hooks = os.path.join(path, "hooks")
    found = [
        *(f"hooks/{name}" for name in (os.listdir(hooks) if os.path.lexists(hooks) else ())),
        *(name for name in _FOREIGN if os.path.lexists(os.path.join(path, name))),
        *(name for name in settings if name not in _SETTINGS),
    ]
    if found:
        raise ForgeFault(
            f"{origin} holds what the local forge does not put there: {listed(sorted(found))}; "
            "remove that folder, it is made again"
        )
