"""Finds the collection at a path or an address, and opens its entries, also in another process."""

from __future__ import annotations

import os
from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING

from pipeline.files import MAX_BYTES, MAX_HISTORY, Unreadable
from pipeline.terminal.display import visible
from verify.intake.collection import FolderCollection, raw_name
from verify.intake.manifest import Manifest, located, open_in_manifest
from verify.intake.table import Unusable
from verify.intake.zip_collection import ZipCollection, open_in_zip, stamp_of
from verify.submissions.files import (
    MAX_FOLDER_ENTRIES,
    NoSubmission,
    Unresolved,
    archive_suffix,
    folder_at,
)
from verify.submissions.history.faults import BUNDLE
from verify.submissions.submission import open_content

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.intake.collection import Collection, Stamp
    from verify.submissions.files import Files

_EXPECTED = "expected a folder or .zip of submissions, a manifest .csv, or an s3://… URL"
_MOST_FILES = 2_000  # and folders, that are compared to see if two submissions are the same


def collection_of(text: str) -> Collection:
    """Return the collection at a path, or at an address with `://`; raises `Unusable`."""
    if "://" in text:
        from verify.intake.remote import Remote  # fsspec is imported for buckets only

        return Remote(text)
    if os.path.isdir(text):
        return FolderCollection(text)
    if not os.path.isfile(text):
        what = "is not a file or a folder" if os.path.lexists(text) else "does not exist"
        raise Unusable(f"{visible(text, 300)} {what} ({_EXPECTED})")
    suffix = os.path.splitext(text)[1].lower()
    if suffix == ".csv":
        return Manifest(text)
    if suffix == ".bundle" or (suffix != ".zip" and archive_suffix(text)):
        what = f"is a {archive_suffix(text) or suffix} file: give a folder or .zip of submissions"
        raise Unusable(f"{visible(text, 300)} {what}")
    return ZipCollection(text)


def open_entry(kind: str, container: str, inner: str, stamp: Stamp = ()) -> Files:
    """Open a submission: `inner` has the places of its entries, one a line.

    `container` is the collection's path or address, as text (see `safe_name`); `stamp` is that
    of a zip when its entries were listed. Raises `NoSubmission` if it no longer exists,
    `Unresolved`, `CollectionChanged`, or `OSError` for a fault of the machine or the network.
    """
    places = inner.split("\n")
    if kind == "manifest":
        return open_in_manifest(raw_name(container), places)
    if kind == "zip":
        return open_in_zip(raw_name(container), places, stamp)
    names = [raw_name(place) for place in places]
    if kind == "remote":
        from verify.intake.remote import Remote, open_remote

        if len(names) == 1:
            return open_remote(container, names[0])
        return _Parts(Remote(container), names)
    if len(names) > 1:
        return _Parts(folder_at(raw_name(container)), names)
    return open_content(os.path.join(raw_name(container), names[0]))


def path_of(kind: str, container: str, inner: str) -> str:
    """Return the path of a submission that is a folder or file of its own, empty for any other."""
    if kind not in ("folder", "manifest") or "\n" in inner:
        return ""
    if kind == "manifest":
        return located(raw_name(container), raw_name(inner))
    return os.path.normpath(os.path.join(raw_name(container), raw_name(inner)))


class _Parts:
    """The entries of one learner in a collection, as if they were in a folder of their own."""

    def __init__(self, files: Files, names: Sequence[str]) -> None:
        self.root, self.close = files.root, files.close
        self.read, self.head, self.stream = files.read, files.head, files.stream
        self.is_file = files.is_file
        self._files, self._names = files, sorted(names)

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return the names of the entries, or of what is in one of them; raises `Unreadable`."""
        return self._files.names(path, most) if path else self._names[:most]


def is_gone(kind: str, container: str) -> bool:
    """Return whether a collection is no longer where it was."""
    return kind != "remote" and not os.path.exists(raw_name(container))


def stamp_for(kind: str, container: str) -> Stamp:
    """Return the stamp of a zip, empty for any other collection and for one that is gone."""
    try:
        return stamp_of(raw_name(container)) if kind == "zip" else ()
    except OSError:  # opening it says so
        return ()


def digest_of(kind: str, container: str, inner: str) -> str:
    """Return a digest of a submission's files, empty where it cannot be opened or has too many."""
    digest = sha256()
    try:
        with closing(open_entry(kind, container, inner, stamp_for(kind, container))) as files:
            for number, path in enumerate(_walk(files)):
                if number > _MOST_FILES:
                    return ""
                if files.is_file(path):
                    data = files.read(path, MAX_HISTORY if path.endswith(BUNDLE) else MAX_BYTES)
                    head = f"{path}\0{len(data)}\0"
                    digest.update(head.encode("utf-8", "surrogateescape") + data)
    except (Unreadable, Unresolved, NoSubmission):
        return ""
    return digest.hexdigest()


def _walk(files: Files, folder: str = "") -> Iterator[str]:
    """Yield the paths of all files and folders, sorted in each folder; raises `Unreadable`."""
    for name in files.names(folder, _MOST_FILES):
        path = f"{folder}/{name}" if folder else name
        yield path
        if not files.is_file(path):
            yield from _walk(files, path)
