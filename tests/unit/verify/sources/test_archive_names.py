"""Names in archives: noise, archives, and names that no file system would have."""

from __future__ import annotations

from verify.sources.archive_limits import MAX_NAME
from verify.sources.archive_names import (
    archive_suffix,
    clean_rest,
    is_noise,
    member_path,
    own_path,
)

SUFFIXES = {
    "a.zip": ".zip",
    "a.b.TAR.GZ": ".tar.gz",
    "a.tgz": ".tgz",
    "a.tar.zst": ".tar.zst",
    "a.rar": ".rar",
    "a.gz": "",
    "zip": "",
    "a.zip.txt": "",
    "a.zip\n": "",
}


def test_an_archive_is_named_by_its_suffix() -> None:
    assert {name: archive_suffix(name) for name in SUFFIXES} == SUFFIXES


def test_noise_is_what_systems_leave_behind() -> None:
    names = ["__MACOSX", "._a", ".DS_Store", ".pipeline", "MACOSX", "_a"]

    assert [is_noise(name) for name in names] == [True, True, True, False, False, False]


PATHS = {
    "a/b": "a/b",
    "a/": "a",
    "./a/b": "a/b",
    "././a": "a",
    "ab:c/d": "ab:c/d",
    "a/..b/c..": "a/..b/c..",
    "n" * MAX_NAME: "n" * MAX_NAME,
    "": "",
    "./": "",
    "/": "",
    "/a": "",
    "a//b": "",
    "a/./b": "",
    "a/../b": "",
    "..": "",
    "a\\b": "",
    "a\0b": "",
    "c:/a": "",
    "a:b/c": "",
    "n" * (MAX_NAME + 1): "",
    "a/" * 67 + "b": "a/" * 67 + "b",
    "a/" * 68 + "b": "",
}


def test_a_path_is_one_that_a_folder_may_have() -> None:
    below = {name: path for name, path in PATHS.items() if not name.startswith("./")}

    assert {name: own_path(name) for name in PATHS} == PATHS
    assert {name: clean_rest(name.encode()) for name in below} == below


def test_noise_has_no_path_in_a_submission() -> None:
    names = ["a/._b", "a/.DS_Store", "__MACOSX/a", "a/__MACOSX", "a/b"]

    assert [member_path(name) for name in names] == ["", "", "", "", "a/b"]
    assert [clean_rest(name) for name in (b"a/._b", b"a/b", b"\xff")] == ["", "a/b", "\u00a0"]
