"""Ed25519 keys in PEM: pairs that are made once, and the refusal of a key that agents can read."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from pipeline.files import Unreadable, read_file
from pipeline.terminal.display import visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

PRIVATE, PUBLIC = "witness.key.pem", "witness.pub.pem"
MAX_KEY = 1 << 14  # bytes
INSTALL = "python3 start.py witness, or pip install '.[witness]'"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_pair(folder: str) -> tuple[str, str]:
    """Write a new pair of keys into a folder and return the paths, the private one first."""
    require_libraries()
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    _refuse_repository(folder)
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    info = form.PublicFormat.SubjectPublicKeyInfo
    public = key.public_key().public_bytes(form.Encoding.PEM, info)
    paths = os.path.join(folder, PRIVATE), os.path.join(folder, PUBLIC)
    for path in paths:
        if os.path.lexists(path):
            raise unusable(f"{visible(path, 300)} already exists, and a key is never overwritten")
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
            with contextlib.suppress(OSError):
                os.unlink(path)
        reason = (error.strerror or str(error)).lower()
        raise unusable(f"{visible(folder, 300)}: keys cannot be written here: {reason}") from None
    return paths


def _refuse_repository(folder: str) -> None:
    """Refuse a folder of a git repository: agents work in such, and people commit what is there."""
    above, below = os.path.realpath(folder), ""
    while above != below:
        if os.path.lexists(os.path.join(above, ".git")):
            raise unusable(
                f"{visible(folder, 300)} is in the repository {visible(above, 300)}: agents that "
                "work there could read the key (choose a folder outside, such as ~/keys)"
            )
        above, below = os.path.dirname(above), above


def private_key(path: str, root: str) -> Ed25519PrivateKey:
    """Return the private key of a file outside the repository `root`."""
    require_libraries()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    option = f"--witness {visible(path, 300)}"
    if _is_inside(path, root):
        raise unusable(f"{option}: is in the repository, where agents could read it")
    data = _read(path, option)
    if os.name == "posix" and os.stat(path).st_mode & _OTHERS:
        raise unusable(
            f"{option}: other users can read it (run chmod 600 on it, or create a new one)"
        )
    try:
        key = load_pem_private_key(data, password=None)
    except TypeError:
        raise unusable(f"{option}: is encrypted (expected a key without a password)") from None
    except Exception:  # noqa: BLE001  # the library's own, of several kinds
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise unusable(
            f"{option}: is not a private Ed25519 key in PEM (pipeline witness keygen DIR makes one)"
        )
    return key


def public_key(pem: bytes) -> Ed25519PublicKey:
    """Return the public key of a PEM text."""
    require_libraries()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    if b"PRIVATE KEY" in pem:
        raise unusable("is a private key: keep it secret, and use the public key of the pair")
    try:
        key = load_pem_public_key(pem)
    except Exception:  # noqa: BLE001  # the library's own, of several kinds
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise unusable("is not a public Ed25519 key in PEM")
    return key


def public_pem(path: str) -> str:
    """Return the text of a public key's file."""
    option = f"--witness-key {visible(path, 300)}"
    data = _read(path, option)
    try:
        public_key(data)
    except Fault as fault:
        raise unusable(f"{option}: {fault}") from None
    return data.decode("ascii")


def require_libraries() -> None:
    """Raise a fault if the libraries are not installed."""
    try:
        import cryptography  # noqa: F401  # whether it is there
        import securesystemslib  # noqa: F401  # the same
    except ImportError as error:
        raise unusable(f"signatures need {error.name}: {INSTALL}") from None


def _read(path: str, option: str) -> bytes:
    try:
        return read_file(path, MAX_KEY)
    except Unreadable as error:
        raise unusable(f"{option}: {error}") from None


def _is_inside(path: str, root: str) -> bool:
    """Return whether a file, or the link that leads to it, is in a folder."""
    top = os.path.join(os.path.realpath(root), "")
    folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    places = (os.path.join(folder, os.path.basename(path)), os.path.realpath(path))
    return any(f"{place}{os.sep}".startswith(top) for place in places)
