"""Lists a prefix page by page: memory does not grow with the number of learners on S3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAGE = 1_000  # keys: the most that S3 tells at once


def children(system: Any, path: str) -> Iterator[tuple[str, bool]]:
    """Yield the names directly below a prefix, with which are folders; sorted on every page.

    Raises:
        Exception: what the file system raises: FileNotFoundError where there is no bucket.
    """
    if hasattr(system, "call_s3"):
        yield from _of_s3(system, path)
        return
    yield from names_of(system.ls(path, detail=True), path)


def names_of(infos: list[dict[str, Any]], path: str) -> list[tuple[str, bool]]:
    """Return the names directly below a folder, sorted, with which are folders.

    A file has no names below it.
    """
    start = path.rstrip("/") + "/"
    found = []
    for info in infos:
        name = info["name"].rstrip("/").removeprefix(start)
        if info["name"].startswith(start) and name and "/" not in name:
            found.append((name, info["type"] == "directory"))
    return sorted(found)


def _of_s3(system: Any, path: str) -> Iterator[tuple[str, bool]]:
    bucket, _, prefix = path.partition("/")
    request = s3_request(bucket, prefix)
    while True:
        page = system.call_s3("list_objects_v2", **request)
        yield from s3_names(page, prefix)
        if not page.get("IsTruncated"):
            return
        request["ContinuationToken"] = page["NextContinuationToken"]


def s3_request(bucket: str, prefix: str) -> dict[str, Any]:
    """Return what asks for a page of the names directly below a prefix."""
    below = f"{prefix}/" if prefix else ""
    return {"Bucket": bucket, "Prefix": below, "Delimiter": "/", "MaxKeys": _PAGE}


def s3_names(page: dict[str, Any], prefix: str) -> list[tuple[str, bool]]:
    """Return the names on a page, sorted, with which are folders."""
    start = len(prefix) + 1 if prefix else 0
    folders = [(each["Prefix"][start:-1], True) for each in page.get("CommonPrefixes", ())]
    files = [(each["Key"][start:], False) for each in page.get("Contents", ())]
    return sorted(pair for pair in folders + files if pair[0])
