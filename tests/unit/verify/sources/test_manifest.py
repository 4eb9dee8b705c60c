"""A manifest names submissions of every form; what is wrong in it is told with its line."""

from __future__ import annotations

import os
import zipfile
from typing import TYPE_CHECKING

import pytest

from verify.sources.base import Entry, UnusableSource
from verify.sources.manifest import ManifestBackend, ManifestSource

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with a submission of each form beside, below and above it."""
    place = tmp_path / "course"
    (place / "work/alice").mkdir(parents=True)
    (place / "work/alice/plan.json").write_text("folder")
    with zipfile.ZipFile(tmp_path / "bob.zip", "w") as archive:
        archive.writestr("project/plan.json", "archive")
    os.symlink(tmp_path / "bob.zip", place / "linked.zip")
    return place


def written(place: Path, text: str) -> str:
    (place / "cohort.csv").write_text(text)
    return str(place / "cohort.csv")


def fault_of(place: Path, text: str) -> str:
    path = written(place, text)
    with pytest.raises(UnusableSource) as raised:
        list(ManifestSource(path).entries())
    assert "\n" not in str(raised.value)
    return str(raised.value).removeprefix(path)


def test_each_row_is_opened_as_what_its_path_is(place: Path, tmp_path: Path) -> None:
    paths = ["work/alice", "../bob.zip", str(tmp_path / "bob.zip"), "linked.zip"]
    rows = "".join(f"learner-{n},{path}\n" for n, path in enumerate(paths))
    source = ManifestSource(written(place, f"learner,path\n{rows}"))
    read = []
    with ManifestBackend(source.container) as backend:
        for entry in source.entries():
            door = backend.submission(source.payload(entry.inner))
            read.append(door.read("plan.json"))
            door.close()
    source.close()

    assert read == [b"folder", b"archive", b"archive", b"archive"]


def test_attempts_are_ordered_by_the_time_of_the_same_zone(place: Path) -> None:
    source = ManifestSource(
        written(
            place,
            "Learner;Path;Submitted at;Attempt\n"
            "a;work/alice;2026-03-01T12:30:00+02:00;\n"
            "a;work/alice;2026-03-01T11:00:00Z;\n"
            "a;work/alice;2026-03-01 10:45:00;\n"
            "b;work/alice;;2\n"
            "b;work/alice;;10\n"
            "b;work/alice;2026-03-01;2\n",
        )
    )

    assert list(source.entries()) == [
        Entry("a", "work/alice", "2026-03-01T10:30:00.000000Z"),
        Entry("a", "work/alice", "2026-03-01T11:00:00.000000Z"),
        Entry("a", "work/alice", "2026-03-01T10:45:00.000000Z"),
        Entry("b", "work/alice", "0000000002"),
        Entry("b", "work/alice", "0000000010"),
        Entry("b", "work/alice", "2026-03-01T00:00:00.000000Z 0000000002"),
    ]


def test_a_row_that_is_wrong_is_told_with_its_line(place: Path) -> None:
    expected = "expected a folder or an archive"
    same = "tell them apart by attempt or submitted_at"
    wrong = {
        "who,path\n": (
            ", line 1: has no column learner: expected learner,path[,attempt][,submitted_at]"
        ),
        "learner,path\n": ", line 2: expected the first submission, found none",
        "learner,path\n,work/alice\n": ", line 2: names no learner",
        "learner,path\na,\n": f", line 2: path is empty: {expected}",
        "learner,path\na,gone\n": f', line 2: path "gone" does not exist: {expected}',
        "learner,path\na,cohort.csv\n": (
            f', line 2: path "cohort.csv" is a file of another kind: {expected}'
        ),
        "learner,path\na,work/alice\nb,work/alice\na,work\n": (
            f', line 4: "a" has the same attempt as on line 2: {same}'
        ),
        "learner,path,submitted_at\na,work/alice,yesterday\n": (
            ', line 2: submitted_at "yesterday" is no time: expected one such as'
            " 2026-03-01T12:00:00Z"
        ),
    }

    assert {text: fault_of(place, text) for text in wrong} == wrong
