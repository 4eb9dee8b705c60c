"""What repositories' names tell of their learners, GitHub Classroom's naming included."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SUFFIXES = (".bundle", ".git")
_CLONES = "-submissions"  # `gh classroom clone` makes ASSIGNMENT-submissions/ASSIGNMENT-LOGIN


def stem(name: str) -> str:
    """Return a repository's name without `.bundle` or `.git`."""
    for suffix in _SUFFIXES:
        if name.endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def learners(container: str, names: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Return what each repository in a folder calls its learner, and other names for them.

    In GitHub Classroom's own folder `ASSIGNMENT-submissions` a learner is the login after
    `ASSIGNMENT-`. Elsewhere, what stands after a beginning that all names share up to a hyphen
    is another name for the learner: a roster may know it.
    """
    stems = [stem(name) for name in names]
    folder = os.path.basename(container)
    slug = f"{folder[: -len(_CLONES)]}-" if folder.endswith(_CLONES) else ""
    if slug and all(name.startswith(slug) and name != slug for name in stems):
        return [(name[len(slug) :], (name,)) for name in stems]
    cut = _shared(min(stems), max(stems)).rfind("-") + 1 if len(stems) > 1 else 0
    if not cut or any(len(name) == cut for name in stems):
        return [(name, ()) for name in stems]
    return [(name, (name[cut:],)) for name in stems]


def _shared(first: str, last: str) -> str:
    """Return the beginning that two texts share, and with them all that sort between them."""
    same = 0
    for pair in zip(first, last, strict=False):
        if pair[0] != pair[1]:
            break
        same += 1
    return first[:same]
