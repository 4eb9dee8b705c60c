"""Bounds what a process may take of the machine, by the system's own limits where it has them."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if sys.platform != "win32":  # which has none of these limits
    import resource

if TYPE_CHECKING:
    from collections.abc import Iterator

_MEGABYTE = 1 << 20
_FILES = 512  # that a worker may hold open: it reads one submission at a time


def confine(megabytes: int) -> None:
    """Bound this process for good: so much memory more than it has, and no file may grow.

    Linux keeps the bound of memory. Elsewhere `grown` tells afterwards.
    """
    if sys.platform == "win32":
        return
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, 0)  # a worker writes no file
    _lower(resource.RLIMIT_NOFILE, _FILES)
    if sys.platform == "linux":
        _lower(resource.RLIMIT_DATA, _held() + megabytes * _MEGABYTE)


@contextmanager
def ceiling(megabytes: int) -> Iterator[None]:
    """Bound the memory of this process for a while: so much more than it has now."""
    if sys.platform != "linux":
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    _soften(_least(_held() + megabytes * _MEGABYTE, soft), hard)
    try:
        yield
    finally:
        _soften(soft, hard)


def peak() -> int:
    """Return the most memory that this process ever had, in bytes; 0 where nobody knows."""
    if sys.platform == "win32":
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _held() -> int:
    """Return the private, writable memory of this process in bytes, as RLIMIT_DATA counts it."""
    with open("/proc/self/statm", "rb") as told:
        return int(told.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")


def _lower(limit: int, most: int) -> None:
    """Lower a limit, never to be raised again."""
    _, hard = resource.getrlimit(limit)
    value = _least(most, hard)
    resource.setrlimit(limit, (value, value))


def _soften(soft: int, hard: int) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _least(one: int, limit: int) -> int:
    return one if limit == resource.RLIM_INFINITY else min(one, limit)
