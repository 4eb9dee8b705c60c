"""Opens a repository or a bundle of a git source: its objects, and the commit that a ref names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from pipeline.reading import NO_FOLLOW_FLAGS, unreadable
from verify.history.branches import of_bundle, of_repository
from verify.history.bundles import BundlePack, Most, read_head
from verify.history.deltas import DamagedObject
from verify.history.files import FolderFiles, regular
from verify.history.history import History
from verify.history.objects import Objects
from verify.history.readers import reader_of
from verify.history.refs import in_bundle, in_repository
from verify.history.repositories import indexed_packs, is_partial, stock_of
from verify.walking import NoSubmission, walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.walking import Walk


class Opened(NamedTuple):
    """A repository's objects, the object that was asked for, and what reads the history."""

    objects: Objects
    commit: str
    past: Callable[[], History]


def opened(path: str, ref: str | None) -> Opened:
    """Return the objects of a repository (a folder) or a bundle (a file), and what `ref` names.

    Without a ref it is what HEAD says.

    Raises:
        NoSubmission: there is no repository, or a link in its place.
        Unreadable: a file of it may not be read.
        DamagedObject: it is not what git writes, or has no such ref.
        TooLargeObject: a bundle holds more than is read.
    """
    if os.path.islink(path):
        raise NoSubmission("is a link, which is not followed")
    return (_repository if os.path.isdir(path) else _bundle)(path, ref)


def _repository(path: str, ref: str | None) -> Opened:
    files = _files(path)
    try:
        name = in_repository(files.read, ref)
        objects = Objects(indexed_packs(files, len(name) // 2), files)
    except BaseException:
        files.close()
        raise

    def past() -> History:
        branches, is_cut = of_repository(files), is_partial(files)
        return History(objects, branches, is_cut=is_cut, seal=stock_of(files))

    return Opened(objects, name, past)


def _files(path: str) -> FolderFiles:
    """Return the files of the repository in a folder: bare, or in its `.git`."""
    folder = walk(path)
    try:
        return FolderFiles(folder, _prefix(folder), closes=True)
    except BaseException:
        folder.close()
        raise


def _prefix(folder: Walk) -> str:
    for prefix in (".git/", ""):  # a work tree may have a file HEAD
        if folder.is_file(f"{prefix}HEAD"):
            return prefix
    if folder.is_file(".git"):
        raise NoSubmission("is no repository of its own: its .git is a file that points elsewhere")
    raise NoSubmission("is no git repository: it has no HEAD, nor a folder .git with one")


def _bundle(path: str, ref: str | None) -> Opened:
    try:
        descriptor = os.open(path, NO_FOLLOW_FLAGS)
    except (OSError, ValueError) as error:
        raise unreadable(error) from None
    reader = reader_of(regular(descriptor))
    try:
        head = read_head(reader)
        name = in_bundle(head.refs, ref)
        if len(name) != 2 * head.width:
            _disagreeing()
        pack = BundlePack(reader, head, Most())
    except BaseException:
        reader.close()
        raise
    objects = Objects([pack])

    def past() -> History:
        told = f"{len(head.refs)} refs, {pack.seal}"
        return History(objects, of_bundle(head.refs), is_cut=False, seal=told)

    return Opened(objects, name, past)


def _disagreeing() -> None:
    raise DamagedObject("its objects have names of another kind than its refs")
