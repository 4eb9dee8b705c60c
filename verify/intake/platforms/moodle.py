"""Moodle: *Download all submissions* of an assignment.

Source: moodle/moodle, mod/assign/classes/downloader.php. A learner's folder is
`Full name_NUMBER_assignsubmission_file`, with `_` behind it in older versions; without folders the
file's own name follows. `clean_filename` leaves out signs such as `/` and `'`: with blind marking
the name is the word for a participant, and the German `Teilnehmer/in` (lang/de/assign.php,
`participant`) becomes `Teilnehmerin`. Only the latest attempt is there. A folder's name ends as
Moodle writes it; without folders, a learner's own name or file may look like Moodle's part.

Teams are `Team_NUMBER` with the number of the team, or `Default group` without any. So a number
counts only with the name of its participant, see `Roster.by_number`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.intake.platforms.base import Name, ParsedName, Platform, RosterExport, time_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_BETWEEN = "_assignsubmission_"
_NOTES = frozenset({"onlinetext", "comments"})
_PARTICIPANT = re.compile(
    r"(?:Participante?|Teilnehmer(?:/in(?:nen)?)?|Deelnemer) ?([0-9]{1,20})", re.IGNORECASE
)
_BLIND = re.compile(r"Participante?|Teilnehmer(?:in(?:nen)?)?|Deelnemer")
_NAMED = re.compile("(.+)_([0-9]{1,20})", re.DOTALL)
_NUMBERS = re.compile(f"(?:_([0-9]{{1,20}}))?{_BETWEEN}(?=[A-Za-z0-9])")
_END = re.compile(f".+{_BETWEEN}[A-Za-z0-9]+_?", re.DOTALL)
_WEEKDAY = re.compile(r"[^\W\d_]{2,12}, ")
_GRADING = re.compile("(?:grade|maximum grade|last modified|bewertung|bestwertung|zuletzt) ?")


def _fits(columns: Sequence[str]) -> bool:
    names = {*columns}
    return bool(
        names & {"identifier", "id"} and "status" in names and any(map(_GRADING.match, names))
    )


def _time(cell: str) -> str:
    """Return the time in a cell such as `Saturday, 14 November 2026, 9:05 PM`; `-` is none."""
    return time_of(_WEEKDAY.sub("", " ".join(cell.split()), count=1))


class Moodle(Platform):
    """Reads `Ada Lovelace_123_assignsubmission_file_`: the folders and files of one learner.

    Choose *View all submissions*, then *Download all submissions*. As the roster, use the grading
    worksheet. Moodle names folders or files like `Ada Lovelace_123_assignsubmission_file`.

    * If submissions are anonymous, the grader matches them by their numbers alone.
    * The worksheet has the times of the submissions to its own assignment, in your time zone.
    * Text entered online (`…_assignsubmission_onlinetext`) does not count as work.
    * For team submissions, also pass the grading worksheet, which has a column `Group`, with
      `--groups`.
    """

    name = "moodle"
    title = "Moodle"
    roster = RosterExport(
        "offline grading worksheet, English or German, also anonymous",
        "`Identifier` or `ID`, `Status`, `Grade` or `Bewertung`",
        "the number in `Participant 12`, `Teilnehmer/in12`",
        _fits,
        numbers=("identifier", "id"),
        number=_PARTICIPANT,
        numbers_need_names=True,
        times=(
            *("last modified (submission)", "zuletzt geändert (abgabe)"),
            *("last modified", "zuletzt geändert"),
        ),
        time=_time,
    )
    has_pattern = True

    def read(self, name: Name) -> ParsedName | None:
        """Return the participant's number and name; with blind marking the number alone."""
        is_folder = name.is_folder and _END.fullmatch(name.text)
        split = name.stem.rpartition if is_folder else name.stem.partition
        who, _, rest = split(_BETWEEN)
        kind = rest.partition("_")[0]
        if not (who and kind.isascii() and kind.isalnum()):
            return None
        numbers = () if is_folder else dict.fromkeys(_NUMBERS.findall(name.stem))
        if len(numbers) > 1:
            return ParsedName(self.name, name.stem, rivals=tuple(numbers))
        named = _NAMED.fullmatch(who)
        person, number = named.groups() if named else (who, "")
        if number and _BLIND.fullmatch(person):
            person = ""
        return ParsedName(self.name, who, number=number, person=person, is_note=kind in _NOTES)
