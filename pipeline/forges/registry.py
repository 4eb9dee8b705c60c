"""The forges by name; each is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pipeline.forges.base import ForgeFault
from pipeline.terminal.display import named

if TYPE_CHECKING:
    from pipeline.forges.base import Forge

_CLASSES = {
    "local": ("pipeline.forges.local", "Local"),
    "github": ("pipeline.forges.github", "GitHub"),
    "gitlab": ("pipeline.forges.gitlab", "GitLab"),
    "gitea": ("pipeline.forges.gitea", "Gitea"),
}
NAMES = tuple(_CLASSES)


def forge(name: str, *, remote: str) -> Forge:
    """Return the forge of a name, which pushes to `remote` (the local one needs none).

    Raises:
        ForgeFault: there is no forge of that name.
    """
    if name not in _CLASSES:
        raise ForgeFault(f"no forge is named {named(name)}: choose {', '.join(NAMES)}", usage=True)
    module, kind = _CLASSES[name]
    made: Forge = getattr(import_module(module), kind)(remote=remote)
    return made
