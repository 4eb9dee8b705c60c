"""What a repository has in store: its packs, opened, and the names of everything in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.limits import MAX_HISTORY, size_of
from pipeline.reading import TOO_LARGE, Unreadable
from verify.history.deltas import DamagedObject
from verify.history.indexed import IndexedPack
from verify.history.packs import Recent

if TYPE_CHECKING:
    from verify.history.files import Files
    from verify.history.packs import Packed
    from verify.history.readers import Reader

MAX_PACKS = 64  # git itself joins them once they are more than 50
MAX_OPEN = 64  # files of packs that are too large to be held in memory
ALTERNATES = "objects/info/alternates"  # other repositories, none of which is read
_INSTEAD = "hand in a bundle, or `git gc` makes one of them"
_OBJECTS, _PACKS = "objects", "objects/pack"
_MOST_NAMES = 8 * MAX_PACKS  # in the folder of packs: each has some files beside it
_MOST_FOLDERS = 1_000
_MOST_LOOSE = 100_000  # objects in files of their own, in all folders


def indexed_packs(files: Files, width: int) -> list[Packed]:
    """Return the packs of a repository, opened; `width` is the bytes of an object's name.

    Raises:
        DamagedObject: there are too many, or one is not what git writes.
        Unreadable: one may not be read, or those in memory are larger than `history_bytes`.
    """
    readers: list[Reader] = []
    packs: list[Packed] = []
    recent = Recent()
    try:
        for stem in _stems(files):
            for end in (".pack", ".idx"):
                readers.append(files.reader(f"{_PACKS}/{stem}{end}"))  # noqa: PERF401  # those that are open are closed on a fault
            _refuse_beyond(readers)
            packs.append(IndexedPack(readers[-2], readers[-1], width, recent))
    except BaseException:
        for reader in readers:
            reader.close()
        raise
    return packs


def _stems(files: Files) -> list[str]:
    """Return the names of the packs that have an index, without their ends."""
    found = files.names(_PACKS, _MOST_NAMES + 1)
    names = set(found)
    stems = [name[:-4] for name in found if name.endswith(".idx") and f"{name[:-4]}.pack" in names]
    if len(found) > _MOST_NAMES or len(stems) > MAX_PACKS:
        raise DamagedObject(f"it has more than {MAX_PACKS} packs: {_INSTEAD}")
    return stems


def _refuse_beyond(readers: list[Reader]) -> None:
    """Refuse more than a process should hold open, or in memory."""
    if sum(not reader.held for reader in readers) > MAX_OPEN:
        raise DamagedObject(f"it has more than {MAX_OPEN} large files of packs: {_INSTEAD}")
    if sum(reader.held for reader in readers) > MAX_HISTORY:
        most = size_of(MAX_HISTORY)
        told = f"its packs are larger than {most} together, the most that is read"
        raise Unreadable(TOO_LARGE, told)


def is_partial(files: Files) -> bool:
    """Tell whether a repository says that it lacks a part: it is shallow, or borrows objects."""
    return files.has("shallow") or files.has(ALTERNATES)


def stock_of(files: Files) -> str:
    """Return a text that names everything that a repository has in store.

    Raises:
        DamagedObject: it has more objects in files of their own than are read.
        Unreadable: a folder is a link.
    """
    told, left = [" ".join(files.names(_PACKS, _MOST_NAMES))], _MOST_LOOSE
    for folder in files.names(_OBJECTS, _MOST_FOLDERS):
        if len(folder) == 2:  # noqa: PLR2004  # digits that name a folder of objects
            names = files.names(f"{_OBJECTS}/{folder}", left + 1)
            left -= len(names)
            told.append(f"{folder} {' '.join(names)}")
        if left < 0:
            raise DamagedObject("it has too many loose objects: `git gc` packs them")
    return "\n".join(told)
