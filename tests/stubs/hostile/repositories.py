"""Working copies whose `.git` folder is hostile, each with a sound plan in the work tree."""

from __future__ import annotations

import os
import shutil
import zlib
from typing import TYPE_CHECKING

from tests.stubs.hostile.cases import PLAN
from tests.stubs.hostile.gits import good
from tests.stubs.hostile.making import solved

if TYPE_CHECKING:
    from collections.abc import Callable

_KINDS = {1: "commit", 2: "tree", 3: "blob"}
# Each of these runs a program for some command of git that only reads.
_CONFIG = """[core]
\trepositoryformatversion = 0
\tbare = false
\tfsmonitor = "{touch}"
\thooksPath = hooks
\tsshCommand = "{touch}"
\tpager = "{touch}"
\teditor = "{touch}"
[log]
\tshowSignature = true
[gpg]
\tprogram = "{touch}"
[diff]
\texternal = "{touch}"
[filter "x"]
\tclean = "{touch}"
\tsmudge = "{touch}"
[protocol "ext"]
\tallow = always
[remote "origin"]
\turl = "ext::{touch}"
\tpromisor = true
\tuploadpack = "{touch}"
[extensions]
\tpartialClone = origin
[include]
\tpath = {canary}/config
"""


def working_copy(root: str) -> str:
    """Make a clone with one commit on `main`, its objects one by one, and return its `.git`."""
    _write(os.path.join(root, PLAN), solved())
    own = os.path.join(root, ".git")
    objects = good()
    for made in objects:
        data = f"{_KINDS[made.kind]} {len(made.data)}".encode() + b"\0" + made.data
        _write(_object(own, made.name.hex()), zlib.compress(data))
    _write(os.path.join(own, "HEAD"), b"ref: refs/heads/main\n")
    _write(os.path.join(own, "refs", "heads", "main"), objects[-1].name.hex().encode() + b"\n")
    os.makedirs(os.path.join(own, "objects", "pack"))
    return own


def _object(own: str, name: str) -> str:
    return os.path.join(own, "objects", name[:2], name[2:])


def _write(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def _programs(own: str, canary: str) -> None:
    touch = f"touch {canary}/ran"
    text = _CONFIG.format(touch=touch, canary=canary)
    _write(os.path.join(own, "config"), text.encode())
    _write(os.path.join(own, "info", "attributes"), b"* filter=x diff=x\n")
    for name in ("post-index-change", "post-checkout", "reference-transaction"):
        path = os.path.join(own, "hooks", name)
        _write(path, f"#!/bin/sh\n{touch}\n".encode())
        os.chmod(path, 0o755)  # noqa: S103  # git runs what is executable


def _replaced(*names: str, by: str) -> Callable[[str, str], None]:
    """Return what puts a link (`link`), a named pipe (`fifo`) or a text in a file's place."""

    def change(own: str, canary: str) -> None:
        path = os.path.join(own, *names)
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.unlink(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if by == "fifo":
            os.mkfifo(path)
        elif by.startswith("link "):
            os.symlink(by[5:].replace("CANARY", canary), path)
        else:
            _write(path, by.replace("CANARY", canary).encode())

    return change


def _borrowed(own: str, canary: str) -> None:
    shutil.rmtree(os.path.join(own, "objects"))
    _write(os.path.join(own, "objects", "info", "alternates"), b"../../../a-good/.git/objects\n")
    _write(os.path.join(own, "commondir"), b"../../a-good/.git\n")
    _write(os.path.join(own, "objects", "info", "http-alternates"), canary.encode())


def _wrong_hash(own: str, _: str) -> None:
    first = good()[0]
    forged = b"blob 2\0{}"
    _write(_object(own, first.name.hex()), zlib.compress(forged))


def _bomb(own: str, _: str) -> None:
    first = good()[0]
    packing = zlib.compressobj(9)
    head = packing.compress(b"blob 1073741824\0") + packing.flush(zlib.Z_FULL_FLUSH)
    block = packing.compress(bytes(1 << 20)) + packing.flush(zlib.Z_FULL_FLUSH)
    _write(_object(own, first.name.hex()), head + block * 1024)


def _substituted(own: str, _: str) -> None:
    """Replace the plan's object as `git replace` does, and cut history off as grafts do."""
    forged = b"blob 2\0{}"
    _write(_object(own, "f" * 40), zlib.compress(forged))
    name = good()[0].name.hex()
    _write(os.path.join(own, "refs", "replace", name), b"f" * 40 + b"\n")
    _write(os.path.join(own, "info", "grafts"), good()[-1].name.hex().encode() + b"\n")


def _no_commit(own: str, _: str) -> None:
    shutil.rmtree(own)
    os.makedirs(own)


REPOSITORIES: dict[str, Callable[[str, str], None]] = {
    "programs-in-config": _programs,
    "git-file-elsewhere": _replaced(by="gitdir: ../a-good/.git\n"),
    "git-folder-is-a-link": _replaced(by="link ../a-good/.git"),
    "head-is-a-fifo": _replaced("HEAD", by="fifo"),
    "head-is-a-link": _replaced("HEAD", by="link CANARY/plan.json"),
    "head-leads-upwards": _replaced("HEAD", by="ref: ../../../../plan.json\n"),
    "packed-refs-is-a-fifo": _replaced("packed-refs", by="fifo"),
    "config-is-a-fifo": _replaced("config", by="fifo"),
    "ref-is-a-fifo": _replaced("refs", "heads", "main", by="fifo"),
    "ref-names-itself": _replaced("refs", "heads", "main", by="ref: refs/heads/main\n"),
    "ref-is-an-option": _replaced("refs", "heads", "main", by="--output=CANARY/ran\n"),
    "objects-are-a-link": _replaced("objects", by="link ../../a-good/.git/objects"),
    "objects-are-borrowed": _borrowed,
    "object-of-another-name": _wrong_hash,
    "object-is-a-bomb": _bomb,
    "replaced-and-grafted": _substituted,
    "nothing-in-it": _no_commit,
}
