"""What the examination asks of the machine, so that a test can answer in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipeline.terminal.host import Host


@dataclass(frozen=True, kw_only=True, slots=True)
class Machine:
    """A machine: its programs' versions, its environment, its PATH, its Python's packages.

    `find` returns the path of a program, None where it is not on PATH; `has_module` tells whether a
    top-level module could be imported, without importing it.
    """

    host: Host
    environment: Mapping[str, str]
    find: Callable[[str], str | None]
    has_module: Callable[[str], bool]


def this_machine() -> Machine:
    """Return the machine that this process runs on."""
    import os
    import shutil
    from importlib.util import find_spec

    from pipeline.terminal.host import Host

    return Machine(
        host=Host(),
        environment=os.environ,
        find=shutil.which,
        has_module=lambda name: find_spec(name) is not None,
    )
