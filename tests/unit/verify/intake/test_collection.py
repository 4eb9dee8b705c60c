"""Collections of odd entries: what is unclear is refused, and nothing is left open."""

from __future__ import annotations

import gc
import shutil
import tracemalloc
import warnings
import zipfile
from typing import TYPE_CHECKING

import pytest

from pipeline.files import FILE, FOLDER
from tests.stubs.archives import written, zip_bytes
from verify.commands.entries import ledger_of
from verify.intake import collection
from verify.intake.opening import open_entry, stamp_for
from verify.intake.table import Unusable
from verify.intake.zip_collection import ZipCollection
from verify.submissions.files import Unresolved

if TYPE_CHECKING:
    from pathlib import Path

    from verify.submissions.files import Files

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
    (place,) = [entry.place for entry in ZipCollection(path).entries() if entry.name == name]
    return open_entry("zip", path, place, stamp_for("zip", path))


def test_of_two_members_with_one_path_in_the_zip_of_a_class_none_counts(twice: str) -> None:
    found = [(entry.name, entry.nature) for entry in ZipCollection(twice).entries()]

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
        for copy in "ab":  # a process keeps the last two
            opened(shutil.copy(twice, f"{twice}-{copy}"), "max").close()
        gc.collect()

    assert [str(warning.message) for warning in met] == []


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


CUT_OFF = "is at a path that cannot be used (such as ../x or C:x)"
SYSTEM = "was added by the operating system"
ODD = {  # of a zip of a class: what becomes of each entry, and why
    "jane.zip": ("graded", ""),
    "C:eve.zip": ("unresolved", CUT_OFF),
    "/abs/cy.zip": ("unresolved", CUT_OFF),
    "../ada.zip": ("unresolved", CUT_OFF),
    "..\\win.zip": ("unresolved", CUT_OFF),
    "eve_s//w.txt": ("graded", ""),  # opening it says that it has no usable file
    ".DS_Store": ("ignored", SYSTEM),
    "__MACOSX/._jane.zip": ("ignored", SYSTEM),
    "max/.DS_Store": ("graded", ""),
    "max2/../x": ("graded", ""),
    "deep/" + "a/" * 90 + "x": ("graded", ""),
}


@pytest.mark.parametrize("around", ["", "class/", "./"])
def test_g14_each_entry_of_a_zip_is_in_exactly_one_count_with_its_reason(
    tmp_path: Path, around: str
) -> None:
    path = str(tmp_path / "class.zip")
    with zipfile.ZipFile(path, "w") as file:
        for name in ODD:
            info = zipfile.ZipInfo(around + name)
            info.filename = info.orig_filename = around + name  # as it is, not made safe
            file.writestr(info, b"x")

    ledger = ledger_of([path], None, "")
    list(ledger.submissions(lambda ones: [""] * len(ones)))
    found = {row.name: (row.disposition, row.reason) for row in ledger.rows()}
    counts = ledger.counts()

    names = [name if why == CUT_OFF else name.partition("/")[0] for name, (_, why) in ODD.items()]
    expected = dict(zip(names, ODD.values(), strict=True))
    expected["../win.zip"] = expected.pop("..\\win.zip")
    if around == "class/":
        expected["C:eve.zip"] = ("graded", "")  # within a folder it is a name as any other
    assert found == expected
    assert sum(counts.values()) == len(ODD)
    for name in ("eve_s", "max2", "deep"):
        with pytest.raises(Unresolved, match="the archive has no files that count: every file has"):
            opened(path, name)
    opened(path, "max").close()  # as an empty folder


def test_g14_what_is_beside_the_folder_around_all_entries_is_counted(tmp_path: Path) -> None:
    path = str(tmp_path / "class.zip")
    with zipfile.ZipFile(path, "w") as file:
        for name in ("class/jane.zip", "__MACOSX/class/._jane.zip", ".DS_Store", "notes.txt"):
            file.writestr(name, b"x")
        info = zipfile.ZipInfo("x")
        info.filename = info.orig_filename = "../ada.zip"
        file.writestr(info, b"x")

    assert ledger_of([path], None, "").counts() == {"graded": 1, "unresolved": 1, "ignored": 3}


NAMES = ["ada.zip", "bén.zip", "cy/plan.json", "dan.zip"]


@pytest.mark.parametrize("which", range(len(NAMES)))
@pytest.mark.parametrize("at", [0, 1, 10, 28, 30, 32, 45])
def test_g14_one_damaged_record_of_the_directory_costs_one_entry(
    tmp_path: Path, which: int, at: int
) -> None:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name in NAMES:
            file.writestr(name, name.encode())
    data = bytearray(path.read_bytes())
    place = -1
    for _ in range(which + 1):
        place = data.index(b"PK\1\2", place + 1)
    data[place + at] ^= 0x15 if at != 45 else 0xFF
    path.write_bytes(bytes(data))

    found = {entry.name: entry.nature for entry in ZipCollection(str(path)).entries()}
    good = {name.partition("/")[0] for name in NAMES} - {NAMES[which].partition("/")[0]}

    assert {name: nature for name, nature in found.items() if name in good} == {
        name: FOLDER if name == "cy" else FILE for name in good
    }
    assert len(found) == len(NAMES)


def test_g14_a_damaged_record_is_named_and_left_to_a_person(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name in NAMES:
            file.writestr(name, name.encode())
    path.write_bytes(path.read_bytes().replace(b"PK\1\2", b"PK\1\3", 1))

    rows = {
        row.name: (row.disposition, row.reason) for row in ledger_of([str(path)], None, "").rows()
    }

    assert rows.pop("ada.zip") == (
        "unresolved",
        "is damaged in the list of files of the archive",
    )
    assert set(rows.values()) == {("graded", "")}
    assert (
        open_entry("zip", str(path), "cy", stamp_for("zip", str(path))).read("plan.json")
        == b"cy/plan.json"
    )


@pytest.mark.parametrize("around", ["", "class/"])
def test_h_the_list_of_a_class_takes_little_more_than_its_text(tmp_path: Path, around: str) -> None:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as file:
        for number in range(500):
            for name in ("plan", "worker-result", "git-result"):
                file.writestr(f"{around}Learner {number}/.pipeline/ISSUE-102/{name}.json", b"{}")
    tracemalloc.start()
    collection = ZipCollection(str(path))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len([*collection.entries()]) == 500
    assert held < 1_500 * 350
