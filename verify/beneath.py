"""Opens a folder below another in one system call, following no link on the way (Linux)."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_OPENAT2 = 437  # the same number on every architecture (openat2(2), Linux 5.6)
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
_HOW = struct.Struct("=QQQ")  # flags, mode, resolve


@cache
def folder_opener() -> Callable[[int, bytes], int] | None:
    """Return a function of a folder's descriptor and a path below it, None where there is none.

    It returns a descriptor of the folder at the path, -1 where that is missing, is no folder, is
    reached by a link or by `..`, or may not be opened: why is for the slower walk to say.
    """
    if not sys.platform.startswith("linux"):
        return None
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
    resolve = _BENEATH | _NO_SYMLINKS | _NO_MAGICLINKS
    how = ctypes.create_string_buffer(_HOW.pack(flags, 0, resolve), _HOW.size)
    try:
        call = ctypes.CDLL(None).syscall
    except (OSError, AttributeError):
        return None
    call.restype = ctypes.c_long
    call.argtypes = (
        ctypes.c_long,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_void_p,
        ctypes.c_size_t,
    )
    arguments = (ctypes.addressof(how), _HOW.size)

    def opened(above: int, path: bytes, _held: object = how) -> int:
        descriptor: int = call(_OPENAT2, above, path, *arguments)
        return descriptor

    return opened
