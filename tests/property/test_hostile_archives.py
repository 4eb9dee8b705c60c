"""Archives, bundles and folders of any content are read within bounds, or refused in a line."""

from __future__ import annotations

import os
import tempfile
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.reading import Unreadable
from tests.stubs.hostile.seeds import mutated, seeds, structured
from tests.stubs.hostile.targets import REFUSED, SOUND, TARGETS
from verify.submission import open_folder

if TYPE_CHECKING:
    from verify.submission import Submission

SEEDS = st.integers(0, 2**32 - 1)
ARCHIVES = ("zip", "tar", "packed", "cohort", "bundle")
NAMES = st.sampled_from(["a", "b", "plan.json", "c\u00e9", "-x", "\x1b[2J", "..."])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
KINDS = st.sampled_from(["file", "folder", "link", "loop", "fifo"])
ASKED = PATHS | st.sampled_from(["", ".", "..", "/", "/etc/passwd", "a/../b", "a//b", "a/", "\0"])


@pytest.mark.parametrize("target", ARCHIVES)
@settings(deadline=None, max_examples=100)
@given(data=st.binary(max_size=600))
def test_any_bytes_are_refused_or_read(target: str, data: bytes) -> None:
    assert TARGETS[target](data) in (SOUND, REFUSED)


@pytest.mark.parametrize("target", ARCHIVES)
@settings(deadline=None, max_examples=150)
@given(seed=SEEDS)
def test_what_was_sound_before_somebody_changed_it_is_refused_or_read(
    target: str, seed: int
) -> None:
    random = Random(seed)  # noqa: S311  # a seed is the point
    first = random.choice(seeds(target))
    data = structured(target, first, random) if seed % 2 else mutated(first, random)

    assert TARGETS[target](data) in (SOUND, REFUSED)


@pytest.mark.parametrize("target", ARCHIVES)
def test_what_was_not_changed_is_sound(target: str) -> None:
    assert [TARGETS[target](data) for data in seeds(target)] == [SOUND] * len(seeds(target))


@settings(deadline=None, max_examples=100)
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
