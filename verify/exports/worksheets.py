"""Tables exported by an LMS: reads one, finds the row of each learner and fills it in."""

from __future__ import annotations

import json
import re
from itertools import dropwhile
from typing import TYPE_CHECKING, ClassVar

from pipeline.files import writing_whole
from pipeline.terminal.display import counted, listed, visible
from verify.exports.base import Format, cell, csv_file
from verify.gradebook.reading import by_learner
from verify.gradebook.records import score_text
from verify.grading.model import Outcome
from verify.intake.platforms.base import COLUMNS, EMAILS
from verify.intake.spelling import bare, folded, written
from verify.intake.table import CsvFile, Unusable, by_heading, headings, number_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Learner, Standing

IDENTITIES = frozenset({*COLUMNS["key"], *COLUMNS["other id"]})
_EMAIL, _FULL_NAME = "e-mail", "name"
_WORDS = re.compile(r"[^\w]+|_+")
_ROUNDED = 0.006
_NAMED = 50  # rows that are named in one line
_NONE = ("", "-")  # cells without a grade
EXCUSED = "EX"  # in Canvas
_NUMBER = re.compile(r"\Aparticipant 0*([0-9]+)\Z")


def at(row: Sequence[str], position: int | None) -> str:
    """Return a cell of a row, empty if the row is too short or does not have the column."""
    return row[position] if position is not None and position < len(row) else ""


def put(row: list[str], position: int, text: str) -> None:
    """Write a cell of a row, which grows if it is too short."""
    row.extend([""] * (position + 1 - len(row)))
    row[position] = text


def scaled(score: float, points: float, largest: float | None) -> float:
    """Return a score out of `points` on a scale that goes to `largest`, to five decimals."""
    if largest is None or largest == points or not points:
        return score
    return round(score * largest / points, 5)


def _is_same(first: str, second: str) -> bool:
    """Return whether two cells have the same grade, to the two decimals that platforms show."""
    numbers = [number for text in (first, second) if (number := number_in(text)) is not None]
    return abs(numbers[0] - numbers[1]) < _ROUNDED if len(numbers) > 1 else first == second


def on_roster(cohort: Cohort, option: str, note: Callable[[str], None]) -> Iterator[Standing]:
    """Yield the standings of learners on the roster; note how many learners are not on it."""
    unlisted = 0
    for *_, standing in by_learner(cohort):
        if cohort.has_roster and not standing.learner.rostered:
            unlisted += 1
        else:
            yield standing
    if unlisted:
        who = "1 learner who is" if unlisted == 1 else f"{unlisted} learners who are"
        note(f"{option} leaves out {who} not on the roster; --csv-wide includes everyone")


