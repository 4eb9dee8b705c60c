"""Lays out a hostile submission: in a folder, or as members of an archive."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.stubs.archives import DEVICE, LINK, PIPE
from tests.stubs.hostile.cases import PLAN
from tests.stubs.hostile.making import made, solved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.stubs.hostile.cases import Case

_KINDS = {"link": LINK, "fifo": PIPE, "device": DEVICE}


class Node(NamedTuple):
    """Something at a path: `what` it is, and the value that its kind needs."""

    path: str
    what: str
    value: Any


class NotHere(Exception):
    """The submission cannot be laid out in this way."""


def nodes_of(case: Case, canary: str) -> list[Node]:
    """Return the nodes of a submission; CANARY in a link's target is a folder outside of it."""
    if case.kind == "plan":
        return [Node(PLAN, "file", case.recipe)]
    return list(_nodes(case.recipe, canary))


def _nodes(recipe: list[dict[str, Any]], canary: str) -> Iterator[Node]:
    for entry in recipe:
        rest = dict(entry)
        path = rest.pop("path").replace("PLAN", PLAN)
        ((what, value),) = rest.items()
        if what == "link":
            value = value.replace("CANARY", canary)
        yield Node(path, what, value)


def lay_out(root: str, nodes: list[Node]) -> None:
    """Make a folder of the nodes."""
    os.makedirs(root)
    for node in nodes:
        path = os.path.join(root, node.path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _MAKERS[node.what](path, node.value)


def members(nodes: list[Node]) -> list[tuple[str, bytes | int]]:
    """Return the same as members of an archive, which can hold files and some other kinds.

    Raises:
        NotHere: it cannot hold one of them.
    """
    found: list[tuple[str, bytes | int]] = []
    for node in nodes:
        if node.what == "file":
            found.append((node.path, content(node.value)))
        elif node.what == "folder":
            found.append((f"{node.path}/", b""))
        elif node.what in _KINDS:
            found.append((node.path, _KINDS[node.what]))
        else:
            raise NotHere(node.what)
    return found


def content(recipe: Any) -> bytes:
    """Return the bytes of a file: a recipe, or SOLVED for a plan that passes."""
    return solved() if recipe == "SOLVED" else made(recipe)


def _file(path: str, recipe: Any) -> None:
    with open(path, "wb") as file:
        file.write(content(recipe))


def _socket(path: str, _: Any) -> None:
    before = os.getcwd()
    os.chdir(os.path.dirname(path))  # the path of a socket may have 107 bytes
    with socket.socket(socket.AF_UNIX) as made_socket:
        made_socket.bind(os.path.basename(path))
    os.chdir(before)


def _sparse(path: str, size: int) -> None:
    with open(path, "wb") as file:
        file.truncate(size)


def _levels(path: str, count: int) -> None:
    """Make folders one in the other, step by step: the path is longer than a system call takes."""
    os.mkdir(path)
    above = os.open(path, os.O_RDONLY)
    for _ in range(count):
        os.mkdir("d", dir_fd=above)
        below = os.open("d", os.O_RDONLY, dir_fd=above)
        os.close(above)
        above = below
    os.close(above)


def _many(path: str, count: int) -> None:
    os.mkdir(path)
    for number in range(count):
        with open(os.path.join(path, f"{number}.json"), "wb"):
            pass


def _raw_name(path: str, name: str) -> None:
    with open(os.path.join(os.fsencode(path), bytes.fromhex(name)), "wb"):
        pass


_MAKERS: dict[str, Callable[[str, Any], None]] = {
    "file": _file,
    "folder": lambda path, _: os.makedirs(path, exist_ok=True),
    "link": lambda path, target: os.symlink(target, path),
    "fifo": lambda path, _: os.mkfifo(path),
    "socket": _socket,
    "sparse": _sparse,
    "levels": _levels,
    "many": _many,
    "mode": os.chmod,
    "hex": _raw_name,
}
