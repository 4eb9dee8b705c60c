"""Opens the history that came with a submission: its `.git` folder, or a git bundle."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING

from dulwich.bundle import read_bundle
from dulwich.object_format import SHA1
from dulwich.pack import MemoryPackIndex, Pack, load_pack_index_file

from pipeline.limits import MAX_HISTORY
from pipeline.reading import DENIED, MISSING, NOT_REGULAR, Unreadable
from verify.history import BUNDLE, GIT, objects
from verify.history.branches import of_refs, of_repository
from verify.history.history import History

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verify.files import Files

MAX_PACKS = 64  # git itself joins them once they are more than 50
MAX_PACKED = 30_000  # objects of a bundle: each is unpacked to learn its id
_MAX_HEAD = 1 << 20  # bytes of a bundle's head: its refs


def history_of(files: Files, root: str = "") -> History | None:
    """Return the history in a folder of `files`, None for none; raises `Unreadable`."""
    base = f"{root.rstrip('/')}/" if root else ""
    if files.is_file(f"{base}{GIT}/HEAD"):
        with _reading(GIT, "a pack or its index is damaged"):
            return _of_repository(objects.Repository(files, f"{base}{GIT}/"))
    try:
        data = files.read(base + BUNDLE, MAX_HISTORY)
    except Unreadable as error:
        if error.reason != MISSING:
            raise Unreadable(error.reason, f"{BUNDLE} {error}") from None
        _refuse_no_folder(files, f"{base}{GIT}")
        return None
    return of_bundle(data)


def of_bundle(data: bytes) -> History:
    """Return the history of a git bundle; raises `Unreadable`."""
    with _reading(BUNDLE, "it is damaged, or not a git bundle"):
        end = data.index(b"\n\n", 0, _MAX_HEAD)
        with read_bundle(BytesIO(data)) as head:
            if head.prerequisites:
                raise Unreadable(DENIED, "it holds only a part of the history: make it with --all")
            if head.capabilities not in ({}, {"object-format": "sha1"}):
                raise Unreadable(DENIED, "it lacks objects, or its ids are not SHA-1")
            names = head.references.items()
            refs = {ref.decode("utf-8", "replace"): name.decode() for ref, name in names}
        entries = objects.Entries(data[end + 2 :])
        if len(entries) > MAX_PACKED:
            raise objects.Beyond(f"it has more than {MAX_PACKED:,} objects")
        pack = objects.MemoryPack.from_objects(entries, MemoryPackIndex.for_pack(entries))
        entries.left = objects.MAX_READ  # to learn the ids does not count
        seal = sha256(data).hexdigest
        return History(objects.Objects([pack]), of_refs(refs), is_cut=False, seal=seal)


@contextmanager
def _reading(name: str, damage: str) -> Iterator[None]:
    try:
        with objects.refusing(damage):
            yield
    except Unreadable as error:
        raise Unreadable(error.reason, f"{name} cannot be read: {error}") from None


def _of_repository(repository: objects.Repository) -> History:
    branches = of_repository(repository)
    names = repository.names(objects.PACKS)
    stems = [name[:-4] for name in names if name.endswith(".idx") and f"{name[:-4]}.pack" in names]
    if len(stems) > MAX_PACKS:
        raise Unreadable(DENIED, f"it has more than {MAX_PACKS} packs: `git gc` joins them")
    packs: list[Pack] = []
    stored: list[bytes] = []
    for path in (f"{objects.PACKS}/{stem}" for stem in stems):
        data, index = (repository.read(path + end, MAX_HISTORY) or b"" for end in (".pack", ".idx"))
        entries, file = objects.Entries(data), BytesIO(index)
        packs.append(objects.MemoryPack.from_objects(entries, load_pack_index_file("", file, SHA1)))
        file.close()  # its bytes are taken
        stored += [data, index]
    seal = partial(_seal, repository, stored)
    return History(
        objects.Objects(packs, repository), branches, is_cut=bool(repository.cut()), seal=seal
    )


def _seal(repository: objects.Repository, stored: Iterable[bytes]) -> str:
    """Return the digests of packs, and the names of the objects in files of their own."""
    lines = [sha256(data).hexdigest() for data in stored]
    try:
        folders = [each for each in repository.names("objects") if len(each) == 2]  # noqa: PLR2004  # digits
        return str([*lines, *((each, repository.names(f"objects/{each}")) for each in folders)])
    except Unreadable as error:
        return str([*lines, error])


def _refuse_no_folder(files: Files, path: str) -> None:
    """Refuse a `.git` or a HEAD of another kind, so that it is not taken for no history."""
    if files.is_file(path):
        message = f"{path} is a file that points to another repository, which is not read"
        raise Unreadable(NOT_REGULAR, message)
    place = path
    try:
        files.names(place, 1)
        place = f"{path}/HEAD"
        files.read(place, 1)
    except Unreadable as error:
        if error.reason != MISSING:
            raise Unreadable(error.reason, f"{place} {error}") from None
