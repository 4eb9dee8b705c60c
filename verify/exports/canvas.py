"""Canvas's gradebook import: the instructor's own export filled in, or made of the roster's ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.exports.canvas_sheet import read_sheet
from verify.exports.files import csv_file
from verify.exports.filling import Filling, told_unlisted
from verify.exports.matching import column_name
from verify.exports.scores import latest, shown
from verify.exports.text import cell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Learner, Standing

COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_POINTS = "    Points Possible"  # as Canvas itself writes it


def write(cohort: Cohort, target: str, settings: Settings) -> list[str]:
    """Write the import; a score that is not known is left as Canvas has it."""
    if settings.canvas_from:
        _fill(cohort, target, settings)
    else:
        _make(cohort, target, settings)
    return [target]


def _make(cohort: Cohort, target: str, settings: Settings) -> None:
    unlisted = overridden = 0
    titles = [settings.titles.get(e.name, f"{e.name} {e.title}") for e in cohort.exercises]
    with csv_file(target) as writer:
        writer.writerow([*COLUMNS, *map(cell, titles)])
        # Canvas takes these for the assignment's: they are told of new assignments only
        known = [exercise.name in settings.titles for exercise in cohort.exercises]
        points = [
            "" if there else str(exercise.points)
            for exercise, there in zip(cohort.exercises, known, strict=True)
        ]
        writer.writerow([_POINTS, *([""] * (len(COLUMNS) - 1)), *points])
        for standing in latest(cohort.standings()):
            if cohort.has_roster and not standing.learner.rostered:
                unlisted += 1
                continue
            writer.writerow([*_identity(standing.learner), *_scores(standing)])
            overridden += _overrides(standing)
    told_unlisted(unlisted, "--canvas", settings.note)
    _told_overrides(overridden, settings)


def _identity(learner: Learner) -> list[str]:
    own = {column_name(name): value for name, value in learner.ids.items()}
    known = [own.get(column_name(name), "") for name in COLUMNS[1:4]]
    if not (known[0].isascii() and known[0].isdecimal()):
        known[0] = ""  # Canvas's own are numbers: another system's id is none of Canvas's
    if not any(known):
        known[-1] = learner.key
    return [cell(text) for text in (learner.name or learner.key, *known, own.get("section", ""))]


def _scores(standing: Standing) -> list[str]:
    return [shown(mark.score) for mark in standing.marks]


def _overrides(standing: Standing) -> int:
    return sum(mark.override is not None for mark in standing.marks)


def _told_overrides(number: int, settings: Settings) -> None:
    if number:
        settings.note(
            f"--canvas: {number} score{'s' * (number != 1)} set by hand; the file has no column for"
            " who and why: see --csv"
        )


def _fill(cohort: Cohort, target: str, settings: Settings) -> None:
    sheet = read_sheet(settings.canvas_from)
    columns = sheet.columns_of([exercise.name for exercise in cohort.exercises], settings.titles)
    filling = Filling(sheet.rows, sheet.found)
    unlisted = overridden = 0
    for standing in latest(cohort.standings()):
        if cohort.has_roster and not standing.learner.rostered:
            unlisted += 1
        elif filling.fill(standing.learner, _cells(standing, columns)):
            overridden += _overrides(standing)
    kept = [*range(sheet.students), *columns.values()]
    with csv_file(target, sheet.delimiter, marked=sheet.marked) as writer:
        for row in (sheet.header, *sheet.rows):
            writer.writerow([row[position] if position < len(row) else "" for position in kept])
    told_unlisted(unlisted, "--canvas", settings.note)
    filling.tell("--canvas-from", settings.note)
    _told_overrides(overridden, settings)


def _cells(standing: Standing, columns: Mapping[str, int]) -> dict[int, str]:
    return {
        columns[mark.exercise.name]: shown(mark.score)
        for mark in standing.marks
        if mark.score is not None
    }
