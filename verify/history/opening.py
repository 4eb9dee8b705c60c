"""Opens the history that came with a submission: its `.git`, or the bundle that was handed in."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from pipeline.limits import MAX_HISTORY
from pipeline.reading import DENIED, MISSING, NOT_REGULAR, TOO_LARGE, Unreadable
from verify.history.branches import of_bundle, of_repository
from verify.history.bundles import BundlePack, read_head
from verify.history.deltas import DamagedObject
from verify.history.files import FolderFiles
from verify.history.history import History
from verify.history.objects import Objects
from verify.history.packs import TooLargeObject
from verify.history.places import BUNDLE, GIT
from verify.history.readers import MemoryReader
from verify.history.repositories import indexed_packs, is_partial, stock_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.files import Files as AllFiles
    from verify.history.files import Files

_WIDTHS = {40: 20, 64: 32}  # characters and bytes of an object's name


def history_of(walk: AllFiles, root: str) -> History | None:
    """Return the history below a folder of a walk (with its slash), or in its root; None for none.

    A `.git` of its own comes first, then the bundle.

    Raises:
        Unreadable: there is one that cannot be read; why, in one line.
    """

    def bundle(path: str) -> bytes:
        return walk.read(path, MAX_HISTORY)

    if walk.is_file(f"{root}{GIT}/HEAD"):
        return of_files(FolderFiles(walk, f"{root}{GIT}/"))
    history = bundled(bundle, root)
    if history is None:
        _refuse_no_folder(walk, f"{root}{GIT}")
    return history


def _refuse_no_folder(walk: AllFiles, path: str) -> None:
    """Refuse what stands in the place of a `.git`, so that it is not taken for nothing."""
    try:
        walk.names(path, 1)
    except Unreadable as error:
        if error.reason != MISSING:
            raise Unreadable(error.reason, f"{path} {error}") from None
        if walk.is_file(path):
            told = f"{path} is a file that points to another repository, which is not read"
            raise Unreadable(NOT_REGULAR, told) from None


def bundled(
    read: Callable[[str], bytes],
    root: str = "",
    opened: Callable[[bytes], History] | None = None,
) -> History | None:
    """Return the history of the bundle that was handed in, None where none was.

    `read` returns the bytes at a path of the submission, or raises `Unreadable`; `opened` is
    another way to have `of_bundled` done.

    Raises:
        Unreadable: it is no bundle of a whole history, is damaged, or too large.
    """
    try:
        data = read(root + BUNDLE)
    except Unreadable as error:
        if error.reason == MISSING:
            return None
        raise Unreadable(error.reason, f"{BUNDLE} {error}") from None
    return (opened or of_bundled)(data)


def of_bundled(data: bytes) -> History:
    """Return the history of a bundle in memory; raises `Unreadable`."""
    reader = MemoryReader(data)
    try:
        head = read_head(reader)
        objects = Objects([BundlePack(reader, head)])
    except DamagedObject as error:
        raise Unreadable(DENIED, f"{BUNDLE} cannot be read: {error}") from None
    except TooLargeObject:
        told = f"{BUNDLE} holds more than a grader reads through"
        raise Unreadable(TOO_LARGE, told) from None
    seal = sha256(data).hexdigest()
    return History(objects, of_bundle(head.refs), is_cut=False, seal=seal)


def of_files(files: Files) -> History:
    """Return the history of a repository by its files.

    Raises:
        Unreadable: its files are not what git writes, or may not be read.
    """
    try:
        branches = of_repository(files)
        width = _WIDTHS[len(next(iter(branches.refs.values()), 40 * "0"))]
        is_cut, seal = is_partial(files), stock_of(files)
        packs = indexed_packs(
            files, width
        )  # opened last: what fails before leaves none of them open
        return History(Objects(packs, files), branches, is_cut=is_cut, seal=seal)
    except DamagedObject as error:
        raise Unreadable(DENIED, f"{GIT} cannot be read: {error}") from None
    except Unreadable as error:
        raise Unreadable(error.reason, f"{GIT} cannot be read: {error}") from None
