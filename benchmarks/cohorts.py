"""Cohorts to measure with: pipeline traces, no two files of them alike, as folders or zips.

Each is made when it is asked for, of the course's own solved fixture: descriptions, hashes and
summaries differ from learner to learner, so that nothing can be remembered from one to the next.
"""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from typing import TYPE_CHECKING, Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from pipeline.protocol.layout import ARTIFACTS, GIT_RESULT, PLAN, WORKER_RESULT
from verify.course import catalog

if TYPE_CHECKING:
    from collections.abc import Iterator

EXERCISE = "practitioner/04"
FLAWLESS, FAULTY, MIXED = "flawless", "faulty", "mixed"
MOODLE, CANVAS = "moodle", "canvas"
_FIXTURE = os.path.join(ROOT, "fixtures", "submissions", "practitioner", "04-trace", "solved")


class Cohorts:
    """Cohorts in a folder of their own, each made once.

    They are `FLAWLESS`, or `FAULTY` with four faults each, or `MIXED`: a third passes, a third has
    four faults, and a third has nothing but a plan.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._gradebooks = 0

    def folders(self, kind: str, count: int) -> str:
        """Return a folder with a folder for each of so many learners."""
        place = os.path.join(self._folder, f"{kind}-{count}")
        if not os.path.isdir(place):
            for number, files in submissions(kind, count):
                for path, data in files:
                    file = os.path.join(place, f"learner-{number:06}", path)
                    os.makedirs(os.path.dirname(file), exist_ok=True)
                    with open(file, "wb") as artifact:
                        artifact.write(data)
        return place

    def zipped(self, shape: str, count: int) -> str:
        """Return one zip of flawless submissions, as a learning platform makes it.

        Moodle's has a folder for each learner, Canvas's a zip for each, as learners upload them.
        """
        place = os.path.join(self._folder, f"{shape}-{count}.zip")
        if not os.path.isfile(place):
            with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
                for number, files in submissions(FLAWLESS, count):
                    for path, data in files if shape == MOODLE else [_packed(number, files)]:
                        folder = f"Learner {number}_{number + 100_000}_assignsubmission_file/"
                        archive.writestr(f"{folder * (shape == MOODLE)}{path}", data)
        return place

    def roster(self, count: int) -> str:
        """Return the path of a roster of so many learners, by the names of all shapes."""
        path = os.path.join(self._folder, f"roster-{count}.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("id,name\n")
            file.writelines(f"learner-{n:06},Learner {n}\n" for n in range(count))
        return path

    def fresh(self) -> str:
        """Return the path of a gradebook that does not exist yet."""
        self._gradebooks += 1
        return os.path.join(self._folder, f"gradebook-{self._gradebooks}.db")


def submissions(kind: str, count: int) -> Iterator[tuple[int, list[tuple[str, bytes]]]]:
    """Yield each learner's number and files, as paths in the submission with their bytes."""
    issue = catalog.find(*EXERCISE.split("/")).issue
    documents = {f".pipeline/{issue}/{name}": _solved(issue, name) for name in ARTIFACTS}
    for number in range(count):
        third = number % 3 if kind == MIXED else 0
        is_faulty = kind == FAULTY or third == 1
        files = []
        for path, document in documents.items():
            if third != 2 or path.endswith(PLAN):  # noqa: PLR2004  # the third that is incomplete
                changed = _changed(os.path.basename(path), document, number, is_faulty=is_faulty)
                files.append((path, json.dumps(changed, indent=2).encode()))
        yield number, files


def _solved(issue: str | None, name: str) -> dict[str, Any]:
    with open(f"{_FIXTURE}/.pipeline/{issue}/{name}", encoding="utf-8") as file:
        document: dict[str, Any] = json.load(file)
    return document


def _changed(
    name: str, document: dict[str, Any], number: int, *, is_faulty: bool
) -> dict[str, Any]:
    """Return a document as one learner's pipeline would have written it, with faults perhaps."""
    changed = dict(document)
    if name == PLAN:
        changed["steps"] = [
            dict(step, description=f"{step['description']} ({number})")
            for step in document["steps"]
        ]
        if is_faulty:
            changed["steps"][0]["order"] = "first"
    if name == WORKER_RESULT:
        changed["summary"] = f"learner {number}: {document['summary']}"
        if is_faulty:
            changed |= {"status": "done", "produced_by": "x-planner"}
    if name == GIT_RESULT:
        changed["commit_sha"] = "pushed" if is_faulty else f"{number * 7919 + 0xABC0000:010x}"
    return changed


def _packed(number: int, files: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files:
            archive.writestr(path, data)
    return f"learner{number}_{number + 100_000}_{number + 900_000}_work.zip", packed.getvalue()
