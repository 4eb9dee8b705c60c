"""What export formats share: their interface, their files, and text that is safe in them."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import re
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from pipeline.files import writing_whole
from pipeline.terminal.display import visible
from verify.intake.table import FORMULA

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import TextIO

    from verify.gradebook.reading import Cohort

    Writer = Callable[[Cohort, str, "Settings"], None]
    Checker = Callable[[str, "Settings", Sequence[str]], None]

_LONGEST_CELL = 30_000  # characters; spreadsheets take 32,767
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_ADDRESS = "%/:?#[]@!$&()*+,;=~"  # characters that an address keeps as they are
_SAFE = re.compile("[a-z0-9][a-z0-9_-]{0,79}")
_UNSAFE = re.compile("[^a-z0-9_-]+")
_DEVICE = re.compile("(?:con|prn|aux|nul|com[0-9]|lpt[0-9])")  # Windows opens these as devices


class Settings(NamedTuple):
    """What a format gets besides where to write."""

    note: Callable[[str], None]  #: shows the instructor one line about what was written
    source: str = ""  #: the instructor's own file to fill in, empty for none
    titles: Mapping[str, str] = {}  #: of the platform's assignments, by the name of the exercise
    columns: Mapping[str, str] = {}  #: the same of other platforms; an empty name is of the total
    exported: dict[str, set[str]] | None = None  #: what exports wrote into the cells of such files
    overwrite: bool = False  #: whether other grades in these cells are replaced
    site: str = ""  #: where the pages of the course are on the web, empty for nowhere
    #: what a learner adds to `verify LEVEL/NN` to see the same, by the exercise or the assignment
    again: Mapping[str, str] = {}
    attention: Sequence[str] = ()  #: what a person has to look at besides submissions
    sources: Mapping[str, str] = {}  #: of the formats in a folder of results, by their names
    platforms: Collection[str] = ()  #: that the entries come from
    entries: Callable[[str], None] | None = None  #: writes the table of entries, if there is one


NO_SETTINGS = Settings(lambda _: None)


class Format(NamedTuple):
    """An export format: `--NAME TARGET` calls `write` with a cohort and the target."""

    name: str
    metavar: str  #: of the target
    help: str
    write: Writer  #: raises OSError if the target cannot be written, and leaves the old file then
    check: Checker | None = None  #: before anything is graded; raises `Unusable`
    folder: bool = False  #: whether it writes a folder of files
    single: str = ""  #: how the name of a target ends that is one file, for one learner
    in_place: bool = False  #: whether the target is also the file to fill in
    source: tuple[str, str] = ("", "")  #: the metavar and help of `--NAME-from`, if there is one
    needs_source: bool = False  #: whether there is nothing to write without it

    def is_folder(self, target: str) -> bool:
        """Return whether a target is a folder of files."""
        return self.folder and not (self.single and target.endswith(self.single))


@lru_cache(1_000)  # a page for each check
def link_of(page: str, site: str) -> str:
    """Return the address of a page such as `docs/reference/checks.md#f01-3`, empty for none.

    A `{page}` in the site's address is replaced by the path; else the path is below the address, as
    MkDocs writes it.
    """
    if page.startswith("https://"):
        return quote(page, safe=_ADDRESS)
    if not (site and page):
        return ""
    path, _, anchor = page.partition("#")
    if "{page}" in site:
        address = site.replace("{page}", quote(path))
    else:
        name = path.removeprefix("docs/").removesuffix(".md").removesuffix("index")
        address = "/".join((site.rstrip("/"), quote(name).rstrip("/"), ""))
    return f"{address}#{quote(anchor)}" if anchor else address


def command_of(exercise: str, again: str) -> str:
    """Return the command with which a learner sees the result of an exercise."""
    return f"python3 -m verify {exercise} {again}".rstrip()


@lru_cache(1_000)  # most cells of a large table are codes and titles of checks
def cell(text: str) -> str:
    r"""Return a text as one cell: on one line, without hidden characters, never a formula.

    Characters that cannot be seen are shown as `\u{…}`; a text that a spreadsheet would take for a
    formula gets an apostrophe before it, which spreadsheets read as "this is text". Numbers stay
    numbers. A text that already has such an apostrophe gets one more, so that removing one always
    gives the text back.
    """
    if _NUMBER.fullmatch(text):
        return text
    return FORMULA.sub(r"\1'", visible(text, _LONGEST_CELL))


def name_of(key: str, attempt: str = "") -> str:
    """Return the name that the file of a learner, or of an attempt, has, without an ending.

    A key of lower-case ASCII letters, digits, `_` and `-` is its own name. Any other key is made
    such a name and gets a digest behind a dot, which no key's own name has: names differ even where
    the file system ignores case or normalises Unicode. So does a key with an attempt.
    """
    if not attempt and _SAFE.fullmatch(key) and not _DEVICE.fullmatch(key):
        return key
    whole = f"{len(key)}:{key}{attempt}".encode("utf-8", "surrogatepass")
    digest = hashlib.sha256(whole).hexdigest()[:16]
    return f"{_UNSAFE.sub('-', key.lower())[:40].strip('-') or 'learner'}.{digest}"


@contextmanager
def text_file(path: str, *, synced: bool = True) -> Iterator[TextIO]:
    """Open a UTF-8 file as `writing_whole` does; line ends are written as they are given."""
    with writing_whole(path, synced=synced) as data:
        # a half character that a format lets through is escaped rather than losing the export
        text = io.TextIOWrapper(data, "utf-8", errors="backslashreplace", newline="")
        yield text
        text.flush()
        text.detach()


def write_each(folder: str, ending: str, texts: Iterable[tuple[str, str]]) -> None:
    """Write each learner's text to a file, and `files.csv`, which says whose file is which."""
    with csv_file(os.path.join(folder, "files.csv")) as listing:
        listing.writerow(("learner", "file"))
        for key, text in texts:
            path = f"{name_of(key)}{ending}"
            # many files: none is forced to the disk, because the gradebook has the same data
            with text_file(os.path.join(folder, path), synced=False) as file:
                file.write(text)
            listing.writerow((cell(key), path))


@contextmanager
def csv_file(path: str, delimiter: str = ",", *, marked: bool = False) -> Iterator[Any]:
    """Open a CSV file as RFC 4180 has it and yield its writer; `marked`: with a byte order mark."""
    with text_file(path) as file:
        if marked:
            file.write("\ufeff")
        # only with this line end does every Python quote a cell with a lone carriage return
        yield csv.writer(file, delimiter=delimiter, lineterminator="\r\n")
