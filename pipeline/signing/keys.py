"""Ed25519 key pairs in PEM format: creates and reads them; refuses keys that agents can read."""

from __future__ import annotations

import contextlib
import os
import pathlib
import stat
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pipeline.files import Unreadable, is_inside, read_file
from pipeline.terminal.display import visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

PRIVATE, PUBLIC = "witness.key.pem", "witness.pub.pem"
MAX_KEY = 1 << 14  # bytes


def make_pair(folder: str) -> tuple[str, str]:
    """Write a new pair of keys into a folder and return the paths, the private one first."""
    form, ed25519 = _libraries()
    _refuse_repository(folder)
    key = ed25519.Ed25519PrivateKey.generate()
    private = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    info = form.PublicFormat.SubjectPublicKeyInfo
    public = key.public_key().public_bytes(form.Encoding.PEM, info)
    paths = os.path.join(folder, PRIVATE), os.path.join(folder, PUBLIC)
    done: list[str] = []
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        for path, data, mode in zip(paths, (private, public), (0o600, 0o644), strict=True):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            done.append(path)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
    except OSError as error:
        for path in done:
            os.unlink(path)
        if isinstance(error, FileExistsError):
            step = "use this key pair, or choose a different folder"
            raise unusable(f"{visible(error.filename, 300)} already exists: {step}") from None
        reason = (error.strerror or str(error)).lower()
        place = visible(error.filename or folder, 300)
        raise unusable(f"{place} cannot be written: {reason}") from None
    return paths


def _refuse_repository(folder: str) -> None:
    """Refuse a folder in a git repository: agents work there, and people commit what is in it."""
    real = pathlib.Path(folder).resolve()
    for above in (real, *real.parents):
        if os.path.lexists(above / ".git"):
            raise unusable(
                f"{visible(folder, 300)} is in the repository {visible(str(above), 300)}, where "
                "agents could read the key (choose a folder outside it, such as ~/keys)"
            )


def private_key(path: str, root: str) -> Ed25519PrivateKey:
    """Return the private key of a file outside the repository `root`."""
    form, ed25519 = _libraries()
    option = f"--witness {visible(path, 300)}"
    if _is_in_repository(path, root):
        raise unusable(
            f"{option}: the key is in the repository, where agents could read it (move it to a "
            "folder outside, such as ~/keys)"
        )
    data = _read(path, option)
    if os.name == "posix" and os.stat(path).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise unusable(
            f"{option}: other users can read the key (run chmod 600 on it, or create a new one)"
        )
    with contextlib.suppress(Exception):  # the library's own, of several kinds
        if isinstance(
            loaded := form.load_pem_private_key(data, password=None), ed25519.Ed25519PrivateKey
        ):
            key: Ed25519PrivateKey = loaded
            return key
    raise unusable(
        f"{option}: the file is not an unencrypted private Ed25519 key in PEM format (create "
        "one with python3 -m pipeline witness keygen DIR)"
    )


def public_key(pem: bytes) -> Ed25519PublicKey:
    """Return the public key of a PEM text."""
    form, ed25519 = _libraries()
    if b"PRIVATE KEY" in pem:
        raise unusable("is a private key: keep it secret, and use the public key of the pair")
    with contextlib.suppress(Exception):  # the library's own, of several kinds
        if isinstance(loaded := form.load_pem_public_key(pem), ed25519.Ed25519PublicKey):
            key: Ed25519PublicKey = loaded
            return key
    raise unusable("is not a public Ed25519 key in PEM format")


def public_pem(path: str) -> str:
    """Return the text of a public key's file."""
    option = f"--witness-key {visible(path, 300)}"
    data = _read(path, option)
    try:
        public_key(data)
    except Fault as fault:
        raise unusable(f"{option}: {fault}") from None
    return data.decode("ascii")


def _libraries() -> tuple[Any, Any]:
    """Return what reads and writes keys, and what makes them; raise a fault without a library."""
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519

        import_module("securesystemslib")  # whether it is there
    except ImportError as error:
        raise unusable(f"signatures need {error.name}: run python3 start.py witness") from None
    return serialization, ed25519


def _read(path: str, option: str) -> bytes:
    try:
        return read_file(path, MAX_KEY)
    except Unreadable as error:
        raise unusable(f"{option}: {error}") from None


def _is_in_repository(path: str, root: str) -> bool:
    """Return whether a file, or the link that leads to it, is in a repository."""
    folder, name = os.path.split(os.path.abspath(path))
    places = (os.path.join(os.path.realpath(folder), name), os.path.realpath(path))
    return any(is_inside(place, os.path.realpath(root)) for place in places)
