"""Names from disks and archives as texts that can be kept: UTF-8, and no two alike."""

from __future__ import annotations


def kept(name: str) -> str:
    r"""Return a name as a text that can be kept: bytes that are no UTF-8 as `\xff`.

    A name that has such a text itself is told as another one: no two names are one submission.
    """
    if "\\" in name:
        name = name.replace("\\x", r"\x5cx").replace("\\u", r"\x5cu")
    if name.isascii():
        return name
    try:
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half a character, as Windows allows it
        return name.encode("utf-8", "backslashreplace").decode()
