"""Whether exports can be written where they were asked for; asked before anything is graded."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.terminal.display import visible
from verify.exports.base import UnusableExport
from verify.exports.gradescope import SINGLE
from verify.exports.registry import FOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WRITTEN = (".md", ".html", "files.csv")  # what exports of many files write into their folder


def check_targets(targets: Sequence[tuple[str, str]], inputs: Iterable[str]) -> None:
    """Refuse targets that cannot be written, that are asked for twice, or that are inputs.

    Raises:
        UnusableExport: the first of them that is refused, and why.
    """
    given = {os.path.realpath(path) for path in inputs}
    seen: dict[str, str] = {}
    for name, target in targets:
        told = f"--{name} {visible(target, 300)}"
        real = os.path.realpath(target)
        folder = name in FOLDERS or (name == "gradescope" and not target.endswith(SINGLE))
        if any(_overwrites(real, path, folder=folder) for path in given):
            raise UnusableExport(f"{told} would write over one of the inputs: name another place")
        if real in seen:
            raise UnusableExport(f"{told} is what --{seen[real]} writes: name another place")
        seen[real] = name
        (_check_folder if folder else _check_file)(told, target)
        if name == "html":
            _check_report(target)


def _overwrites(target: str, path: str, *, folder: bool) -> bool:
    """Tell whether a target is an input, is within one, or gets files that an input may be."""
    if target == path or target.startswith(path + os.sep):
        return True
    if folder and os.path.dirname(path) == target:
        return path.endswith(_WRITTEN)
    return os.path.exists(target) and os.path.exists(path) and os.path.samefile(target, path)


def _check_file(told: str, target: str) -> None:
    if os.path.isdir(target) or target.endswith(("/", os.sep)):
        raise UnusableExport(f"{told} is a folder: name a file")
    if os.path.exists(target) and not os.path.isfile(target):
        raise UnusableExport(f"{told} is no regular file: name one")
    _check_place(told, os.path.dirname(os.path.abspath(target)))


def _check_folder(told: str, target: str) -> None:
    if os.path.exists(target) and not os.path.isdir(target):
        raise UnusableExport(f"{told} is a file: name a folder")
    _check_place(told, os.path.abspath(target))


def _check_report(target: str) -> None:
    from verify.report.site import UnwritableReport, refuse_others

    try:
        refuse_others(os.path.abspath(target))
    except UnwritableReport as error:
        raise UnusableExport(f"--html {error}") from None


def _check_place(told: str, folder: str) -> None:
    """Refuse a folder that is not writable, or cannot be made where it is missing."""
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise UnusableExport(f"{told} cannot be made: {visible(folder, 300)} is no folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UnusableExport(f"{told} cannot be written: {visible(folder, 300)} is not writable")
