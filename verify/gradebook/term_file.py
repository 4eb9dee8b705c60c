"""The form of `term.toml`: what an instructor says of a term, checked, with the place of a fault.

The classes are the source of the published JSON Schema, and of what a gradebook keeps of the file.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal
from zoneinfo import ZoneInfo

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from pipeline.files import MISSING, Unreadable, read_file
from pipeline.protocol import toml_text
from pipeline.protocol.problems import Path, Problem
from pipeline.terminal.display import did_you_mean, visible
from pipeline.terminal.exit_codes import UNUSABLE
from pipeline.terminal.fault import Fault
from verify.gradebook.columns import NotOurs
from verify.gradebook.lateness import LatePolicy

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_MOST = 1_000_000
_YEARS = range(1901, 9000)  # no zone leads out of what a time can be
_EXERCISE = r"^[a-z][a-z0-9-]{0,59}(/[0-9]{1,3})?$"
_EXERCISES = 'exercises such as "expert/04", or a level such as "expert"'
_LAYOUT = "the platform that named the entries, as for --layout"


def _is(description: str, **bounds: Any) -> Any:
    return Field(description=description, **bounds)


def _number(description: str, **bounds: Any) -> Any:
    return Field(description=description, allow_inf_nan=False, strict=True, **bounds)


Name = Annotated[str, _is("a name, such as week-1", pattern=r"^[\w](?:[\w .-]{0,58}[\w])?$")]
Text = Annotated[str, Field(min_length=1, max_length=1_000)]
Moment = Annotated[
    datetime,
    _is("a date and a time, such as 2026-10-05T23:59:00+02:00, not in quotes", strict=True),
]
Learners = Annotated[list[Text], _is("keys of learners, as on the roster")]


class _OnlyThese:
    """Other keys are refused."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


@dataclass(frozen=True, kw_only=True)
class Late(_OnlyThese):
    """What is deducted from a late submission. One whose time is unknown is never late."""

    grace: Annotated[
        float, _number("minutes after the due time that are not late", ge=0, le=_MOST)
    ] = 0
    percent_a_day: Annotated[
        float, _number("percent of the points, for each day begun", ge=0, le=100)
    ] = 0
    cap: Annotated[
        float, _number("percent of the points that are deducted at most", ge=0, le=100)
    ] = 100


@dataclass(frozen=True, kw_only=True)
class AssignmentPlan(_OnlyThese):
    """An assignment: what is graded, and what it counts."""

    exercises: Annotated[
        list[Annotated[str, _is(_EXERCISES, pattern=_EXERCISE)]],
        _is(_EXERCISES, min_length=1),
    ]
    collection: Annotated[
        Text | Annotated[list[Text], Field(min_length=1)],
        _is("the submissions, from the folder of this file: a path or an address, or several"),
    ]
    groups_file: Annotated[str, _is("who is in which group, as for --groups")] = ""
    title: Annotated[str, _is("a title (default: that of the exercise)", max_length=200)] = ""
    layout: Annotated[str, _is(_LAYOUT, max_length=200)] = ""
    due: Moment | None = None
    points: Annotated[
        int | None, _is("the points (default: those of the exercises)", ge=1, le=_MOST, strict=True)
    ] = None
    weight: Annotated[
        float | None, _number("what it counts in the total (default: points)", gt=0, le=_MOST)
    ] = None
    late: Annotated[Late | None, _is("another late policy than the term's")] = None
    extensions: Annotated[dict[Text, Moment], _is("other due times, by the learner's key")] = field(
        default_factory=dict
    )
    excused: Learners = field(default_factory=list)
    attempts: Annotated[
        Literal["latest", "best", "last before due"],
        _is("which attempt counts: latest, best or last before due"),
    ] = "latest"
    run: Annotated[bool, _is("whether services are run, as for --run", strict=True)] = False


@dataclass(frozen=True, kw_only=True)
class Group(_OnlyThese):
    """Assignments of which the lowest do not count."""

    assignments: Annotated[list[Text], _is("names of assignments", min_length=1)]
    drop_lowest: Annotated[int, _is("how many do not count", ge=0, le=1_000, strict=True)]


@dataclass(frozen=True, kw_only=True)
class Term(_OnlyThese):
    """A term: its learners, and its assignments in order."""

    assignments: Annotated[
        dict[Name, AssignmentPlan], _is("the assignments, each by its name", min_length=1)
    ]
    roster: Annotated[str, _is("the table of learners, from the folder of this file")] = ""
    key: Annotated[str, _is("the column of the roster with the learners' keys")] = ""
    decisions: Annotated[str, _is("the table of decisions, as for --decisions")] = ""
    gradebook: Annotated[str, _is("the gradebook, from the folder of this file")] = "gradebook.db"
    course: Annotated[str, _is("the folder of your own course")] = ""
    layout: Annotated[str, _is(_LAYOUT, max_length=200)] = ""
    timezone: Annotated[
        str, _is("the zone of times without one, such as Europe/Berlin", max_length=60)
    ] = ""
    missing: Annotated[
        Literal["zero", "no score"],
        _is("what a missing submission gets after the due time: zero or no score"),
    ] = "no score"
    decimals: Annotated[int, _is("of scores and totals", ge=0, le=6, strict=True)] = 2
    late: Late = Late()
    groups: dict[Name, Group] = field(default_factory=dict)

    @cached_property
    def zone(self) -> ZoneInfo | None:
        """Return the zone of times without one."""
        return ZoneInfo(self.timezone) if self.timezone else None

    def at(self, time: datetime | None) -> datetime | None:
        """Return a time of the file with its zone."""
        return time.replace(tzinfo=self.zone) if time and time.tzinfo is None else time

    def policy(self, assignment: AssignmentPlan) -> LatePolicy:
        """Return the late policy of an assignment."""
        late = assignment.late or self.late
        return LatePolicy(late.grace, late.percent_a_day, late.cap)


