"""Buckets: a folder or an archive for each learner below an address, read through fsspec."""

from __future__ import annotations

import logging
import os
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from pipeline.display import visible
from pipeline.limits import MAX_BYTES, MAX_FOLDER_ENTRIES
from pipeline.reading import MISSING, Unreadable, too_large
from verify.archives import open_nested
from verify.files import checked_parts
from verify.intake.collection import MAX_METADATA, Entry, UnusableCollection, kept
from verify.members import FILE, FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.files import Files
    from verify.intake.collection import Stamp

_S3 = (
    "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; "
    "FSSPEC_S3_ANON=true reads a public bucket"
)
_GS = "run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS"
_AZ = "set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT_NAME and a key or token"
_HINTS = {"s3": _S3, "gs": _GS, "gcs": _GS, "az": _AZ, "abfs": _AZ, "abfss": _AZ}
_PATIENCE = {"connect_timeout": 10, "read_timeout": 60, "retries": {"max_attempts": 2}}
_S3_OPTIONS = {"config_kwargs": _PATIENCE}


class _Objects:
    """The objects below an entry, each asked for when it is needed; `container` is the address.

    What cannot be asked is an `OSError`: a fault of ours, never a learner's.
    """

    def __init__(self, container: str, entry: str = "") -> None:
        self.root = entry
        self.container = container
        self._system, base = _opened(container, os.getpid())
        self._base = f"{base.rstrip('/')}/{entry}".rstrip("/")

    def read(self, path: str, limit: int = MAX_BYTES) -> bytes:
        """Return an object's bytes, at most `limit`; raises `Unreadable`."""
        key = self._key(path)
        size = self._asked(lambda: self._system.info(key)["size"])
        if not size:
            return b""  # of which no range can be asked for
        data: bytes = self._asked(lambda: self._system.cat_file(key, start=0, end=limit + 1))
        if len(data) > limit:
            raise too_large(limit)
        return data

    def is_file(self, path: str) -> bool:
        """Return whether there is an object at the path."""
        try:
            return bool(self._asked(lambda: self._system.info(self._key(path))["type"] == "file"))
        except Unreadable:
            return False

    def names(self, path: str, most: int = MAX_FOLDER_ENTRIES) -> list[str]:
        """Return the sorted names below a prefix; raises `Unreadable`."""
        return [name for name, _ in self.listing(path)][:most]

    def listing(self, path: str) -> list[tuple[str, str]]:
        """Return the sorted names below a prefix, each with its nature; raises `Unreadable`."""
        start = f"{self._key(path)}/"
        infos = self._asked(lambda: self._system.ls(start[:-1], detail=True))
        named = ((info["name"].rstrip("/").removeprefix(start), info["type"]) for info in infos)
        kinds = {"directory": FOLDER, "file": FILE}
        return sorted((n, kinds.get(t, "not a file")) for n, t in named if n and "/" not in n)

    def close(self) -> None:
        """Hold nothing open: a process uses its connections again."""

    def _key(self, path: str) -> str:
        if path:
            checked_parts(path)
        return f"{self._base}/{path}".rstrip("/")

    def _asked(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except FileNotFoundError:
            raise Unreadable(MISSING, "does not exist") from None
        except Exception as error:  # noqa: BLE001  # each cloud's library has faults of its own
            raise OSError(_fault(error, self.container)) from None


class Remote(_Objects):
    """The entries below an address such as `s3://bucket/folder`; it has no secret in it.

    Raises:
        UnusableCollection: the address is not one that is read, or what reads it is missing.
    """

    kind = "remote"
    stamp: Stamp = ()

    def __init__(self, address: str) -> None:
        super().__init__(_plain(address))
        self.title = self.container.rpartition("/")[2]

    def entries(self) -> Iterator[Entry]:
        """Yield the entries, sorted by name; raises `UnusableCollection`."""
        try:
            for name, nature in self.listing(""):
                yield Entry(kept(name), nature)
        except Unreadable as error:
            raise UnusableCollection(f"{visible(self.container, 300)} {error}") from None
        except OSError as error:  # it names the collection
            raise UnusableCollection(str(error)) from None

    def metadata(self, name: str) -> bytes | None:
        """Return an object's bytes, None for none; raises `Unreadable`, `UnusableCollection`."""
        try:
            return self.read(name, MAX_METADATA) if self.is_file(name) else None
        except OSError as error:
            raise UnusableCollection(str(error)) from None


def open_remote(container: str, name: str) -> Files:
    """Open an entry by its own name; raises `Unresolved`, `OSError` for a fault of ours."""
    files = _Objects(container, name)
    if not files.is_file(""):
        return files
    return open_nested(name, partial(files.read, ""), name)


def _plain(text: str) -> str:
    """Return an address as it is kept; raises `UnusableCollection`."""
    shown = visible(text.partition("?")[0].rpartition("@")[2], 300)
    try:
        parts = urlsplit(text)
    except ValueError:
        raise UnusableCollection(f"{shown} is not an address") from None
    if parts.scheme in ("http", "https"):
        raise UnusableCollection(f"{shown} is a web address: download it, and name the file")
    hint = _HINTS.get(parts.scheme)
    if hint is None:
        raise UnusableCollection(f"{shown} cannot be read (expected s3://, gs:// or az://)")
    if parts.password is not None or ("@" in parts.netloc and hint != _AZ):
        raise UnusableCollection(f"{shown}: remove the password from the address; {hint}")
    if not parts.netloc or parts.fragment or parts.query:
        raise UnusableCollection(f"{shown} needs a bucket, and nothing behind `?` or `#`")
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))


@lru_cache(maxsize=4)
def _opened(container: str, process: int) -> tuple[Any, str]:  # noqa: ARG001  # in the key: connections do not survive a fork
    """Return the file system of an address, and the path in it; raises `UnusableCollection`."""
    try:
        import fsspec.core

        logging.getLogger("gcsfs").setLevel(logging.CRITICAL)  # it also writes what we report
        options: dict[str, Any] = _S3_OPTIONS if container.startswith("s3:") else {}
        system, base = fsspec.core.url_to_fs(container, use_listings_cache=False, **options)
    except ImportError:
        step = "needs what the extra `cloud` installs: pip install '.[cloud]'"
        raise UnusableCollection(f"{visible(container, 300)} {step}") from None
    except Exception as error:  # noqa: BLE001  # each cloud's library has faults of its own
        raise UnusableCollection(_fault(error, container)) from None
    return system, base


def _fault(error: BaseException, container: str) -> str:
    """Return why an address cannot be read: never in a library's words, which may quote secrets."""
    hint = _HINTS[container.partition(":")[0]]
    names = " ".join(kind.__name__ for kind in type(error).__mro__)
    status = str(getattr(error, "status", None) or getattr(error, "code", None) or "")
    # adlfs says by a ValueError that nothing names the account
    nameless = isinstance(error, ValueError) and hint == _AZ
    if isinstance(error, FileNotFoundError):
        reason = "does not exist"
    elif isinstance(error, PermissionError) or status in ("401", "403"):
        reason = f"may not be read: permission denied; {hint}"
    elif nameless or "Credential" in names or "Authentication" in names:
        reason = f"cannot be read without credentials: {hint}"
    elif "Timeout" in names:
        reason = "does not answer in time: try again"
    elif "Connect" in names or "Endpoint" in names:
        reason = "cannot be reached: check the address and the network"
    else:
        reason = f"cannot be read: {type(error).__name__} {status}".rstrip()
    return f"{visible(container, 300)} {reason}"
