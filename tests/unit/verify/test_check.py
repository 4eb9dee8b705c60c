"""A submission has one result, whatever it is packed in; what cannot be graded has no score."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.archives import tar_bytes, written, zip_bytes
from verify import catalog
from verify.batch.limits import Failed
from verify.check import NotGraded, Task, answered, report_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from verify.check import Answer

FIXTURES = os.path.join(ROOT, "fixtures", "submissions")
SOLVED = os.path.join(FIXTURES, "foundation", "01-plan", "solved")
PLAN = "sandbox/.pipeline/ISSUE-101/plan.json"


def answer(path: str, level: str, number: str, *, is_own: bool = False) -> Answer:
    return answered(Task(path=path, level=level, number=number, is_own=is_own))


def files_of(folder: str) -> list[tuple[str, bytes]]:
    """Return a folder's files as members of an archive."""
    found = []
    for above, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(above, name)
            with open(path, "rb") as file:
                found.append((os.path.relpath(path, folder).replace(os.sep, "/"), file.read()))
    return found


def packings(scratch: str, fixture: str) -> Iterator[str]:
    """Yield where one submission is, packed in all ways that are read."""
    outer = os.path.join(scratch, "outer")
    shutil.copytree(fixture, os.path.join(outer, "download", "work"))
    files = files_of(fixture)
    yield os.path.join(outer, "download", "work")
    yield os.path.join(outer, "download")
    yield outer
    wrapped = [(f"my work/{name}", data) for name, data in files]
    yield written(os.path.join(scratch, "a.zip"), zip_bytes(*wrapped))
    windows = [(name.replace("/", "\\"), data) for name, data in files]
    yield written(os.path.join(scratch, "b.zip"), zip_bytes(*windows, ("Thumbs.db", b"")))
    yield written(os.path.join(scratch, "c.tar.gz"), tar_bytes(*files, packed="gz"))
    yield written(os.path.join(scratch, "d.tar.bz2"), tar_bytes(*wrapped, packed="bz2"))
    os.mkdir(os.path.join(scratch, "around"))
    macos = zip_bytes(*files, (f"__MACOSX/{PLAN}", b"x"), (".DS_Store", b""))
    written(os.path.join(scratch, "around", "work.zip"), macos)
    yield os.path.join(scratch, "around")


def fixtures() -> list[tuple[str, str, str]]:
    found = []
    for level in catalog.LEVELS:
        for exercise in catalog.level(level):
            folder = os.path.join(FIXTURES, level, f"{exercise.number:02}-{exercise.slug}")
            names = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
            found += [(level, str(exercise.number), os.path.join(folder, name)) for name in names]
    return found


def test_every_fixture_has_the_result_of_the_plain_folder_whatever_it_is_packed_in(
    tmp_path: Path,
) -> None:
    differing = []
    for index, (level, number, fixture) in enumerate(fixtures()):
        scratch = tmp_path / str(index)
        scratch.mkdir()
        expected = answer(fixture, level, number, is_own=True)
        differing += [
            f"{fixture}: {os.path.relpath(path, scratch)}"
            for path in packings(str(scratch), fixture)
            if answer(path, level, number) != expected
        ]
        shutil.rmtree(scratch)

    assert differing == []
    assert len(fixtures()) > 180


def test_an_archive_is_graded_in_a_process_of_its_own_and_reported_the_same(
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "a.zip", zip_bytes(*files_of(SOLVED)))
    report = report_of(Task(path=path, level="foundation", number="1"))
    plain = report_of(Task(path=SOLVED, level="foundation", number="1"))

    assert (report.passed, report.score, report.unresolved) == (True, 9, None)
    assert report.results == plain.results


def test_an_archive_in_a_folder_is_left_to_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Task] = []

    def run_one(call: object, task: Task, limits: object) -> Failed:
        seen.append(task)
        return Failed(f"took too long: {call is answered} {limits is not None}", "look at it")

    monkeypatch.setattr("verify.batch.workers.run_one", run_one)
    written(tmp_path / "a.zip", zip_bytes(*files_of(SOLVED)))
    task = Task(path=str(tmp_path), level="foundation", number="1")
    with pytest.raises(NotGraded, match="took too long: True True"):
        report_of(task)

    assert seen == [task]


def test_what_is_unresolved_has_no_result_and_is_not_passed(tmp_path: Path) -> None:
    path = written(tmp_path / "a.7z", b"7z\xbc\xaf")
    report = report_of(Task(path=path, level="foundation", number="1"))

    assert report.unresolved is not None
    assert report.unresolved.reason == '"a.7z" is a 7z archive, which is not read'
    assert (report.results, report.passed, report.begun) == ((), False, False)


def test_a_history_that_took_too_much_is_left_unread_when_it_is_tried_again() -> None:
    solved = os.path.join(FIXTURES, "expert", "04-evidence", "solved")
    again = answered(Task(path=solved, level="expert", number="4"), again=True)
    found = {finding.found for _, verdict, _ in again.results for finding in verdict.findings}

    assert found == {"could not be read within the limits"}


def test_members_of_a_tar_may_be_written_in_any_format(tmp_path: Path) -> None:
    for format_ in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=format_) as archive:
            archive.add(SOLVED, "caf\u00e9/" + "long name " * 9)
        path = written(tmp_path / "a.tar", out.getvalue())
        assert all(
            one[1].outcome.value == "pass" for one in answer(path, "foundation", "1").results
        )


def test_a_zip_of_any_python_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(os.path.join(SOLVED, PLAN), f"stra\u00dfe/{PLAN}")

    assert not [r for r in answer(str(tmp_path), "foundation", "1").results if r[2]]
