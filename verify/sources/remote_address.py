"""Addresses of buckets: what is kept of them, how they are opened, why they fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from pipeline.display import visible
from verify.sources.base import UnusableSource

if TYPE_CHECKING:
    from collections.abc import Callable

AT_ONCE = 64  # requests on their way
CONNECT_SECONDS, READ_SECONDS = 10, 60
_AZURE = ("az", "abfs", "abfss")
_PROTOCOLS = ("s3", "gs", "gcs", *_AZURE)
_CREDENTIALS = {
    "s3": "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; "
    "FSSPEC_S3_ANON=true reads a public bucket",
    "gs": "run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS",
    "az": "set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT_NAME and a key or token",
}


class Address(NamedTuple):
    """An address without secrets."""

    protocol: str
    plain: str


def parsed(text: str) -> Address:
    """Return an address in its parts.

    Raises:
        UnusableSource: a protocol that is not read, a password, no place, or what makes no sense.
    """
    shown = visible(text.partition("?")[0].rpartition("@")[2], 300)
    try:
        parts = urlsplit(text)
    except ValueError:
        raise UnusableSource(f"{shown} is no address") from None
    if parts.scheme not in _PROTOCOLS:
        told = f"{visible(parts.scheme, 30)}:// is no kind of address that is read"
        raise UnusableSource(f"{told}: expected s3://, gs:// or az://")
    if parts.password is not None or ("@" in parts.netloc and parts.scheme not in _AZURE):
        step = hint(parts.scheme)
        raise UnusableSource(f"{shown}: an address must not have a password in it: {step}")
    if not parts.netloc:
        raise UnusableSource(f"{shown} names no bucket")
    if parts.fragment or parts.query:
        raise UnusableSource(f"{shown}: an address ends before `?` and `#`")
    path = parts.path.rstrip("/")
    return Address(parts.scheme, urlunsplit((parts.scheme, parts.netloc, path, "", "")))


def hint(protocol: str) -> str:
    """Return how credentials are given."""
    family = "gs" if protocol == "gcs" else "az" if protocol in _AZURE else protocol
    return _CREDENTIALS[family]


def opened(address: Address) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it.

    One process has one file system of a kind: its connections are used again.

    Raises:
        UnusableSource: what reads it is not installed.
    """
    try:
        import fsspec.core

        options = _options(address)
        system, path = fsspec.core.url_to_fs(address.plain, use_listings_cache=False, **options)
    except ImportError:
        told = f"{address.protocol}:// addresses need what the extra `cloud` installs"
        raise UnusableSource(f"{told}: pip install '.[cloud]'") from None
    except Exception as error:  # noqa: BLE001  # each cloud's library has faults of its own
        raise UnusableSource(f"{visible(address.plain, 300)} {reason(error, address)}") from None
    return system, path


def _options(address: Address) -> dict[str, Any]:
    if address.protocol == "s3":
        return {
            "config_kwargs": {
                "max_pool_connections": AT_ONCE,
                "connect_timeout": CONNECT_SECONDS,
                "read_timeout": READ_SECONDS,
                "retries": {"max_attempts": 2},
            }
        }
    import logging

    logging.getLogger("gcsfs").setLevel(logging.CRITICAL)  # it tells faults that we tell too
    return {}


def reason(error: BaseException, address: Address) -> str:
    """Say why an address cannot be read: never in a library's words, which may quote secrets."""
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    names = " ".join(kind.__name__ for kind in type(error).__mro__)
    status = getattr(error, "status", None) or getattr(error, "code", None)
    if isinstance(error, PermissionError) or status in (401, 403, "401", "403"):
        return f"may not be read: permission denied; {hint(address.protocol)}"
    # adlfs says by a ValueError that nothing names the account
    nameless = isinstance(error, ValueError) and address.protocol in _AZURE
    if nameless or "Credential" in names or "Authentication" in names:
        return f"cannot be read without credentials: {hint(address.protocol)}"
    if "Timeout" in names:
        return "does not answer in time: try again"
    if "Connect" in names or "Endpoint" in names:
        return "cannot be reached: look at the address and the network"
    return f"cannot be read: {type(error).__name__}{f' {status}' if status else ''}"


def guarded(what: str, address: Address, call: Callable[[], Any]) -> Any:
    """Return what a call returns; whatever it raises is told as one line without secrets.

    Raises:
        OSError: there is nothing, or it cannot be read.
    """
    try:
        return call()
    except Exception as error:  # noqa: BLE001  # each cloud's library has faults of its own
        raise OSError(f"{visible(what, 300)} {reason(error, address)}") from None
