"""One submission has one outcome, however it is packed and whichever platform it comes from."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stubs.archives import tar_bytes, zip_bytes
from tests.stubs.downloads import CONTENTS, FORMS, LEARNERS, ROSTER, emptied, zip_of
from tests.stubs.intake import Result, seen_in
from verify.intake.platforms.gradescope import Gradescope
from verify.intake.roster import read_roster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.intake.roster import Roster

Tree = dict[str, bytes]

_NAME = LEARNERS["jane"][0]
# where each platform puts what a learner submitted; `{}` is the name of a single file
_FILES = {
    "canvas": "doejane_20001_77_{}",
    "blackboard": "gradebook_C1_HW_jane_attempt_2026-03-01-10-00-00_{}",
    "moodle without folders": f"{_NAME}_20001_assignsubmission_file_{{}}",
}
_FOLDERS = {
    "plain": "jane/",
    "moodle": FORMS["moodle"]("jane"),
    "gradescope": "submission_1/",
    "brightspace": f"12-345 - {_NAME} - Jan 5, 2026 1136 AM/",
    "classroom": "plan-1-jdoe/",
}
_ROSTERS = {  # those of a platform that names its own accounts
    "canvas": f"Student,ID,SIS User ID\n{_NAME},20001,jane\n",
    "classroom": "identifier,github_username\njane,jdoe\n",
}
PLATFORMS = (*_FILES, *_FOLDERS)
_METADATA = f"submission_1:\n  :submitters:\n  - :name: {_NAME}\n    :sid: jane\n"
_PACKED = {  # names as learners, browsers and systems make them; an archive is known by its content
    "p.zip": lambda tree: zip_bytes(*tree.items()),
    "p.zip.crdownload": lambda tree: zip_bytes(*tree.items(), stored=True),
    "عملي": lambda tree: zip_bytes(*tree.items()),
    "work.pdf": lambda tree: zip_bytes(*tree.items()),
    "p.rar": lambda tree: tar_bytes(*tree.items()),
    "p.tar.gz": lambda tree: tar_bytes(*tree.items(), packed="gz"),
    "x.gz": lambda tree: tar_bytes(*tree.items(), packed="gz"),
    "p.tgz (1)": lambda tree: tar_bytes(*tree.items(), packed="xz"),
    "p.zip.bz2": lambda tree: tar_bytes(*tree.items(), packed="bz2"),
}
_BESIDE: Tree = {  # what is no work: a system, a platform or a learner adds it
    "__MACOSX/._p.zip": b"x",
    ".DS_Store": b"x",
    "Thumbs.db": b"x",
    "desktop.ini": b"x",
    "README": b"Hello",
    "readme.md": b"# Hello",
    "timestamp.txt": b"20260301",
    "report.pdf": b"%PDF-1.7",
    "report.docx": zip_bytes(("word/document.xml", b"<x/>")),
    "Moodle.url": b"[InternetShortcut]",
    "index.html": b"<p>see the archive</p>",
}
_AROUND = ("v1", "Submission attachment(s)", "مشروع", "my project")


class Packing(NamedTuple):
    """Folders around what is submitted, the files beside it there, and the archive of it all."""

    around: list[str]
    beside: list[str]
    archive: str


PACKINGS = st.builds(
    Packing,
    st.lists(st.sampled_from(_AROUND), max_size=4),
    st.lists(st.sampled_from(sorted(_BESIDE)), max_size=4, unique=True),
    st.sampled_from(sorted(_PACKED)),
)


def packed(tree: Tree, packings: list[Packing]) -> Tree:
    """Return the files of a submission in archives, folders and company."""
    for around, beside, archive in reversed(packings):
        tree = {archive: _PACKED[archive](tree)}
        tree |= {name: _BESIDE[name] for name in beside}
        tree = {"/".join([*around, path]): data for path, data in tree.items()}
    return tree


class Place:
    """A folder for one collection after the other, and the roster."""

    def __init__(self, above: str) -> None:
        self.above, self.zip = os.path.join(above, "download"), os.path.join(above, "s.zip")
        self.folder = os.path.join(self.above, "plan-1-submissions")
        os.makedirs(self.folder)
        self.rosters: dict[str, Roster] = {}
        for platform in PLATFORMS:
            path = Path(above, f"{platform}.csv")
            path.write_text(_ROSTERS.get(platform, ROSTER), encoding="utf-8")
            self.rosters[platform] = read_roster(str(path))

    def graded(self, platform: str, tree: Tree, *, zipped: bool) -> Result:
        """Return Jane's result if a platform has these files of hers."""
        emptied(self.folder)
        if platform in _FILES and any("/" in path for path in tree):  # it takes single files
            tree = {"all.zip": zip_bytes(*tree.items())}
        for path, data in tree.items():
            name = (
                _FILES[platform].format(path) if platform in _FILES else _FOLDERS[platform] + path
            )
            self._write(name, data)
        if platform in _FOLDERS:
            Path(self.folder, _FOLDERS[platform]).mkdir(exist_ok=True)
        if platform == "gradescope":
            self._write(Gradescope.metadata, _METADATA.encode())
        if zipped:
            zip_of(self.above, self.zip)  # as most platforms do, with a folder around it all
        seen = seen_in(self.zip if zipped else self.folder, self.rosters[platform])
        [result] = seen.results.values()
        return result

    def _write(self, name: str, data: bytes) -> None:
        path = Path(self.folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory() as above:
        yield Place(above)


@given(
    packings=st.lists(PACKINGS, max_size=2),
    platform=st.sampled_from(PLATFORMS),
    zipped=st.booleans(),
)
def test_g3_solved_work_passes_on_every_platform_whatever_it_is_packed_in(
    place: Place,
    packings: list[Packing],
    platform: str,
    zipped: bool,  # noqa: FBT001  # hypothesis names it
) -> None:
    if platform in _FILES:  # its download is an archive already
        packings = packings[:1]
    tree = packed(CONTENTS["solved"], packings)

    found = place.graded(platform, tree, zipped=zipped)
    assert (found.outcome, found.findings) == ("pass", ())


_WORK = zip_bytes(*CONTENTS["solved"].items())
NOT_WORK: dict[str, Tree] = {
    "a PDF": {"report.pdf": b"%PDF-1.7"},
    "a DOCX": {"report.docx": zip_bytes(("word/document.xml", b"<x/>"))},
    "a link": {"Repository.url": b"[InternetShortcut]"},
    "loose JSON": {"plan.json": b"{}"},
    "a README": {"README.md": b"# Plan"},
    "text": {"onlinetext.html": b"<p>I am done</p>"},
    "several of them": {"report.pdf": b"%PDF-1.7", "plan.json": b"{}", "a.png": b"\x89PNG"},
    "two archives": {"a.zip": _WORK, "b.zip": _WORK},
    "two versions": {"p.zip": _WORK, "p (1).zip": _WORK},
    "an archive that is not read": {"p.7z": b"7z\xbc\xaf\x27\x1c"},
    "a cut archive": {"p.zip.crdownload": _WORK[:60]},
    "an empty archive": {"p.zip": zip_bytes()},
    "a zip of a PDF": {"p.zip": zip_bytes(("report.pdf", b"%PDF-1.7"))},
    "a zip of text and folders": {"p.zip": zip_bytes(("a/x.pdf", b"%PDF"), ("b/y.txt", b"y"))},
}


@pytest.mark.parametrize("what", NOT_WORK)
def test_g6_what_is_no_project_is_unresolved_on_every_platform(place: Place, what: str) -> None:
    found = {
        (platform, zipped): place.graded(platform, NOT_WORK[what], zipped=zipped)
        for platform in PLATFORMS
        for zipped in (False, True)
    }

    assert {key: (one.outcome, one.score) for key, one in found.items()} == dict.fromkeys(
        found, ("unresolved", None)
    )
    assert all(one.findings[0] for one in found.values())


CLONES: dict[str, Tree] = {
    "nothing": {},
    "debris": {".DS_Store": b"x"},
    "a clone": {".git/HEAD": b"ref: refs/heads/main\n", "report.pdf": b"%PDF-1.7"},
    "code": {"README.md": b"# Plan", "src/app.js": b"let x\n", "package.json": b"{}"},
    "packages": {
        "src/app.js": b"let x\n",
        "node_modules/a/package.json": b"{}",
        "node_modules/a/a.tgz": tar_bytes(("x", b"x")),
    },
    "the other exercise": {"sandbox/.pipeline/ISSUE-101/plan.json": b"{}"},
}


@pytest.mark.parametrize("what", CLONES)
def test_g6_a_clone_without_work_fails_on_every_platform(place: Place, what: str) -> None:
    platforms = _FOLDERS if len(CLONES[what]) < 2 else PLATFORMS
    found = {platform: place.graded(platform, CLONES[what], zipped=False) for platform in platforms}

    message = "plan.json is missing no such file"
    if what == "the other exercise":
        names = "foundation/01, foundation/02, foundation/03"
        message += f", but sandbox/.pipeline/ISSUE-101/ is there, of {names}"
    assert {key: (one.outcome, one.score, one.findings) for key, one in found.items()} == (
        dict.fromkeys(platforms, ("fail", 0, (message,)))
    )
