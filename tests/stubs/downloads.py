"""Collections as platforms hand them out, small enough to make thousands of."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import ROOT
from tests.stubs.archives import zip_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

EXERCISE = "practitioner/02"
_PLAN = "sandbox/.pipeline/ISSUE-201/plan.json"
_FIXTURES = os.path.join(ROOT, "fixtures", "submissions", "practitioner", "02-delegate")

# key, full name, number at the platform, login at GitHub, address: some look like others
LEARNERS = {
    "jane": ("Jane Doe", "20001", "jdoe", "jane@x.org"),
    "doe": ("Max Mustermann", "10001", "max-m", "max@x.org"),
    "ann-doe": ("Ann-Marie Doe", "30003", "doe-a", "ann@x.org"),
    "10002": ("Zoë Müller", "40004", "zoe", "zoe@x.org"),
    "li": ("李 伟", "50005", "liwei", "li@x.org"),
    "sandbox": ("Omar الفاسي", "60006", "omar", "omar@x.org"),
}
ROSTER = "id,name,github,email\n" + "".join(
    f"{key},{name},{github},{email}\n" for key, (name, _, github, email) in LEARNERS.items()
)


def _plan(fixture: str) -> bytes:
    with open(os.path.join(_FIXTURES, fixture, *_PLAN.split("/")), "rb") as file:
        return file.read()


# what a learner may have made: the files of the project's folder
CONTENTS: dict[str, dict[str, bytes]] = {
    "solved": {_PLAN: _plan("solved")},
    "broken": {_PLAN: b'{"affected_files": []}'},
    "wrapped": {f"project/{_PLAN}": _plan("solved")},
    "empty": {"README.md": b"nothing yet"},
    "two": {f"a/{_PLAN}": _plan("solved"), f"b/{_PLAN}": _plan("solved")},
}
# how a platform names an archive or a folder of a learner: the name ends with / for a folder
FORMS: dict[str, Callable[[str], str]] = {
    "plain folder": lambda key: f"{key}/",
    "plain zip": lambda key: f"{key}.zip",
    "name": lambda key: f"{LEARNERS[key][0]}/",
    "address": lambda key: f"{LEARNERS[key][3]}.zip",
    "canvas": lambda key: f"{_sortable(key)}_{LEARNERS[key][1]}_77_work.zip",
    "canvas late": lambda key: f"{_sortable(key)}_LATE_{LEARNERS[key][1]}_77_work.zip",
    "moodle": lambda key: f"{LEARNERS[key][0]}_{LEARNERS[key][1]}_assignsubmission_file_/",
    "blackboard": lambda key: f"gradebook_C1_HW_{key}_attempt_2026-03-01-10-00-00_work.zip",
}
_AT = "attempt_2026-03-01-10-00-00"
# a stranger's entry (9001 is the number, Eve Roe the name), whose account, group or file is called
# so that it looks like a learner's: nobody on the roster has it
HOSTILE: dict[str, Callable[[str], str]] = {
    "moodle account": lambda key: f"{_moodle(key)}_9001_assignsubmission_file_w.zip",
    "moodle account, folder": lambda key: f"{_moodle(key)}_9001_assignsubmission_file_/",
    "moodle file": lambda key: f"Eve Roe_9001_assignsubmission_file_{_moodle(key)}_.zip",
    "moodle group": lambda key: f"Default group_assignsubmission_file_{_moodle(key)}_w.zip",
    "moodle group's name": lambda key: (
        f"Team {LEARNERS[key][0]}_{LEARNERS[key][1]}_assignsubmission_file/"
    ),
    "canvas account": lambda key: f"{_sortable(key)}_{LEARNERS[key][1]}_9001_1_w.zip",
    "canvas file": lambda key: f"_9001_55_gradebook_C1_HW_{key}_{_AT}_x.zip",
    "canvas file for moodle": lambda key: f"roeeve_9001_55_{_moodle(key)}_x.zip",
    "blackboard account": lambda key: f"gradebook_C1_HW_una_{key}_{_AT}_x.zip",
    "blackboard file": lambda key: f"gradebook_C1_HW_eve_{_AT}_{_moodle(key)}_x.zip",
    "github account": lambda key: f"hw1-una-{LEARNERS[key][2]}/",
    "github account alone": lambda key: f"una-{LEARNERS[key][2]}.zip",
    "reversed": lambda key: f"{' '.join(reversed(LEARNERS[key][0].split(' ')))}/",
    "no blanks": lambda key: f"{LEARNERS[key][0].replace(' ', '')}.zip",
    "hidden letter": lambda key: f"{key}\u200b/",
    "path": lambda key: f"..{key}/",
}
# what else may be in a folder: made at a path
_CUT = b"PK\3\4 cut short"
NOISE: dict[str, Callable[[str], None]] = {
    "empty file": lambda folder: _write(folder, "x.zip", b""),
    "cut archive": lambda folder: _write(folder, "y.zip", _CUT),
    "a learner's cut archive": lambda folder: _write(folder, "jane.zip", _CUT),
    "bundle": lambda folder: _write(folder, "z.bundle", b"# v2 git bundle\n"),
    "named pipe": lambda folder: os.mkfifo(os.path.join(folder, "pipe")),
    "link": lambda folder: os.symlink("/etc", os.path.join(folder, "link")),
    "no UTF-8": lambda folder: os.mkdir(os.path.join(os.fsencode(folder), b"caf\xe9")),
    ".git": lambda folder: _write(folder, ".git/HEAD", b"ref: refs/heads/main\n"),
    "HEAD": lambda folder: _write(folder, "HEAD", b"ref: refs/heads/main\n"),
    "objects": lambda folder: os.mkdir(os.path.join(folder, "objects")),
    "refs": lambda folder: os.mkdir(os.path.join(folder, "refs")),
    "package.json": lambda folder: _write(folder, "package.json", b"{}"),
    "AGENTS.md": lambda folder: _write(folder, "AGENTS.md", b"# Agents"),
    ".pipeline": lambda folder: _write(folder, ".pipeline/ISSUE-1/plan.json", b"{}"),
    "another platform's": lambda folder: _write(folder, "roejo_4_5_x.zip", _CUT),
    "Moodle's": lambda folder: os.mkdir(os.path.join(folder, "Jo Roe_4_assignsubmission_file_")),
    "look-alike": lambda folder: _write(folder, f"janedoe/{_PLAN}", b"{}"),
    "letter case": lambda folder: _write(folder, f"JANE/{_PLAN}", b"{}"),
    "metadata": lambda folder: _write(folder, "__MACOSX/._jane", b"x"),
    "a long name": lambda folder: os.mkdir(os.path.join(folder, "x" * 250)),
}


class Made(NamedTuple):
    """An entry: a learner, and names of `FORMS` or `HOSTILE`, and of `CONTENTS`."""

    learner: str
    form: str
    content: str

    @property
    def path(self) -> str:
        """Return the entry's name, with a slash for a folder."""
        return (FORMS | HOSTILE)[self.form](self.learner)

    @property
    def name(self) -> str:
        """Return the entry's name, without the slash of a folder."""
        return self.path.rstrip("/")

    @property
    def owner(self) -> str:
        """Return the key of the learner whose entry it is, empty for a stranger's."""
        return "" if self.form in HOSTILE else self.learner