class Sheet:
    """A table that an LMS exported: it is read, filled in learner by learner, and written.

    `option` names its file. A value that two rows share finds neither of them; a row that two
    learners claim is unchanged. Raises `Unusable` for what is not such a table.
    """

    option = ""
    no_grade = re.compile("(?!)")  #: what a cell without a grade may have, too
    mark = ""  #: before each id

    def __init__(self, path: str, option: str) -> None:
        self.option = option
        self._path = visible(path, 300)
        try:
            self._file = CsvFile(path, strict=True)
            rows = dropwhile(lambda cells: not cells, (cells for _, cells in self._file.cells()))
            self.header, *self.rows = rows
        except UnicodeDecodeError:
            raise self.unusable("is not UTF-8: export it from the LMS again") from None
        except Unusable as error:
            raise Unusable(f"{option} {error}") from None
        except ValueError:
            raise self.unusable("is empty: export it from the LMS again") from None
        self._ids: Mapping[str, int] = {}
        self._name: int | None = None
        self._weak = ""
        self._found: dict[tuple[str, str], int | None] = {}
        self._kept: list[str] = []
        self._replaced: list[str] = []

    def unusable(self, what: str) -> Unusable:
        """Return the error for the file; `what` says what is wrong with it."""
        return Unusable(f"{self.option} {self._path} {what}")

    def write(self, target: str, positions: Sequence[int] | None = None) -> None:
        """Write the table as it is now: all columns, or those at some positions."""
        # UTF-8 with a mark, unless it had none: what had another encoding is for a spreadsheet
        marked = self._file.encoding != "utf-8"
        with csv_file(target, self._file.delimiter, marked=marked) as writer:
            for row in (self.header, *self.rows):
                writer.writerow(
                    row if positions is None else [at(row, position) for position in positions]
                )

    def write_changed(self, target: str) -> None:
        """Write the file with the cells that have changed, and everything else as it is."""
        try:
            data = self._file.changed((self.header, *self.rows))
        except ValueError:
            raise self.unusable("has quotes that cannot be kept: save it as CSV again") from None
        with writing_whole(target) as file:
            file.write(data)

    def put_grade(
        self, row: list[str], position: int, grade: str, settings: Settings, of: Iterable[str]
    ) -> bool:
        """Write a grade unless the cell has one that is not ours; return whether it is written.

        `of` are the exercises, or the assignments of a term. Files of two assignments may have the
        same ids and the same column: what was written for one is not ours in the other.
        """
        there, name = at(row, position).strip(), at(row, self._name)
        ids = [at(row, column) for column in self._ids.values()] or [name]
        assignments = sorted(name for name in of if "/" not in name)
        cell = json.dumps([self.option, ids, self.header[position], *assignments])
        exported = {} if settings.exported is None else settings.exported
        earlier = exported.setdefault(cell, set())
        is_none = there in _NONE or self.no_grade.fullmatch(there)
        is_excused, known = there.upper() == EXCUSED, (grade, *earlier)
        is_ours = is_none or any(_is_same(there, before) for before in known)
        is_ours = is_ours or (is_excused and EXCUSED in known)
        shown = f"{name or ids[0]}: {there}"
        if is_none and not grade:
            return True
        if not is_ours and (is_excused or not settings.overwrite):
            self._kept.append(shown)
            return False
        if not is_none and not _is_same(there, grade):
            self._replaced.append(f"{shown} -> {grade}")
        earlier.add(grade)
        put(row, position, grade)
        return True

    def to_fill(self, cohort: Cohort, settings: Settings) -> Iterator[tuple[list[str], Standing]]:
        """Yield each row that is one learner's, with the standing; note what was filled in."""
        rows = self.rows_of(cohort, settings.note)
        for *_, standing in by_learner(cohort):
            if row := rows.get(standing.learner.key):
                yield row, standing
        self._note_grades(settings.note)

    def _note_grades(self, note: Callable[[str], None]) -> None:
        """Name the grades in the file that stay, and those that are replaced."""
        step = f": not from this gradebook; --overwrite replaces all but {EXCUSED}"
        for what, grades, more in (("keeps", self._kept, step), ("replaces", self._replaced, "")):
            if grades:
                number = counted(len(grades), "grade")
                note(f"{self.option} {what} {number}: {listed(grades, _NAMED)}{more}")

    def identify_by(
        self,
        ids: Mapping[str, int],
        email: int | None = None,
        name: int | None = None,
        weak: str = "",
    ) -> None:
        """Set the positions of the columns that say whose row it is; None for a missing column.

        `ids` are compared with the roster's column of the same name, or with the learner's key. The
        id `weak` is different in each table: a row found by it alone must also have the learner's
        name.
        """
        self._ids, self._name, self._weak = ids, name, weak
        columns: dict[str, int | None] = {**ids, _EMAIL: email, _FULL_NAME: name}
        for number, row in enumerate(self.rows):
            for field, position in columns.items():
                value = field, _compared(field, at(row, position).removeprefix(self.mark))
                if value[1] and self._found.setdefault(value, number) != number:
                    self._found[value] = None

    def _number_of(self, learner: Learner) -> int | None:
        for claims in self._claims(learner):
            values = [(field, _compared(field, text)) for field, text in claims]
            found = {value[0]: self._found.get(value) for value in values}
            fields = {field for field, row in found.items() if row is not None}
            rows = {row for row in found.values() if row is not None}
            if rows:
                row = rows.pop()
                names = at(self.rows[row], self._name), learner.name
                contradicted = all(map(str.strip, names)) and not _is_one_person(*names)
                return None if rows or (fields == {self._weak} and contradicted) else row
        return None

    def _claims(self, learner: Learner) -> Iterator[list[tuple[str, str]]]:
        """Yield what identifies the learner, most reliable first; each group must agree."""
        cells = by_heading(learner.ids)
        ids = [(field, cells.get(field, "")) for field in self._ids]
        yield [*ids, (_EMAIL, learner.email)]
        yield [(field, learner.key) for field in (_EMAIL, *self._ids)]
        yield [(_FULL_NAME, learner.name)]

    def rows_of(self, cohort: Cohort, note: Callable[[str], None]) -> dict[str, list[str]]:
        """Return the row of each learner who has one alone, by the key; note who has none."""
        claims: dict[int | None, list[str]] = {}
        for standing in on_roster(cohort, self.option.removesuffix("-from"), note):
            number = self._number_of(standing.learner)
            claims.setdefault(number, []).append(standing.learner.key)
        without = claims.pop(None, [])
        without += [key for keys in claims.values() if keys[1:] for key in keys]
        if without:
            what = f"has no row that clearly belongs to {listed(without)}"
            note(f"{self.option} {what}; --csv-wide includes everyone")
        alone = {keys[0]: number for number, keys in claims.items() if not keys[1:]}
        return {key: self.rows[number] for key, number in alone.items() if number is not None}


