"""Which of a worker's files there is something to commit of, and why one cannot be."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from pipeline.protocol.patterns import PATH
from pipeline.publishing.work import CannotPublish
from pipeline.terminal.display import listed, named, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.git import Repository
    from pipeline.publishing.work import Work

_SHOWN = 200
_RULE = 3  # source, line and pattern that git check-ignore prints before the path


def changed_files(repository: Repository, work: Work, tell: Callable[[str], None]) -> list[str]:
    """Return the work's paths that are new, changed or deleted, relative to the repository.

    Raises:
        CannotPublish: there is none, or one of the others is not simply as it was.
        GitFault: git failed.
    """
    changes = repository.changes()
    changed, same = [], []
    for path in work.paths():
        if path in changes and ("D" in changes[path] or not _is_folder(repository, path)):
            changed.append(path)
        else:
            _refuse_untracked(repository, path)
            same.append(path)
    if not changed:
        which = f": {listed(same)} as before" if same else ": no file was named"
        raise CannotPublish(f"nothing to commit{which}")
    if same:
        tell(f"as before, so not in the commit: {listed(same)}")
    return changed


def _is_folder(repository: Repository, path: str) -> bool:
    full = os.path.join(repository.root, path)
    return os.path.isdir(full) and not os.path.islink(full)


def _refuse_untracked(repository: Repository, path: str) -> None:
    """Refuse a path of which git tells no change, unless it is a file that is as committed."""
    shown = named(path, _SHOWN)
    if not re.match(PATH.pattern, path) or ".git" in path.lower().split("/"):
        raise CannotPublish(f"{shown} is no path of a file inside the repository")
    _refuse_elsewhere(repository, path, shown)
    if _is_folder(repository, path):
        raise CannotPublish(f"{shown} is a folder: name the files in it, one by one")
    if repository.run("ls-files", "-z", "--", path):
        return
    if not os.path.lexists(os.path.join(repository.root, path)):
        raise CannotPublish(f"{shown} is not there, and git does not know it either")
    raise CannotPublish(f"{shown} is ignored{_rule(repository, path)}: git would not commit it")


def _refuse_elsewhere(repository: Repository, path: str, shown: str) -> None:
    root = os.path.realpath(repository.root)
    folder = os.path.dirname(os.path.join(root, path))
    if os.path.realpath(folder) != folder:
        raise CannotPublish(f"{shown} lies beyond a symbolic link: name the file where it is")
    if os.path.isdir(folder) and os.path.realpath(repository.toplevel(folder)) != root:
        raise CannotPublish(f"{shown} lies in a repository of its own (a submodule)")


def _rule(repository: Repository, path: str) -> str:
    """Return which rule ignores a path: ` by .gitignore:3 (*.log)`."""
    # It knows no literal pathspecs: `./` keeps a name such as `:(glob)**` from being magic.
    words = ("check-ignore", "--verbose", "-z", "--stdin")
    magic = {"GIT_LITERAL_PATHSPECS": "0"}
    fields = repository.attempt(*words, text=f"./{path}\0", more=magic).stdout.split("\0")
    if len(fields) <= _RULE:
        return ""
    return f" by {visible(fields[0])}:{fields[1]} ({visible(fields[2])})"
