"""What a repository has in store: its packs, opened, and the names of everything in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.history.deltas import DamagedObject
from verify.history.indexed import IndexedPack

if TYPE_CHECKING:
    from verify.history.files import Files
    from verify.history.packs import Packed

MAX_PACKS = 1_000
ALTERNATES = "objects/info/alternates"  # other repositories, none of which is read
_OBJECTS, _PACKS = "objects", "objects/pack"
_MOST_LOOSE = 100_000  # objects in files of their own, in all folders


def indexed_packs(files: Files, width: int) -> list[Packed]:
    """Return the packs of a repository, opened; `width` is the bytes of an object's name.

    Raises:
        DamagedObject: there are too many, or one is not what git writes.
        Unreadable: one may not be read.
    """
    names = files.names(_PACKS, MAX_PACKS + 1)
    if len(names) > MAX_PACKS:
        raise DamagedObject("it has too many packs: `git gc` makes one of them")
    stems = [name[:-4] for name in names if name.endswith(".idx") and f"{name[:-4]}.pack" in names]
    packs: list[Packed] = []
    try:
        for stem in stems:
            packs.append(_indexed_pack(files, f"{_PACKS}/{stem}", width))  # noqa: PERF401  # those that are open are closed on a fault
    except BaseException:
        for pack in packs:
            pack.close()
        raise
    return packs


def _indexed_pack(files: Files, stem: str, width: int) -> Packed:
    pack = files.reader(f"{stem}.pack")
    try:
        index = files.reader(f"{stem}.idx")
        try:
            return IndexedPack(pack, index, width)
        except BaseException:
            index.close()
            raise
    except BaseException:
        pack.close()
        raise


def is_partial(files: Files) -> bool:
    """Tell whether a repository says that it lacks a part: it is shallow, or borrows objects."""
    return files.has("shallow") or files.has(ALTERNATES)


def stock_of(files: Files) -> str:
    """Return a text that names everything that a repository has in store.

    Raises:
        DamagedObject: it has more objects in files of their own than are read.
        Unreadable: a folder is a link.
    """
    told, left = [" ".join(files.names(_PACKS, MAX_PACKS))], _MOST_LOOSE
    for folder in files.names(_OBJECTS, MAX_PACKS):
        if len(folder) == 2:  # noqa: PLR2004  # digits that name a folder of objects
            names = files.names(f"{_OBJECTS}/{folder}", left + 1)
            left -= len(names)
            told.append(f"{folder} {' '.join(names)}")
        if left < 0:
            raise DamagedObject("it has too many loose objects: `git gc` packs them")
    return "\n".join(told)