class GradeSheet(Sheet):
    """A table with a column for each exercise, or for the sum of all of them.

    `columns` are their positions by the names of exercises; an empty name is the sum's. Headings
    are as `headings` has them.
    """

    what: ClassVar[str]  #: that it should be, for an error
    grades: ClassVar[re.Pattern[str]]  #: a column with grades: its item, and its points if it says
    needed: ClassVar[Sequence[Collection[str]]]  #: headings, of each of which there is one
    identities: ClassVar[Collection[str]]  #: headings of ids
    kept: ClassVar[Collection[str]] = ()  #: headings of the columns that are written, all for none
    made: ClassVar[Mapping[str, Collection[str]]] = {}  #: columns of a new file, by the roster's
    item_ends: ClassVar[str] = ""  #: behind a title in a new file
    row_ends: ClassVar[Mapping[str, str]] = {}  #: the last columns of a new file

    def __init__(self, path: str, exercises: Sequence[str], settings: Settings) -> None:
        super().__init__(path, self.option)
        found = headings(self.header)
        self._at = {heading: self.header.index(name) for heading, name in found.items()}
        if not all(self._at.keys() & {*names} for names in self.needed):
            raise self.unusable(f"is not {self.what}")
        email = next((self._at[name] for name in EMAILS if name in self._at), None)
        name = next((self._at[name] for name in COLUMNS["name"] if name in self._at), None)
        self.identify_by({n: p for n, p in self._at.items() if n in self.identities}, email, name)
        items = [self.grades.fullmatch(header.strip()) for header in self.header]
        self._items = {at: item for at, item in enumerate(items) if item and item["item"]}
        titles = settings.columns
        self.columns = {name: self._column(name, titles.get(name, "")) for name in exercises}
        if {*self.columns.values()} & {*self._ids.values()}:
            raise self.unusable("has ids in a column that is to be filled in")

    def _column(self, exercise: str, title: str) -> int:
        def fits(item: str) -> bool:
            return item == title if title else f"{item} ".startswith(f"{exercise} ")

        found = [at for at, item in self._items.items() if fits(item["item"])]
        if len(found) == 1:
            return found[0]
        which = f"called {visible(title)}" if title else f"whose title begins with {exercise}"
        known = listed([item["item"] for item in self._items.values()], 20) or "none"
        step = f"choose one with --column '{exercise}=TITLE'" if exercise else "choose another"
        what = f"has {len(found) or 'no'} columns {which} (expected one): {step} (columns: {known})"
        raise self.unusable(what)

    def _number_of(self, learner: Learner) -> int | None:
        """Return the row of a learner, also by an id that another column of the roster has."""
        number = super()._number_of(learner)
        if number is not None:
            return number
        cells = by_heading(learner.ids).items()
        ids = [text for heading, text in cells if heading in IDENTITIES]
        values = ((field, _compared(field, text)) for field in self._ids for text in ids if text)
        rows = {row for value in values if (row := self._found.get(value)) is not None}
        names = [learner.name, *(at(self.rows[row], self._name) for row in rows)]
        is_same = not all(map(str.strip, names)) or _is_one_person(names[0], names[-1])
        return rows.pop() if len(rows) == 1 and is_same else None

    def fill(self, cohort: Cohort, settings: Settings) -> None:
        """Write the grades of all learners into their rows, scaled to the points of the columns."""
        largest = {
            name: number_of(points) if (points := self._items[at]["points"]) else None
            for name, at in self.columns.items()
        }
        for row, standing in self.to_fill(cohort, settings):
            scores: dict[str, tuple[float | None, float]] = {
                mark.exercise.name: (mark.score, mark.exercise.points) for mark in standing.marks
            }
            scores[""] = standing.total, standing.points
            excused = {m.exercise.name for m in standing.marks if m.outcome is Outcome.EXCUSED}
            if not any(mark.counts for mark in standing.marks):
                excused.add("")
            for name, position in self.columns.items():
                score, points = scores[name]
                of = [name] if name else [mark.exercise.name for mark in standing.marks]
                if name in excused:
                    self.put_grade(row, position, "", settings, of)  # what was ours goes
                elif score is not None:
                    grade = score_text(scaled(score, points, largest[name] or None))
                    self.put_grade(row, position, grade, settings, of)

    def write_kept(self, target: str) -> None:
        """Write the columns that a platform takes, in their order; all of them byte for byte."""
        if not self.kept:
            self.write_changed(target)
            return
        positions = {p for name, p in self._at.items() if name in self.kept}
        self.write(target, sorted(positions | {*self.columns.values()}))


