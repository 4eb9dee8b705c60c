"""Which kind of source a path or an address is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.display import visible
from verify.sources.base import BARE, UnusableSource, is_bare, one_submission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.sources.base import Source

_EXPECTED = (
    "expected a folder of submissions, a .zip of them, a manifest .csv, "
    "or an address such as s3://bucket/folder"
)


_ARTIFACTS = ".pipeline"  # stands in a learner's project, never beside the learners
# at the top of a project, never beside the learners
_PROJECT = (".claude", ".cursor", ".github", "AGENTS.md", "package.json", "pyproject.toml")


def source_of(text: str, *, naming: str = "") -> Source:
    """Return the source that a path or an address stands for.

    Args:
        text: a path, or an address with `://`.
        naming: the rule that names of submissions follow (`naming.NAMINGS`), empty to find out.

    Raises:
        UnusableSource: there is nothing, or nothing that can be read.
    """
    if "://" in text:
        from verify.sources.remote import RemoteSource

        return RemoteSource(text, naming)
    if os.path.isdir(text):
        return _of_folder(text, naming)
    if os.path.isfile(text):
        return _of_file(text, naming)
    told = "does not exist" if not os.path.lexists(text) else "is neither a file nor a folder"
    raise UnusableSource(f"{visible(text, 300)} {told}: {_EXPECTED}")


def _of_folder(path: str, naming: str) -> Source:
    from verify.sources.archive_names import archive_suffix
    from verify.sources.container_folder import ArchivesSource, listed
    from verify.sources.naming import PLAIN, recognised

    above = os.path.basename(os.path.abspath(path))
    archives = folders = False

    def tops() -> Iterator[tuple[str, bool]]:
        """Yield the names as they come, which takes no memory: there may be a million."""
        nonlocal archives, folders
        for name, is_folder in listed(os.path.abspath(path)):
            folders = folders or is_folder
            archives = archives or (not is_folder and bool(archive_suffix(name)))
            yield name, not is_folder

    rule = recognised(tops(), above, naming)
    if rule.name != PLAIN or archives:
        return ArchivesSource(path, naming)
    _refuse_submission(path, naming)
    if not folders:
        raise UnusableSource(f"{visible(path, 300)} holds no submission: {_EXPECTED}")
    from verify.sources.folder import FolderSource

    return FolderSource(path)


def _refuse_submission(path: str, naming: str) -> None:
    """Refuse a submission in place of the folder around it: its folders would be learners."""
    if os.path.isdir(os.path.join(path, _ARTIFACTS)):
        told = f"{visible(path, 300)} is one submission: it has a folder {_ARTIFACTS} of its own"
        raise UnusableSource(f"{told}; name the folder around it, or a manifest .csv with its path")
    if is_bare(path):
        raise UnusableSource(f"{visible(path, 300)} {BARE}, and name the folder around that")
    project = next((name for name in _PROJECT if os.path.lexists(os.path.join(path, name))), "")
    if project and not naming:
        raise one_submission(path, project)


def _of_file(path: str, naming: str) -> Source:
    if path.lower().endswith(".csv"):
        from verify.sources.manifest import ManifestSource

        return ManifestSource(path)
    from verify.sources.archive_names import archive_suffix
    from verify.sources.archive_opening import ZIP_MARKS
    from verify.sources.zip_source import ZipSource, unusable

    try:
        with open(path, "rb") as file:
            start = file.read(len(ZIP_MARKS[0]))
    except OSError as error:
        raise unusable(path, error) from None
    if start in ZIP_MARKS:
        return ZipSource(path, naming)
    suffix = archive_suffix(path)
    if suffix not in ("", ".zip"):
        told = f"{visible(path, 300)} is a {suffix} archive: unpack it"
        raise UnusableSource(f"{told}, and name the folder of the submissions")
    raise UnusableSource(f"{visible(path, 300)} is no archive that can be read: {_EXPECTED}")
