"""Opens a repository or a bundle for reading: its objects, and the object that a ref names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.reading import NO_FOLLOW_FLAGS, unreadable
from verify.sources.git_bundles import BundlePack, read_head
from verify.sources.git_deltas import DamagedObject
from verify.sources.git_files import RepositoryFiles, regular
from verify.sources.git_indexed import IndexedPack
from verify.sources.git_objects import Objects
from verify.sources.git_refs import in_bundle, in_repository
from verify.submission import MAX_NAMES, NoSubmission

if TYPE_CHECKING:
    from verify.sources.git_packs import Packed

_PACKS = "objects/pack"


def opened(path: str, ref: str | None) -> tuple[Objects, str]:
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


def _repository(path: str, ref: str | None) -> tuple[Objects, str]:
    files = RepositoryFiles(path)
    try:
        name = in_repository(files.read, ref)
        return Objects(_indexed_packs(files, len(name) // 2), files), name
    except BaseException:
        files.close()
        raise


def _bundle(path: str, ref: str | None) -> tuple[Objects, str]:
    try:
        descriptor = os.open(path, NO_FOLLOW_FLAGS)
    except (OSError, ValueError) as error:
        raise unreadable(error) from None
    regular(descriptor)
    try:
        head = read_head(descriptor)
        name = in_bundle(head.refs, ref)
        if len(name) != 2 * head.width:
            _disagreeing()
        return Objects([BundlePack(descriptor, head.width, head.start)]), name
    except BaseException:
        os.close(descriptor)
        raise


def _disagreeing() -> None:
    raise DamagedObject("its objects have names of another kind than its refs")


def _indexed_packs(files: RepositoryFiles, width: int) -> list[Packed]:
    """Return the packs of a repository, opened."""
    names = files.names(_PACKS)
    if len(names) >= MAX_NAMES:
        raise DamagedObject("it has too many packs: `git gc` makes one of them")
    stems = [name[:-4] for name in names if name.endswith(".idx") and f"{name[:-4]}.pack" in names]
    packs: list[Packed] = []
    try:
        for stem in stems:
            packs += (_indexed_pack(files, f"{_PACKS}/{stem}", width),)
    except BaseException:
        for pack in packs:
            pack.close()
        raise
    return packs


def _indexed_pack(files: RepositoryFiles, stem: str, width: int) -> Packed:
    pack = files.opened(f"{stem}.pack")
    try:
        index = files.opened(f"{stem}.idx")
        try:
            return IndexedPack(pack, index, width)
        except BaseException:
            os.close(index)
            raise
    except BaseException:
        os.close(pack)
        raise
