"""Opens a container for a worker: the one list of kinds, imported when they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.sources.base import Backend

_BACKENDS = {
    "folder": ("folder", "FolderBackend"),
    "zip": ("zip_source", "ZipBackend"),
    "archives": ("container_folder", "ArchivesBackend"),
    "manifest": ("manifest", "ManifestBackend"),
    "remote": ("remote", "RemoteBackend"),
}


def backend_of(kind: str, container: str) -> Backend:
    """Return the backend of a kind of container.

    Raises:
        LookupError: there is no such kind.
    """
    if kind not in _BACKENDS:
        raise LookupError(f"no kind of source {kind!r}")
    module, name = _BACKENDS[kind]
    backend: Callable[[str], Backend] = getattr(import_module(f"verify.sources.{module}"), name)
    return backend(container)
