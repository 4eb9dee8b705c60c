"""How many examples a property is tried with: a few, or many with `--hypothesis-profile=long`.

A figure (a test marked `figure`) is tried on a seeded sample, or whole with `--figures`.
The tests' own folders are in memory where there is room: a gradebook there waits for no disk.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable

# no deadline: how long an example takes says more of the machine than of the code
settings.register_profile("quick", deadline=None, max_examples=40)
settings.register_profile("long", deadline=None, max_examples=120)
if settings.get_current_profile_name() == "default":
    settings.load_profile("quick")

_MEMORY = "/dev/shm"  # noqa: S108  # pytest makes a folder of its own in it
_ROOM = 2 << 30  # bytes: all tests write a tenth of it
_PLACE = "PYTEST_DEBUG_TEMPROOT"  # pytest's name for where it makes folders


def pytest_configure() -> None:
    """Choose where the folders of the tests are, also for the processes that this one starts."""
    if _PLACE not in os.environ and _is_roomy():
        os.environ[_PLACE] = _MEMORY


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Free the memory, unless a person has to look at what failed."""
    is_first = not hasattr(session.config, "workerinput")
    if is_first and exitstatus == pytest.ExitCode.OK and os.environ.get(_PLACE) == _MEMORY:
        place = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # noqa: SLF001
        subprocess.run(["rm", "-rf", place], check=False)  # deeper than shutil.rmtree goes


def _is_roomy() -> bool:
    """Return whether this system keeps files in memory, and may run the programs in them."""
    if not os.path.isdir(_MEMORY) or not os.access(_MEMORY, os.W_OK):
        return False
    runs = not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC
    return runs and shutil.disk_usage(_MEMORY).free > _ROOM


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--figures`."""
    parser.addoption("--figures", action="store_true", help="try each figure whole, not a sample")


@pytest.fixture(scope="session")
def how_many(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """Return a function of a sample's size and a figure's that returns the size to try."""
    whole = bool(request.config.getoption("--figures"))
    return lambda sample, figure: figure if whole else sample