@cache
def form() -> TypeAdapter[Term]:
    """Return what checks the form of a file, and describes it as a JSON Schema."""
    return TypeAdapter(Term)


@dataclass(frozen=True)
class TermFile:
    """A term, and the file that says it."""

    path: str
    text: str
    term: Term

    @property
    def document(self) -> str:
        """Return what the file says, as JSON."""
        return form().dump_json(self.term).decode()

    def fault(self, path: Path, message: str, expected: str = "") -> Fault:
        """Return the fault of what is at a path in the file."""
        return _fault(Problem("term", path, message, expected), self.path, self.text)

    def beside(self, path: str) -> str:
        """Return a path of the file, which is from the file's folder; an address stays."""
        folder = os.path.dirname(self.path)
        return path if not path or "://" in path else os.path.join(folder, path)


def _fault(problem: Problem, path: str, text: str) -> Fault:
    return Fault(toml_text.placed(problem, text).line_for(path), code=UNUSABLE)


def read_term(path: str) -> TermFile:
    """Return the term in a file; raises `Fault`."""
    try:
        text = read_file(path).decode()
    except Unreadable as error:
        step = ": verify new-term writes an example" if error.reason == MISSING else ""
        raise Fault(f"{visible(path, 300)}: {error}{step}", code=UNUSABLE) from None
    except UnicodeDecodeError as error:
        lines = error.object[: error.start].split(b"\n")
        spot = f"{visible(path, 300)}:{len(lines)}:{len(lines[-1].decode()) + 1}"
        raise Fault(f"{spot}: not UTF-8: save the file as UTF-8", code=UNUSABLE) from None
    text = text.removeprefix("\ufeff")
    found = toml_text.read(text, form())
    if not isinstance(found, Problem):
        problem = next(_contradictions(found), None)
        if problem is None:
            return TermFile(path, text, found)
        found = problem
    raise _fault(found, path, text)


def _contradictions(term: Term) -> Iterator[Problem]:
    """Yield what no form can say."""
    try:
        _ = term.zone
    except (ValueError, OSError, KeyError):
        message = f"there is no time zone {visible(term.timezone)}"
        yield Problem("zone", ("timezone",), message, "a name such as Europe/Berlin")
        return
    folded: dict[str, str] = {}
    for name, assignment in term.assignments.items():
        same = folded.setdefault(name.casefold(), name)
        if same != name:
            yield Problem("name", ("assignments", name), f"there is also {visible(same)}")
        yield from _times(term, assignment, ("assignments", name))
    grouped: dict[str, str] = {}
    for name, group in term.groups.items():
        for number, member in enumerate(group.assignments):
            path: Path = ("groups", name, "assignments", number)
            if member not in term.assignments:
                near = did_you_mean(member, term.assignments)
                yield Problem("group", path, f"there is no assignment {visible(member)}{near}")
            elif (
                grouped.setdefault(member, name) != name or group.assignments.index(member) < number
            ):
                yield Problem("group", path, f"{visible(member)} is already in a group")


def _times(term: Term, assignment: AssignmentPlan, path: Path) -> Iterator[Problem]:
    """Yield what is wrong with the times of an assignment."""
    times = [((*path, "due"), assignment.due)]
    times += [((*path, "extensions", key), time) for key, time in assignment.extensions.items()]
    for place, time in times:
        if time and term.at(time).tzinfo is None:  # type: ignore[union-attr]  # it is one
            step = "an offset such as +02:00, or timezone at the top of the file"
            yield Problem("zone", place, "this time has no zone", step)
            return
        if time and time.year not in _YEARS:
            yield Problem("time", place, "this year is not likely", "1901 to 8999")
            return
    due = term.at(assignment.due)
    if due is None and (assignment.extensions or assignment.attempts == "last before due"):
        key = "extensions" if assignment.extensions else "attempts"
        yield Problem("due", (*path, key), "this needs a due time", "due beside it")
    for key, time in assignment.extensions.items():
        later = term.at(time)
        if due and later and later < due:
            yield Problem(
                "due", (*path, "extensions", key), "this is before the due time", "a later time"
            )


def check_learners(file: TermFile, known: Collection[str]) -> None:
    """Refuse extensions and excuses of learners who are not on the roster; raises `Fault`."""
    for name, assignment in file.term.assignments.items():
        places: list[tuple[Path, str]] = [
            (("extensions", key), key) for key in assignment.extensions
        ]
        places += [(("excused", at), key) for at, key in enumerate(assignment.excused)]
        for path, key in places:
            if key not in known:
                near = did_you_mean(key, known)
                what = f"the roster has no learner {visible(key)}{near}"
                raise file.fault(("assignments", name, *path), what)


# --- what a gradebook keeps of it ----------------------------------------------------------------


def kept_term(document: str) -> Term:
    """Return the term that a gradebook keeps; raises `NotOurs`."""
    try:
        term = form().validate_json(document)
    except ValidationError:
        raise NotOurs("is not a term") from None
    if next(_contradictions(term), None):
        raise NotOurs("is not a term")
    return term
