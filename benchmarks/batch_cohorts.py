"""Cohorts to measure with: passing pipeline traces, no two files of them alike, as folders or zips.

Each is made when it is asked for, of the course's own solved fixture: descriptions, hashes and
summaries differ from learner to learner, so that nothing can be remembered from one to the next.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import zipfile
from typing import TYPE_CHECKING, Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from pipeline.protocol.layout import ARTIFACTS, artifact_folder
from verify.course import catalog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Self

EXERCISES = ("foundation/04", "practitioner/04")
SHAPES = ("moodle", "canvas")
_AT_ONCE = 1 << 16  # bytes: more than any artifact of these cohorts has


class Cohorts:
    """Cohorts in a folder of their own, each made once."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def folders(self, exercise: str, count: int) -> str:
        """Return a folder with a folder for each of so many learners."""
        place = self._place(exercise, count)
        if not os.path.isdir(place):
            for number, files in submissions(exercise, count):
                root = os.path.join(place, f"learner-{number:06}")
                os.makedirs(os.path.join(root, os.path.dirname(files[0][0])))
                for path, data in files:
                    with open(os.path.join(root, path), "wb") as file:
                        file.write(data)
        return place

    def zipped(self, exercise: str, count: int, shape: str) -> str:
        """Return one zip of all submissions, as a learning platform hands them out.

        Moodle's holds a folder for each learner; Canvas's a zip for each, as learners upload them.
        """
        place = f"{self._place(exercise, count)}-{shape}.zip"
        if not os.path.isfile(place):
            with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
                for number, files in submissions(exercise, count):
                    _SHAPES[shape](archive, number, files)
        return place

    def roster(self, count: int) -> str:
        """Return the path of a roster of so many learners, by the names of both shapes."""
        path = os.path.join(self._folder, f"roster-{count}.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("id,name\n")
            file.writelines(f"learner-{n:06},Learner {n}\n" for n in range(count))
        return path

    def files(self, exercise: str, count: int) -> list[str]:
        """Return the path of every artifact of a cohort, in the order of the learners."""
        place, inner = self.folders(exercise, count), folder_of(exercise)
        return [
            os.path.join(place, f"learner-{number:06}", inner, name)
            for number in range(count)
            for name in ARTIFACTS
        ]

    def drop(self, exercise: str, count: int) -> None:
        """Remove a cohort's folders: a large one takes gigabytes."""
        shutil.rmtree(self._place(exercise, count), ignore_errors=True)

    def _place(self, exercise: str, count: int) -> str:
        return os.path.join(self._folder, f"{exercise.replace('/', '-')}-{count}")


class Gradebooks:
    """New gradebooks, one after the other; each is removed with its successor or at the end."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(folder, "gradebooks")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def fresh(self) -> str:
        """Return the path of a gradebook that is not there yet, and remove the one before it."""
        shutil.rmtree(self._folder, ignore_errors=True)
        os.makedirs(self._folder)
        return os.path.join(self._folder, "gradebook.db")

    def beside(self) -> str:
        """Return the path of another one beside it, which is not there yet either."""
        return os.path.join(self._folder, "beside.db")


def submissions(exercise: str, count: int) -> Iterator[tuple[int, list[tuple[str, bytes]]]]:
    """Yield each learner's number and files, as paths in the submission with their bytes."""
    inner = folder_of(exercise)
    documents = {name: _solved(exercise, name) for name in ARTIFACTS}
    for number in range(count):
        yield (
            number,
            [
                (f"{inner}/{name}", json.dumps(_own(document, number), indent=2).encode())
                for name, document in documents.items()
            ],
        )


def folder_of(exercise: str) -> str:
    """Return the folder of an exercise's artifacts within a submission."""
    level, _, number = exercise.partition("/")
    found = catalog.find(level, number)
    return artifact_folder(found.target or ".", found.issue or "").removeprefix("./")


def read_by_calls(paths: list[str]) -> None:
    """Read files by the bare system calls: the floor of all grading."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        os.read(descriptor, _AT_ONCE)
        os.close(descriptor)


def _solved(exercise: str, name: str) -> dict[str, Any]:
    level, _, number = exercise.partition("/")
    fixture = os.path.join(ROOT, "fixtures", "submissions", level, f"{number}-trace", "solved")
    with open(os.path.join(fixture, folder_of(exercise), name), encoding="utf-8") as file:
        document: dict[str, Any] = json.load(file)
    return document


def _own(document: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a document as one learner's pipeline would have written it."""
    own = dict(document)
    if "summary" in own:
        own["summary"] = f"learner {number}: {own['summary']}"
    if "commit_sha" in own:
        own["commit_sha"] = f"{number * 7919 + 0xABC0000:010x}"
    if "steps" in own:
        own["steps"] = [
            dict(step, description=f"{step['description']} ({number})") for step in own["steps"]
        ]
    return own


def _as_moodle(archive: zipfile.ZipFile, number: int, files: list[tuple[str, bytes]]) -> None:
    for path, data in files:
        archive.writestr(f"Learner {number}_{number + 100_000}_assignsubmission_file/{path}", data)


def _as_canvas(archive: zipfile.ZipFile, number: int, files: list[tuple[str, bytes]]) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as own:
        for path, data in files:
            own.writestr(path, data)
    name = f"learner{number}_{number + 100_000}_{number + 900_000}_work.zip"
    archive.writestr(name, packed.getvalue())


_SHAPES: dict[str, Callable[[zipfile.ZipFile, int, list[tuple[str, bytes]]], None]] = {
    "moodle": _as_moodle,
    "canvas": _as_canvas,
}
