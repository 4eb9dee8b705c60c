"""What an instructor downloaded: a folder or one zip, its entries, and how to open each of them."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.files import FILE, FOLDER, nature_of, read_file, unreadable
from pipeline.terminal.display import spell_unseen, visible
from verify.intake.table import Unusable
from verify.submissions.files import is_debris

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_METADATA = 32 << 20  # bytes of a platform's own file: it may include an autograder's output
# natures of what a zip has at the top: a person has to look
UNUSABLE = "at a path that cannot be used (such as ../x or C:x)"
DAMAGED = "damaged in the list of files of the archive"
REFUSED = frozenset({UNUSABLE, DAMAGED})
_BYTE = re.compile(rb"\\x([0-9a-f]{2})")
_ENDS = re.compile(r"^\s+|\s+$")  # a table is read without them

Stamp = tuple[int, ...]  # changes when another file takes its place; may be empty


class Entry(NamedTuple):
    """One item of a collection; only a manifest says whose it is, which attempt, and when."""

    name: str  #: as text, see `safe_name`
    nature: str  #: `FOLDER`, `FILE`, or in words what else it is (a link, a named pipe)
    place: str = ""  #: where it is, as `open_entry` takes it, if not its name
    learner: str = ""
    attempt: str = ""  #: a label, as in a `ParsedName`
    submitted: str = ""


class Collection:
    """The interface: `kind` and `container` are enough to open an entry elsewhere.

    `container` is an absolute path or an address, `title` the name of the folder or zip with the
    entries. Only a zip has a `stamp`: of others it is not known whether they were replaced.
    """

    kind: str
    container: str
    title: str = ""
    stamp: Stamp = ()

    def entries(self) -> Iterator[Entry]:
        """Yield the entries, none of them opened; raises `Unusable`."""
        raise NotImplementedError

    def metadata(self, name: str) -> bytes | None:  # noqa: ARG002  # the interface's
        """Return the bytes of a platform's own file or None; raises `Unreadable`, `OSError`."""
        return None


def safe_name(name: str) -> str:
    r"""Return a file name as one line of text, with bytes that are not UTF-8 as `\xff`."""
    name = name.replace("\\x", r"\x5cx").replace("\n", r"\x0a")
    try:
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half a character, as Windows allows it
        return name.encode("utf-8", "surrogatepass").decode("utf-8", "backslashreplace")


def raw_name(text: str) -> str:
    """Return the file name from which `safe_name` made a text."""
    return os.fsdecode(_BYTE.sub(lambda byte: bytes([int(byte[1], 16)]), text.encode()))


def table_name(text: str) -> str:
    r"""Return a text of `safe_name` as a table has it, with all that nobody sees there as `\xff`.

    No two names have the same; `entry_name` gives the text back.
    """
    return _ENDS.sub(lambda ends: _as_bytes(ends[0]), spell_unseen(text, _as_bytes))


def entry_name(text: str) -> str:
    """Return the text of `safe_name` that a table, or a person, means."""
    return safe_name(raw_name(text))


def _as_bytes(text: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


def container_at(text: str) -> str:
    """Return the container of the collection at a path, or at an address with `://`."""
    return text.rstrip("/") if "://" in text else os.path.abspath(text)


def ignored(name: str) -> str:
    """Return why an entry is ignored because of its name, empty if it is not."""
    if is_debris(name):
        return "was added by the operating system"
    return "has a hidden name" if name.startswith(".") else ""


class FolderCollection(Collection):
    """The entries directly in a folder; links among them are never followed."""

    kind = "folder"

    def __init__(self, path: str) -> None:
        self.container = container_at(path)
        self.title = os.path.basename(self.container)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries; raises `Unusable`."""
        try:
            with os.scandir(self.container) as found:
                yield from (Entry(safe_name(item.name), _nature(item)) for item in found)
        except OSError as error:
            raise Unusable(f"{visible(self.container, 300)} {unreadable(error)}") from None

    def metadata(self, name: str) -> bytes | None:
        """Return the bytes of a file among the entries; raises `Unreadable`."""
        return read_file(os.path.join(self.container, name), MAX_METADATA, follow=False)


def _nature(entry: os.DirEntry[str]) -> str:
    """Return what an entry is; the list of a folder usually knows without another call."""
    if entry.is_dir(follow_symlinks=False):
        return FOLDER
    is_file = entry.is_file(follow_symlinks=False)
    return FILE if is_file else nature_of(entry.stat(follow_symlinks=False).st_mode)
