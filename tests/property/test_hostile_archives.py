"""Archives, bundles and folders of any content are read within bounds, or refused in a line."""

from __future__ import annotations

import os
import tempfile
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.files import Unreadable
from tests.stubs.hostile.seeds import mutated, seeds, structured
from tests.stubs.hostile.targets import REFUSED, SOUND, TARGETS
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.submissions.submission import Submission

SEEDS = st.integers(0, 2**32 - 1)
ARCHIVES = ("zip", "tar", "packed", "cohort", "bundle")
NAMES = st.sampled_from(["a", "b", "plan.json", "c\u00e9", "-x", "\x1b[2J", "..."])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
KINDS = st.sampled_from(["file", "folder", "link", "loop", "fifo"])
ASKED = PATHS | st.sampled_from(["", ".", "..", "/", "/etc/passwd", "a/../b", "a//b", "a/", "\0"])


def came_of(target: str, seed: int) -> str:
    """Return what comes of a sound input that somebody changed."""
    random = Random(seed)  # noqa: S311  # a seed is the point
    first = random.choice(seeds(target))
    data = structured(target, first, random) if seed % 2 else mutated(first, random)
    return TARGETS[target](data)


@settings(deadline=None, max_examples=100)
@given(target=st.sampled_from(ARCHIVES), data=st.binary(max_size=600), seed=SEEDS)
def test_any_bytes_and_changed_ones_are_refused_or_read(
    target: str, data: bytes, seed: int
) -> None:
    assert {TARGETS[target](data), came_of(target, seed)} <= {SOUND, REFUSED}


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_thousands_of_changed_ones_are_refused_or_read(
    target: str, how_many: Callable[[int, int], int]
) -> None:
    assert {came_of(target, seed) for seed in range(how_many(1_000, 20_000))} == {SOUND, REFUSED}


def test_what_was_not_changed_is_sound() -> None:
    assert {TARGETS[target](data) for target in TARGETS for data in seeds(target)} == {SOUND}


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(PATHS, KINDS), max_size=8), st.lists(ASKED, max_size=6))
def test_a_folder_shows_its_own_regular_files_and_nothing_else(
    nodes: list[tuple[str, str]], asked: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        root = os.path.join(scratch, "learner")
        os.mkdir(root)
        with open(os.path.join(scratch, "outside"), "wb") as file:
            file.write(b"outside")
        for path, kind in nodes:
            lay(root, path, kind, scratch)
        with open_folder(root) as door:
            for path in [*asked, *(path for path, _ in nodes)]:
                assert read(door, path) in (None, b"own")


def lay(root: str, path: str, kind: str, scratch: str) -> None:
    place = os.path.join(root, path)
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if kind == "file":
            with open(place, "xb") as file:
                file.write(b"own")
        elif kind == "fifo":
            os.mkfifo(place)
        elif kind == "folder":
            os.mkdir(place)
        else:
            os.symlink(os.path.join(scratch, "outside") if kind == "link" else scratch, place)
    except OSError:  # something else stands there, or above it
        pass


def read(door: Submission, path: str) -> bytes | None:
    try:
        return door.read(path)
    except Unreadable:
        return None
