"""Collections of odd entries: what is unclear is refused, and nothing is left open."""

from __future__ import annotations

import gc
import shutil
import warnings
import zipfile
from typing import TYPE_CHECKING

import pytest

from pipeline.files import FILE, FOLDER
from tests.stubs.archives import written, zip_bytes
from verify.commands.match import ledger_of
from verify.files import Unresolved
from verify.intake import collection
from verify.intake.collection import ZipCollection
from verify.intake.opening import open_entry, stamp_for
from verify.intake.table import Unusable

if TYPE_CHECKING:
    from pathlib import Path

    from verify.files import Files

METADATA = "submission_metadata.yml"


@pytest.fixture(params=["", "class/"])
def twice(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return a zip with an archive and a file that are there twice, also within one folder."""
    path = str(tmp_path / "class.zip")
    around: str = request.param
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as file:
        warnings.simplefilter("ignore")  # that names are there twice
        for number in "12":
            for name in ("jane.zip", "max/", "max/plan.json"):
                file.writestr(around + name, "" if name.endswith("/") else number)
    return path


def opened(path: str, name: str) -> Files:
    (place,) = [one.place for one in ZipCollection(path).entries() if one.name == name]
    return open_entry("zip", path, place, stamp_for("zip", path))


def test_of_two_members_with_one_path_in_the_zip_of_a_class_none_counts(twice: str) -> None:
    found = [(one.name, one.nature) for one in ZipCollection(twice).entries()]

    assert found == [("jane.zip", FILE), ("max", FOLDER)]
    with pytest.raises(Unresolved, match=r'^"jane.zip" is in the archive more than once'):
        opened(twice, "jane.zip")
    with pytest.raises(Exception, match=r"^is in the archive more than once"):
        opened(twice, "max").read("plan.json")


def test_a_zip_is_closed_with_the_last_submission_in_it(twice: str) -> None:
    files: list[Files] = [opened(twice, "max")]
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        files.pop().close()
        for other in "ab":  # a process keeps the last two
            opened(shutil.copy(twice, f"{twice}-{other}"), "max").close()
        gc.collect()

    assert [str(each.message) for each in met] == []


def test_a_folder_in_the_place_of_metadata_is_an_entry_as_any_other(tmp_path: Path) -> None:
    for name in (METADATA, "jane"):
        (tmp_path / name).mkdir()

    assert ledger_of([str(tmp_path)], None, "", None).counts() == {"graded": 1, "ignored": 1}


def test_metadata_that_cannot_be_read_stop_the_run_with_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "MAX_METADATA", 1 << 10)
    (tmp_path / METADATA).write_bytes(b" " * 1_025)

    with pytest.raises(Unusable, match=f"{METADATA} is larger than the limit of 1 KiB"):
        ledger_of([str(tmp_path)], None, "", None)


def test_the_entries_of_one_learner_are_opened_as_one_folder(tmp_path: Path) -> None:
    tree = {"a_1_2_a.zip": b"PK", "a_1_3_b/src/app.js": b"x", "c.zip": b"PK"}
    for path, data in tree.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    zipped = written(tmp_path.with_suffix(".zip"), zip_bytes(*tree.items()))
    for kind, container in (("folder", str(tmp_path)), ("zip", zipped)):
        stamp = stamp_for(kind, container)
        files = open_entry(kind, container, "a_1_2_a.zip\na_1_3_b", stamp)

        assert (files.names(""), files.names("a_1_3_b")) == (["a_1_2_a.zip", "a_1_3_b"], ["src"])
        assert (files.head("a_1_2_a.zip"), files.read("a_1_3_b/src/app.js")) == (b"PK", b"x")


def test_two_rows_of_a_manifest_for_one_attempt_are_the_instructors_to_settle(
    tmp_path: Path,
) -> None:
    with pytest.raises(Unresolved) as error:
        open_entry("manifest", str(tmp_path / "class.csv"), "a\nb")

    assert (error.value.reason, error.value.step) == (
        '2 rows of the manifest are for the same attempt: "a", "b"',
        "Give each row a different attempt, or remove all but one.",
    )
