"""Looks into the target project: does a named file exist, how many files hold a symbol."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from pipeline.files import Unreadable, read_file
from pipeline.protocol.patterns import PATH

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_FILES = 5_000  # looked into for one symbol; a bigger project gives an estimate from below
_MAX_BYTES = 512 << 10  # of one file; what is larger is no source that people write
_NOT_SOURCES = frozenset({"node_modules", "vendor", "target", "dist", "build", "__pycache__"})


def exists(root: str, name: str) -> bool:
    """Tell whether a text's word names a file of the project."""
    return re.match(PATH.pattern, name) is not None and os.path.isfile(os.path.join(root, name))


def files_with(root: str, symbol: str) -> list[str]:
    """Return the files, relative to `root` and sorted, in which a symbol stands as a whole word.

    Hidden folders, and those of dependencies and builds, are not looked into; links are not
    followed. What cannot be read counts as not holding it.
    """
    whole = re.compile(rb"(?<![\w$])" + re.escape(symbol.encode()) + rb"(?![\w$])")
    return [name for name in _sources(root) if whole.search(_bytes_of(os.path.join(root, name)))]


def _sources(root: str) -> Iterator[str]:
    seen = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in _NOT_SOURCES and f[0] != ".")
        for name in sorted(files):
            seen += 1
            if seen > _MAX_FILES:
                return
            yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def _bytes_of(path: str) -> bytes:
    if os.path.islink(path):
        return b""
    try:
        return read_file(path, _MAX_BYTES)
    except Unreadable:
        return b""
