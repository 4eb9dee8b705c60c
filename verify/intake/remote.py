"""Buckets: a folder or an archive for each learner below an address, read through fsspec."""

from __future__ import annotations

import logging
import re
from contextlib import suppress
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO

from pipeline.files import FILE, FOLDER, MAX_BYTES, MISSING, NOT_REGULAR, Unreadable, too_large
from pipeline.terminal.display import visible
from verify.intake.collection import MAX_METADATA, Collection, Entry, container_at, safe_name
from verify.intake.table import Unusable
from verify.submissions.archives import open_nested
from verify.submissions.files import HEAD, MAX_FOLDER_ENTRIES, checked_parts
from verify.submissions.members import MAX_NESTED_ARCHIVE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.submissions.files import Files

_ADDRESS = re.compile(r"(?:(?:s3|gs|gcs|az)://[^/?#@:]+|(?:az|abfss?)://[^/?#:]+)(?:/[^?#]*)?")
_EXPECTED = "expected s3://bucket/folder, gs:// or az://, without a password, ? or #"
_HINTS = {
    "s": "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "g": "run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS",
    "a": "set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT_NAME and a key or token",
}
_REASONS = {  # by words in the names of an exception's classes, or by HTTP's status
    "FileNotFoundError": "does not exist",
    "PermissionError|401|403": "cannot be read: permission denied; {hint}",
    "Credential|Authentication": "cannot be read without credentials: {hint}",
    "Timeout": "did not answer in time: try again",
    "Connect": "cannot be reached: check the URL and the network",
    "ImportError": "needs the extra `cloud`: run python3 start.py cloud",
}
_PATIENCE = {"connect_timeout": 10, "read_timeout": 60, "retries": {"max_attempts": 2}}  # of S3


class Remote(Collection):
    """The entries below an address such as `s3://bucket/folder`, or the files of one `entry`.

    Objects are fetched when they are needed. Where that fails an `OSError` is raised: a fault of
    ours, never a learner's.
    """

    kind = "remote"

    def __init__(self, address: str, entry: str = "") -> None:
        self.container = container_at(address)
        self.title = self.container.rpartition("/")[2]
        self.root = entry
        self._system = _opened(self.container, entry)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries; raises `Unusable`."""
        try:
            found = self._listed("")
        except (Unreadable, OSError) as error:
            raise Unusable(f"{visible(self.container, 300)} {error}") from None
        yield from (Entry(safe_name(name), FILE if is_file else FOLDER) for name, is_file in found)

    def metadata(self, name: str) -> bytes:
        """Return an object's bytes; raises `Unreadable`, `OSError`."""
        return self.read(name, MAX_METADATA)

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return an object's bytes, at most `limit`; raises `Unreadable`."""
        info = self._ask("info", path)
        if info["type"] != "file":
            raise Unreadable(NOT_REGULAR, "is a folder, not a regular file")
        if info["size"] > limit:
            raise too_large(limit)
        # a range is bounded, even if the object grows; of an empty one there is none
        return bytes(self._ask("cat_file", path, start=0, end=limit)) if info["size"] else b""

    def head(self, path: str) -> bytes:
        """Return the first bytes of an object; raises `Unreadable`."""
        return bytes(self._ask("cat_file", path, start=0, end=HEAD))

    def stream(self, path: str) -> BinaryIO:
        """Return an archive, read into memory; raises `Unreadable`."""
        return BytesIO(self.read(path, MAX_NESTED_ARCHIVE))

    def is_file(self, path: str) -> bool:
        """Return whether there is an object at the path."""
        with suppress(Unreadable):
            return bool(self._ask("info", path)["type"] == "file")
        return False

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return the sorted names below a prefix; raises `Unreadable`."""
        return [name for name, _ in self._listed(path)][:most]

    def close(self) -> None:
        """Close nothing: a process reuses its connections."""

    def _listed(self, path: str) -> list[tuple[str, bool]]:
        """Return the sorted names below a prefix, and whether each is an object."""
        infos = self._ask("ls", path, detail=True)
        names = ((info["name"].rstrip("/").rpartition("/")[2], info["type"]) for info in infos)
        return sorted((name, nature == "file") for name, nature in names if name)

    def _ask(self, operation: str, path: str, **options: Any) -> Any:
        if path:
            checked_parts(path)
        try:
            return getattr(self._system, operation)(path, **options)
        except FileNotFoundError:
            raise Unreadable(MISSING, "does not exist") from None
        except Exception as error:  # noqa: BLE001  # each cloud's library raises its own exceptions
            raise OSError(_fault(error, self.container)) from None


def open_remote(container: str, name: str) -> Files:
    """Open an entry by its own name; raises `Unresolved`, or `OSError` for our own fault."""
    files = Remote(container, name)
    return open_nested(name, partial(files.stream, ""), name) if files.is_file("") else files


def _opened(container: str, entry: str) -> Any:
    """Return the file system below an address; raises `Unusable`."""
    if not _ADDRESS.fullmatch(container):
        shown = visible(container.partition("?")[0].rpartition("@")[2], 300)
        raise Unusable(f"{shown} is not a supported URL: {_EXPECTED}")
    try:
        import fsspec.core
        from fsspec.implementations.dirfs import DirFileSystem

        logging.getLogger("gcsfs").setLevel(logging.CRITICAL)  # it also logs what we report
        options: Any = {"config_kwargs": _PATIENCE} if container.startswith("s3:") else {}
        system, base = fsspec.core.url_to_fs(container, use_listings_cache=False, **options)
    except Exception as error:  # noqa: BLE001  # each cloud's library raises its own exceptions
        raise Unusable(f"{visible(container, 300)} {_fault(error, container)}") from None
    return DirFileSystem(f"{base.rstrip('/')}/{entry}".rstrip("/"), system)


def _fault(error: BaseException, container: str) -> str:
    """Return why an address cannot be read: never in a library's words: they may have secrets."""
    status = getattr(error, "status", None) or getattr(error, "code", None) or ""
    names = f"{status} {' '.join(kind.__name__ for kind in type(error).__mro__)}"
    if isinstance(error, ValueError) and container.startswith("a"):
        names += " Credential"  # adlfs raises it if the account is not named
    reason = f"cannot be read: {type(error).__name__} {status}".rstrip()
    found = (reason for words, reason in _REASONS.items() if re.search(words, names))
    return next(found, reason).replace("{hint}", _HINTS[container[0]])
