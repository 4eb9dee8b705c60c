"""The only door to a submission's files: opens a folder or an archive, and finds its root."""

from __future__ import annotations

import os
import re
import stat
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import TYPE_CHECKING, Protocol

from pipeline.files import MISSING, OPEN_FLAGS, TOO_LARGE, Unreadable, unreadable
from pipeline.protocol.layout import is_issue_id
from pipeline.terminal.display import listed, named, visible
from verify.submissions.files import (
    MAX_FOLDER_ENTRIES,
    MAX_FOLDER_LEVELS,
    NoSubmission,
    Readable,
    Unresolved,
    folder_at,
    is_archive,
    is_debris,
    is_document,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from verify.submissions.files import Files
    from verify.submissions.history.history import History

    # the places of a level, a folder's with its slash: its names, None for anything else
    _Level = dict[str, list[str] | None]
    _Entered = Callable[[str, list[str]], list[str]]  # of a folder with these names

MAX_DOWN = 4  # folders around the root
MAX_SEARCHED = 20_000  # names that a search for the root or for an archive reads
MAX_NESTED = 2  # archives in one another
_ONE = "Submit the folder of one project, or one archive of it."
# Of the course's repository: none of them is a folder around a submission.
COURSE_FOLDERS = frozenset({"sandbox", "docs", "fixtures"})
_UNSEARCHED = frozenset({"node_modules"})
_VERSION = re.compile("Version ([1-9][0-9]{0,5})")  # as a platform keeps what is submitted again
_CLOSED = COURSE_FOLDERS | _UNSEARCHED
_MARKS = frozenset({".git", ".gitignore", ".pipeline"})  # only a project has one


class _TooMany(Unresolved):
    """There is more than is searched."""


class Submission(Readable, Protocol):
    """A submission's files by their paths relative to its root."""

    root: str

    def history(self) -> History | None:
        """Return the history in `.git` or in the bundle, None for neither; raises `Unreadable`."""


def open_content(path: str) -> Files:
    """Return the files of a folder or an archive that the user named.

    Raises `NoSubmission` if it does not exist or may not be read, `Unresolved` for anything else.
    """
    try:
        return folder_at(path)  # most are, and one call is enough
    except NoSubmission:
        if os.path.isdir(path):
            raise
    try:
        descriptor = os.open(path, OPEN_FLAGS)
    except (OSError, ValueError) as error:
        raise NoSubmission(str(unreadable(error))) from None
    name = os.path.basename(path)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Unresolved(f"{named(name)} is neither a folder nor a file")
    from verify.submissions.archives import open_archive  # most submissions are folders

    return open_archive(name, os.fdopen(descriptor, "rb"), path)


def open_folder(root: str) -> OpenSubmission:
    """Return the submission whose root is this folder; raises `NoSubmission`."""
    return OpenSubmission(folder_at(root), ())


class OpenSubmission(AbstractContextManager["OpenSubmission"]):
    """A submission whose root is looked for once something is read that is not at the top.

    The root is the outermost folder, at most four down, that holds one of the `paths`, or
    the folder of one. Where none does, the one archive, at most four down, is opened and searched.
    Else the root of a project, or of nothing at all, is the top, or the folder behind folders that
    have nothing beside them. Each read may raise `Unresolved`: the root is not clear, or what is
    there is no project.

    Once found, `place` is where it is: a folder's path with its slash, empty for the top. Without
    `archives` none is opened, and `left_closed` is whether one was met. Without `history` one that
    came with the submission is not read: it took more than it may.
    """

    def __init__(
        self, content: Files, paths: Sequence[str], *, history: bool = True, archives: bool = True
    ) -> None:
        self.root = content.root
        self.left_closed = False
        self.place: str | None = None if paths else ""
        self._files = content
        self._opened = [content]
        self._paths = paths
        self._reads_history, self._opens_archives = history, archives
        self._histories: list[History | None] = []

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, path: str) -> bytes:
        """Return the bytes of the regular file at a path; raises `Unreadable`."""
        if self.place is None and path in self._paths:
            with suppress(Unreadable):  # most have it at the top: one read is enough
                data = self._files.read(path)
                self.place = ""
                return data
        place = self.located()
        return self._files.read(place + path if place else path)

    def is_file(self, path: str) -> bool:
        """Return whether there is a regular file at the path, reached without a link."""
        place = self.located()  # which decides what the files are
        return self._files.is_file(place + path)

    def names(self, path: str) -> list[str]:
        """Return a folder's sorted entry names; raises `Unreadable`."""
        place = self.located()
        return self._files.names(place + path if path else place[:-1])

    def history(self) -> History | None:
        """Return the history at the root, else that at the top; raises `Unreadable`."""
        if not self._histories:
            from verify.submissions.history.history import history_of  # few exercises need it

            places = dict.fromkeys((self.located(), ""))
            if not self._reads_history:
                raise Unreadable(TOO_LARGE, "cannot be read within the limits")
            found = (history_of(self._files, place) for place in places)
            self._histories.append(
                next((history for history in found if history is not None), None)
            )
        return self._histories[0]

    def close(self) -> None:
        """Release what is open."""
        self._histories.clear()
        while self._opened:
            self._opened.pop().close()

    def located(self) -> str:
        """Return the root, relative to the files in which it is; raises `Unresolved`."""
        if self.place is None:
            self._files, self.place = self._search(self._files, MAX_NESTED)
        return self.place

    def _search(self, files: Files, nested: int) -> tuple[Files, str]:
        """Return the files that hold the root, an archive's perhaps, and where it is in them."""
        place = root_of(files, self._paths)
        if place is not None:
            return files, place
        place = _behind(files, self._paths)
        archive, is_project = _work_in(files, place, self._paths)
        self.left_closed = bool(archive) and not self._opens_archives
        if not archive or self.left_closed:
            return files, place
        self._opened.append(_nested(files, archive, nested))
        found = self._search(self._opened[-1], nested - 1)
        if is_project and root_of(found[0], self._paths) is None:
            what = f"neither the project nor {named(archive)} in it has {self._paths[0]}"
            raise Unresolved(f"{what}, so it is unclear which one counts", _ONE)
        return found


