"""Names that an instructor chose: a folder, an archive or a file for each learner."""

from __future__ import annotations

from verify.files import archive_suffix
from verify.intake.platforms.base import Platform, Reading


class Plain(Platform):
    """Takes any name as it is: without an archive's suffix it is a key, or a full name.

    Every name is a separate account: `ada/` and `ada.zip` both claim to be Ada's.
    """

    name = "plain"
    reads_whole_names = True

    def read(self, entry: str, *, is_folder: bool) -> Reading:
        """Return the whole name; of a loose file without its last suffix."""
        suffix = "" if is_folder else archive_suffix(entry)
        stem = entry[: len(entry) - len(suffix)]
        if not is_folder and not suffix:
            stem = entry.rpartition(".")[0] or entry
        return Reading(self.name, entry, key=stem, person=stem, learner=stem)
