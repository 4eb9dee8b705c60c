"""Archives as platforms, learners and attackers make them, written by the standard library."""

from __future__ import annotations

import io
import stat
import tarfile
import warnings
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike


LINK, PIPE, DEVICE = stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR
_TYPES = {LINK: tarfile.SYMTYPE, PIPE: tarfile.FIFOTYPE, DEVICE: tarfile.CHRTYPE}


def zip_bytes(*members: tuple[str, bytes | int], stored: bool = False) -> bytes:
    """Return a zip of files, and of links, pipes or devices where an entry has a kind instead."""
    out = io.BytesIO()
    method = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", method) as archive:
        warnings.simplefilter("ignore")  # of a name that is there twice
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            info.create_system = 3
            mode, data = (
                (content, b"/etc/passwd") if isinstance(content, int) else (stat.S_IFREG, content)
            )
            info.external_attr = (mode | 0o644) << 16
            archive.writestr(info, data)
    return out.getvalue()


def tar_bytes(*members: tuple[str, bytes | int], packed: str = "") -> bytes:
    """Return a tar as `zip_bytes`, packed as `gz`, `xz` or not at all."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{packed}") as archive:  # type: ignore[call-overload]
        for name, content in members:
            info = tarfile.TarInfo(name.removesuffix("/"))
            if isinstance(content, int):
                info.type, info.linkname = _TYPES[content], "/etc/passwd"
                archive.addfile(info)
            elif name.endswith("/"):
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def written(path: str | PathLike[str], content: bytes) -> str:
    """Write an archive and return its path."""
    with open(path, "wb") as file:
        file.write(content)
    return str(path)