def root_of(files: Files, paths: Sequence[str]) -> str | None:
    """Return the outermost folder that holds one of the paths, None where there is none.

    The folder is a path with its slash, empty for the top. Raises `Unresolved` if two folders,
    equally deep, hold one, or only one that is too deep does, or there are too many to search.
    """
    folders = (path.rpartition("/")[0] for path in paths)
    looked_for = dict.fromkeys([*paths, *filter(None, folders)])
    first = {path.partition("/")[0] for path in looked_for}
    for down, level in enumerate(_levels(files, [""], lambda _, names: _open(names, _CLOSED))):
        near = [at for at, names in level.items() if not first.isdisjoint(names or ())]
        found = [at for at in near if any(_is_there(files, at + path) for path in looked_for)]
        if len(found) > 1:
            several = f"there are {len(found)} projects: {listed([p[:-1] for p in found])}"
            raise Unresolved(several, _ONE)
        if found and down > MAX_DOWN:
            deep = f"the project is at {visible(found[0][:-1], 300)}, more than {MAX_DOWN} folders"
            raise Unresolved(f"{deep} deep", _ONE)
        if found:
            return found[0]
    return None


def _levels(files: Files, tops: Sequence[str], entered: _Entered) -> Iterator[_Level]:
    """Yield what is at some places and below, level by level; raises `_TooMany`.

    `entered` returns which of the names in a folder are searched.
    """
    level, left = tops, MAX_SEARCHED
    while level:
        found: _Level = {}
        for at in level:
            found[at] = names = _names(files, at, left + 1)
            left -= len(names) + at.count("/") if names else 0  # a deep one takes long
            if left < 0 or at.count("/") > MAX_FOLDER_LEVELS:
                what = f"there are more than {MAX_SEARCHED:,} files and folders"
                raise _TooMany(f"{what}, or {MAX_FOLDER_LEVELS} folders in one another", _ONE)
        yield found
        level = [f"{at}{name}/" for at, names in found.items() for name in entered(at, names or [])]


def _work_in(files: Files, place: str, paths: Sequence[str]) -> tuple[str, bool]:
    """Return the one archive, empty for none, and whether the other files are work.

    They are if there is a project or an artifact in a wrong place. Raises `Unresolved` if there are
    several archives, an archive or artifact where none belongs, or only files that are no project.
    """
    if all(_is_there(files, place + name) for name in ("HEAD", "objects", "refs")):
        what = f"{named(place[:-1]) if place else 'the submission'} is a bare git repository"
        raise Unresolved(what, "Clone it without --bare, and submit the clone.")
    archives, rest, closed, is_project = _looked_through(files, len(place))
    is_stray = _strays(files, place, paths)
    strays = list(filter(is_stray, rest))
    if len(archives) > 1:
        several = f"there are {len(archives)} archives: {listed(archives)}"
        raise Unresolved(several, "Submit one archive, or the folder of the project.")
    if archives:
        return archives[0], is_project or bool(strays)
    step = f"Submit the project's folder, or an archive of it, with {paths[0]}."
    if hidden := list(_closed_work(files, closed, is_stray, is_project=is_project)):
        raise Unresolved(f"{paths[0]} is missing, but there is {listed(strays + hidden)}", step)
    if rest and not is_project:
        raise Unresolved(f"there is no project, only {listed(rest)}", step)
    if strays:
        raise Unresolved(f"{paths[0]} is missing, but there is {listed(strays)}", step)
    return "", is_project


