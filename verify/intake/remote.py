"""Buckets: a folder or an archive for each learner below an address, read through fsspec."""

from __future__ import annotations

import logging
import os
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from pipeline.files import (
    MAX_BYTES,
    MAX_FOLDER_ENTRIES,
    MISSING,
    NOT_REGULAR,
    Unreadable,
    too_large,
)
from pipeline.terminal.display import visible
from verify.archives import open_nested
from verify.files import FILE, FOLDER, checked_parts
from verify.intake.collection import MAX_METADATA, Entry, UnusableCollection, kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.files import Files
    from verify.intake.collection import Stamp

_HINTS = {
    "s3": "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; "
    "FSSPEC_S3_ANON=true reads a public bucket",
    "gs": "run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS",
    "az": "set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT_NAME and a key or token",
}
_HINTS |= {"gcs": _HINTS["gs"], "abfs": _HINTS["az"], "abfss": _HINTS["az"]}
_REASONS = {  # by words in the names of an exception's classes
    "FileNotFoundError": "does not exist",
    "PermissionError": "may not be read: permission denied; {hint}",
    "Credential": "cannot be read without credentials: {hint}",
    "Authentication": "cannot be read without credentials: {hint}",
    "Timeout": "does not answer in time: try again",
    "Connect": "cannot be reached: check the address and the network",
}
_PATIENCE = {"connect_timeout": 10, "read_timeout": 60, "retries": {"max_attempts": 2}}  # of S3
_NATURES = {"directory": FOLDER, "file": FILE}


class Remote:
    """The entries below an address such as `s3://bucket/folder`, or the files of one `entry`.

    Objects are asked for when they are needed. What cannot be asked is an `OSError`: a fault of
    ours, never a learner's. `container` is the address; it has no secret in it.

    Raises:
        UnusableCollection: the address is not one that is read, or what reads it is missing.
    """

    kind = "remote"
    stamp: Stamp = ()

    def __init__(self, address: str, entry: str = "") -> None:
        self.container = _checked(address)
        self.title = self.container.rpartition("/")[2]
        self.root = entry
        self._system, base = _opened(self.container, os.getpid())
        self._base = f"{base.rstrip('/')}/{entry}".rstrip("/")

    def entries(self) -> Iterator[Entry]:
        """Yield the entries, sorted by name; raises `UnusableCollection`."""
        try:
            yield from (Entry(kept(name), nature) for name, nature in self._listing(""))
        except (Unreadable, OSError) as error:
            raise UnusableCollection(f"{visible(self.container, 300)} {error}") from None

    def metadata(self, name: str) -> bytes:
        """Return an object's bytes; raises `Unreadable`, `UnusableCollection`."""
        try:
            return self.read(name, MAX_METADATA)
        except OSError as error:
            raise UnusableCollection(f"{visible(self.container, 300)} {error}") from None

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return an object's bytes, at most `limit`; raises `Unreadable`."""
        key = self._key(path)
        info = self._asked(self._system.info, key)
        if info["type"] != "file":
            raise Unreadable(NOT_REGULAR, "is a folder, not a regular file")
        if not info["size"]:
            return b""  # of which no range can be asked for
        data: bytes = self._asked(self._system.cat_file, key, start=0, end=limit + 1)
        if len(data) > limit:
            raise too_large(limit)
        return data

    def is_file(self, path: str) -> bool:
        """Return whether there is an object at the path."""
        try:
            return bool(self._asked(self._system.info, self._key(path))["type"] == "file")
        except Unreadable:
            return False

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return the sorted names below a prefix; raises `Unreadable`."""
        return [name for name, _ in self._listing(path)][:most]

    def close(self) -> None:
        """Close nothing: a process uses its connections again."""

    def _listing(self, path: str) -> list[tuple[str, str]]:
        start = f"{self._key(path)}/"
        infos = self._asked(self._system.ls, start[:-1], detail=True)
        named = ((info["name"].rstrip("/").removeprefix(start), info["type"]) for info in infos)
        return sorted((n, _NATURES.get(t, "not a file")) for n, t in named if n and "/" not in n)

    def _key(self, path: str) -> str:
        if path:
            checked_parts(path)
        return f"{self._base}/{path}".rstrip("/")

    def _asked(self, call: Callable[..., Any], key: str, **options: Any) -> Any:
        try:
            return call(key, **options)
        except FileNotFoundError:
            raise Unreadable(MISSING, "does not exist") from None
        except Exception as error:  # noqa: BLE001  # each cloud's library has faults of its own
            raise OSError(_fault(error, self.container)) from None


def open_remote(container: str, name: str) -> Files:
    """Open an entry by its own name; raises `Unresolved`, `OSError` for a fault of ours."""
    files = Remote(container, name)
    return open_nested(name, partial(files.read, ""), name) if files.is_file("") else files


def _checked(address: str) -> str:
    """Return an address without a slash at its end; raises `UnusableCollection`."""
    scheme, _, rest = address.partition("://")
    bucket, hint = rest.partition("/")[0], _HINTS.get(scheme)
    if scheme in ("http", "https"):
        why = "is a web address: download it, and name the file"
    elif hint is None:
        why = "cannot be read (expected s3://, gs:// or az://)"
    elif "@" in bucket and (":" in bucket or hint != _HINTS["az"]):
        why = f"needs no password: remove it from the address; {hint}"
    elif not bucket or "?" in rest or "#" in rest:
        why = "needs a bucket, and nothing behind `?` or `#`"
    else:
        return address.rstrip("/")
    shown = visible(address.partition("?")[0].rpartition("@")[2], 300)
    raise UnusableCollection(f"{shown} {why}")


@lru_cache(maxsize=4)
def _opened(container: str, process: int) -> tuple[Any, str]:  # noqa: ARG001  # in the key: connections do not survive a fork
    """Return the file system of an address, and the path in it; raises `UnusableCollection`."""
    try:
        import fsspec.core

        logging.getLogger("gcsfs").setLevel(logging.CRITICAL)  # it also writes what we report
        options: Any = {"config_kwargs": _PATIENCE} if container.startswith("s3:") else {}
        system, base = fsspec.core.url_to_fs(container, use_listings_cache=False, **options)
    except ImportError:
        step = "needs what the extra `cloud` installs: pip install '.[cloud]'"
        raise UnusableCollection(f"{visible(container, 300)} {step}") from None
    except Exception as error:  # noqa: BLE001  # each cloud's library has faults of its own
        raise UnusableCollection(f"{visible(container, 300)} {_fault(error, container)}") from None
    return system, base


def _fault(error: BaseException, container: str) -> str:
    """Return why an address cannot be read: never in a library's words, which may quote secrets."""
    hint = _HINTS[container.partition(":")[0]]
    names = " ".join(kind.__name__ for kind in type(error).__mro__)
    status = str(getattr(error, "status", None) or getattr(error, "code", None) or "")
    if status in ("401", "403"):
        names += " PermissionError"
    if isinstance(error, ValueError) and hint == _HINTS["az"]:
        names += " Credential"  # adlfs says so that nothing names the account
    found = (reason for word, reason in _REASONS.items() if word in names)
    reason = next(found, f"cannot be read: {type(error).__name__} {status}".rstrip())
    return reason.replace("{hint}", hint)