def format_of(name: str, sheet: type[GradeSheet], about: str, source: tuple[str, str]) -> Format:
    """Return the format that fills in a platform's own table, or makes a new one of the roster."""

    def write(cohort: Cohort, target: str, settings: Settings) -> None:
        if settings.source:
            filled = sheet(settings.source, [e.name for e in cohort.exercises], settings)
            filled.fill(cohort, settings)
            filled.write_kept(target)
            return
        items = [cell(f"{e.name} {e.title}{sheet.item_ends}") for e in cohort.exercises]
        with csv_file(target) as writer:
            writer.writerow([*sheet.made, *items, *sheet.row_ends])
            for standing in on_roster(cohort, f"--{name}", settings.note):
                known = by_heading(standing.learner.ids)
                cells = [
                    next((known[heading] for heading in wanted if heading in known), "")
                    for wanted in sheet.made.values()
                ]
                if not any(cells):
                    cells[-1] = standing.learner.key
                scores = [score_text(mark.score) for mark in standing.marks]
                writer.writerow([*map(cell, cells), *scores, *sheet.row_ends.values()])

    def check(_target: str, settings: Settings, exercises: Sequence[str]) -> None:
        if settings.source:
            sheet(settings.source, exercises, settings)

    return Format(name, "FILE", about, write, check, source=source)


def number_of(text: str) -> float:
    """Return digits with thousands and decimals in English or German as a number."""
    head, _, tail = text.replace(",", ".").rpartition(".")
    digits = head.replace(".", "")
    return float(f"{digits}.{tail}" if head and len(tail) != len("000") else f"{digits}{tail}")


def _is_one_person(*names: str) -> bool:
    """Return whether two names may be one person's: up to a middle name, accents or the order."""
    first, second = ([bare(word) for word in _WORDS.sub(" ", n).split()] for n in names)
    if sorted("".join(first)) == sorted("".join(second)):
        return True
    return set(first) <= set(second) or set(second) <= set(first)


def _compared(field: str, value: str) -> str:
    """Return the form of a value that is compared, as for a roster."""
    if field == _FULL_NAME:
        return written(value)
    plain = folded(value)
    return _NUMBER.sub(r"\1", plain) if field == "identifier" else plain