def _looked_through(files: Files, around: int) -> tuple[list[str], list[str], list[str], bool]:
    """Return the archives, the other files, what is not searched, and whether there is a project.

    A project has git's files or artifacts, or a folder with more than documents in it. The first
    characters of a path are the folders `around` all the files.
    """
    archives: list[str] = []
    files_apart: list[str] = []
    closed: list[str] = []
    is_project = False
    for level in _levels(files, [""], lambda _, names: _open(names, _UNSEARCHED)):
        for at, names in level.items():
            path, name = at[:-1], at[:-1].rpartition("/")[2]
            if names is not None:
                is_project = is_project or not _MARKS.isdisjoint(names)
                closed += (f"{at}{name}/" for name in names if not _open([name], _UNSEARCHED))
            elif is_archive(name, _head(files, path)):
                archives.append(path)
            elif files.is_file(path):
                files_apart.append(path)
                is_project = is_project or ("/" in path[around:] and not is_document(name))
    return archives, files_apart, closed, is_project


def _strays(files: Files, place: str, paths: Sequence[str]) -> Callable[[str], bool]:
    """Return a function that says whether a file is an artifact in a wrong place.

    Those in another issue's folder belong to that issue. If the whole project is there, one at
    its other root (the project's, or the target's) is in a place that the course grades.
    """
    names = [path.rpartition("/")[2][: -len(".json")] for path in paths if path.endswith(".json")]
    stems = "|".join(map(re.escape, names)) or "(?!)"
    alike = rf"(?:.*[-_. (])?(?:{stems})(?:[-_ (][^.]*)?\.json(?:\.txt)?"
    issues = {path.split("/")[-2] for path in paths}
    lost, graded = set(), set()
    for path in paths:
        target, _, hidden = path.rpartition("/.")
        if target and _is_folder(files, f"{place}{target}/"):
            graded.add(f"{place}.{hidden}")
        elif target:
            lost.add(f"{place}.{hidden}")
        else:
            graded.add(f"{place}sandbox/{path}")

    def is_stray(path: str) -> bool:
        *above, name = path.split("/")
        is_others = is_issue_id("".join(above[-1:])) and above[-1] not in issues
        if path in graded or is_others or is_debris(name) or "fixtures" in above:
            return False
        return path in lost or re.fullmatch(alike, name, re.IGNORECASE | re.DOTALL) is not None

    return is_stray


def _closed_work(
    files: Files, closed: Sequence[str], is_stray: Callable[[str], bool], *, is_project: bool
) -> Iterator[str]:
    """Yield archives and artifacts in what is not searched, such as hidden folders.

    In a project those of installed packages are not work.
    """

    def entered(at: str, names: list[str]) -> list[str]:
        is_installed = "package.json" in names and "node_modules/" in at
        return [] if is_project and (is_installed or "pyvenv.cfg" in names) else names

    with suppress(_TooMany):
        for level in _levels(files, closed, entered):
            for path in (at[:-1] for at, names in level.items() if names is None):
                name = path.rpartition("/")[2]
                name = "" if is_debris(name) else name  # macOS adds ._work.zip, and it is none
                if is_stray(path) or is_archive(name, _head(files, path)):
                    yield path


def _head(files: Files, path: str) -> bytes:
    with suppress(Unreadable):
        return files.head(path)
    return b""


def _is_there(files: Files, path: str) -> bool:
    """Return whether there is anything at a path: a file, a folder, what may not be read."""
    try:
        files.read(path, 0)
    except Unreadable as error:
        return error.reason != MISSING
    return True


def _names(files: Files, place: str, most: int = MAX_FOLDER_ENTRIES) -> list[str] | None:
    """Return the names in a folder, None for anything else."""
    with suppress(Unreadable):
        return None if place and files.is_file(place[:-1]) else files.names(place[:-1], most)
    return None


def _open(names: Iterable[str], closed: Collection[str]) -> list[str]:
    """Return the names that are searched: no hidden ones, no debris, of versions the newest."""
    found = [n for n in names if not (n.startswith(".") or n in closed or is_debris(n))]
    versions = [int(version[1]) for version in map(_VERSION.fullmatch, found) if version]
    return [f"Version {max(versions)}"] if versions and len(versions) == len(found) else found


def _behind(files: Files, paths: Sequence[str]) -> str:
    """Return the folder behind those that have nothing beside them, empty for the top.

    A folder with a name from the paths belongs to them: it is misplaced, and not around the root.
    """
    place, closed = "", _CLOSED.union(*(path.split("/") for path in paths))
    for _ in range(MAX_DOWN):
        names = _open(_names(files, place) or (), ())
        if len(names) != 1 or names[0] in closed or not _is_folder(files, f"{place}{names[0]}/"):
            break
        place += f"{names[0]}/"
    return place


def _is_folder(files: Files, place: str) -> bool:
    with suppress(Unreadable):
        files.names(place[:-1], 1)
        return True
    return False


def _nested(files: Files, path: str, nested: int) -> Files:
    """Open an archive that is a file of a submission; raises `Unresolved`."""
    from verify.submissions.archives import open_nested

    if not nested:
        deep = f"is nested too deeply (at most {MAX_NESTED} levels)"
        raise Unresolved(f"{named(path)} {deep}", _ONE)
    if path.count("/") > MAX_DOWN:
        raise Unresolved(f"{named(path)} is more than {MAX_DOWN} folders deep", _ONE)
    return open_nested(path, partial(files.stream, path), files.root)