def make(folder: str, entries: Iterable[Made], noise: Iterable[str] = ()) -> None:
    """Make a collection in an empty folder."""
    for one in entries:
        files = CONTENTS[one.content]
        name = one.path
        if not name.endswith("/"):
            _write(folder, name, zipped(files))
            continue
        for path, data in files.items():
            _write(folder, f"{name}{path}", data)
    for each in noise:
        NOISE[each](folder)


def zipped(files: dict[str, bytes]) -> bytes:
    """Return a zip of files by their paths."""
    return zip_bytes(*files.items())


def zip_of(folder: str, path: str) -> None:
    """Write a zip of what is in a folder; links and pipes are left out, as zipping leaves them."""
    with zipfile.ZipFile(path, "w") as archive:
        for at, folders, names in os.walk(folder):
            for name in sorted([*names, *(f"{each}/" for each in folders)]):
                place = os.path.join(at, name)
                if os.path.islink(place) or not (os.path.isfile(place) or os.path.isdir(place)):
                    continue
                inner = os.path.relpath(place, folder) + "/" * name.endswith("/")
                data = b"" if name.endswith("/") else Path(place).read_bytes()
                archive.writestr(inner.encode("utf-8", "replace").decode(), data)


def emptied(folder: str) -> None:
    """Remove everything in a folder."""
    shutil.rmtree(folder)
    os.mkdir(folder)


def _moodle(key: str) -> str:
    return f"{LEARNERS[key][0]}_{LEARNERS[key][1]}_assignsubmission_file"


def _sortable(key: str) -> str:
    """Return a name as Canvas writes it: last name first, letters only, in lower case."""
    first, last = LEARNERS[key][0].split(" ")
    return "".join(filter(str.isalnum, f"{last}{first}".lower()))


def _write(folder: str, name: str, data: bytes) -> None:
    path = os.path.join(folder, *name.split("/"))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
