"""A git directory of a jail's own: the repository as it is, and nothing that leads back to it."""

from __future__ import annotations

import glob
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from pipeline.git import Repository
from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Iterator

_OBJECTS = "/run/objects"  # where a jail sees the repository's objects
_GIT = "/run/git"  # where it sees the copy, if the work tree's `.git` is a file
_COPIED = ("index", "shallow", "info/exclude", "info/attributes", "info/sparse-checkout")
# Settings by which git reads a work tree; every other may start a program.
_PLAIN = (
    *("core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode"),
    *("core.autocrlf", "core.eol", "core.safecrlf", "core.sparsecheckout"),
    *("core.sparsecheckoutcone", "extensions.objectformat", "user.name", "user.email"),
)
_PREFIX = "pipeline-scratch-"
_YOUNG = 60  # seconds in which a folder may not have its lock yet
_DEPTH = 5  # of alternates, as git follows them (gitrepository-layout(5))


class ScratchFolder(tempfile.TemporaryDirectory[str]):
    """A temporary folder for copies that jails see, removed whatever an agent leaves in it."""

    def __init__(self) -> None:
        _remove_abandoned()
        super().__init__(prefix=_PREFIX, ignore_cleanup_errors=True)
        self._lock = os.open(self.name, os.O_RDONLY) if sys.platform == "linux" else None
        _is_locked(self._lock)

    def cleanup(self) -> None:
        """Remove it, also if folders are nested deeper than Python follows."""
        with suppress(RecursionError):
            super().cleanup()
        _remove(self.name)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _remove_abandoned() -> None:
    """Remove the folders of runs that were killed: their locks are free."""
    for path in glob.glob(os.path.join(tempfile.gettempdir(), f"{_PREFIX}*")):
        with suppress(OSError):
            status = os.lstat(path)
            if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid():
                lock = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
                if time.time() - status.st_mtime > _YOUNG and _is_locked(lock):
                    _remove(path)
                os.close(lock)


def _is_locked(descriptor: int | None) -> bool:
    """Lock a folder; return whether no process had it."""
    if sys.platform == "linux" and descriptor is not None:
        import fcntl

        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    return False


def _remove(folder: str) -> None:
    if os.path.exists(folder):
        for words in (("chmod", "-R", "u+rwx", "--"), ("rm", "-rf", "--")):
            with suppress(OSError):
                subprocess.run([*words, folder], stderr=subprocess.DEVNULL, check=False)  # noqa: S603  # our own


def copied_git(
    root: str, copies: str, *, filters: bool = False
) -> tuple[dict[str, str], dict[str, str]]:
    """Copy a work tree's HEAD, index and references into a folder; return what a jail needs.

    These are the places that it reads, and those that it writes, each with what is there. The
    user's `filters` can be left out, since their programs may not be there.

    Raises:
        Fault: `.git` is a link.
    """
    place = os.path.join(root, ".git")
    if os.path.islink(place):
        raise unusable(f"{visible(place, 300)}: is a link (expected a git directory)")
    repository, folder = Repository(root), os.path.join(copies, "git")
    objects, *paths = _paths(repository)
    for name in ("objects/info", "objects/pack", "refs", "info"):
        os.makedirs(os.path.join(folder, name))
    for name, path in zip(_COPIED, paths, strict=True):
        if os.path.isfile(path):
            shutil.copyfile(path, os.path.join(folder, name))
    head = repository.attempt("symbolic-ref", "--quiet", "HEAD").stdout
    _write(folder, "HEAD", f"ref: {head}" if head else f"{repository.commit('HEAD')}\n")
    _write(
        folder, "packed-refs", repository.run("for-each-ref", "--format=%(objectname) %(refname)")
    )
    _write(folder, "objects/info/alternates", f"{_OBJECTS}\n")
    is_folder = os.path.isdir(place)
    config = "".join(_config(repository, filters, folder, place if is_folder else _GIT))
    _write(folder, "config", config)
    reads = {_OBJECTS: objects, **{path: path for path in _alternates(objects)}}
    if is_folder:
        return reads, {place: folder}
    _write(copies, "file", f"gitdir: {_GIT}\n")
    return {**reads, place: os.path.join(copies, "file")}, {_GIT: folder}


def _paths(repository: Repository) -> list[str]:
    names = ("objects", *_COPIED)
    words = [word for name in names for word in ("--git-path", name)]
    printed = repository.run("rev-parse", *words).removesuffix("\n").split("\n")
    return [os.path.realpath(os.path.join(repository.root, path)) for path in printed]


def _config(repository: Repository, filters: bool, folder: str, place: str) -> Iterator[str]:  # noqa: FBT001  # one caller
    yield "[core]\n\trepositoryformatversion = 1\n\tbare = false\n"
    for entry in repository.run("config", "--list", "--null").split("\0"):
        name, is_given, value = entry.partition("\n")
        if name in _PLAIN or (filters and name.startswith("filter.")):
            yield setting(name, value if is_given else "true")
    # What the user ignores everywhere is not added to a commit by `git add --all` in a hook.
    for name, default in (("excludesFile", "ignore"), ("attributesFile", "attributes")):
        found = repository.attempt("config", "--type=path", f"core.{name}").stdout.rstrip("\n")
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        if os.path.isfile(path := os.path.join(repository.root, found or f"{home}/git/{default}")):
            shutil.copyfile(path, os.path.join(folder, "info", name))
            yield setting(f"core.{name}", f"{place}/info/{name}")


def setting(name: str, value: str) -> str:
    """Return a setting as it is in a file of git's settings (git-config(1))."""
    section, _, key = name.rpartition(".")
    section, has_more, more = section.partition(".")
    heading = f"[{section} {_quoted(more)}]" if has_more else f"[{section}]"
    return f"{heading}\n\t{key} = {_quoted(value)}\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _alternates(objects: str, depth: int = 0) -> Iterator[str]:
    """Yield the folders of objects that a folder of objects borrows from."""
    try:
        with open(os.path.join(objects, "info", "alternates"), encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    for line in lines:
        path = os.path.normpath(os.path.join(objects, line))
        if depth < _DEPTH and os.path.isdir(path):
            yield path
            yield from _alternates(path, depth + 1)


def _write(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
