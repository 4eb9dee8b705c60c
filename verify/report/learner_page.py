"""A learner's page: marks, checks, and the failing places in the learner's own artifacts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from markupsafe import Markup

from pipeline.terminal.display import visible
from verify.report.outcomes import SIGNS, sign_of_check, sign_of_mark
from verify.report.templates import points

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from verify.gradebook.values import CheckMark, FoundPlace, Mark
    from verify.report.entry import Entry
    from verify.report.templates import Templates

T = TypeVar("T", str, bytes)
_KEPT = 4_000  # pieces that are kept: most learners share them
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\w.+-]+|\S')
_LINES = 12
_WIDTH = 200  # characters of a line that are shown, around the marked place


class Pieces(Generic[T]):
    """Pieces of pages that are made once; when there are too many kinds, it begins anew."""

    def __init__(self) -> None:
        self._made: dict[Hashable, T] = {}

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the piece of a key, made now where it is new."""
        piece = self._made.get(key)
        if piece is None:
            if len(self._made) >= _KEPT:
                self._made.clear()
            piece = self._made[key] = make()
        return piece


class Attempt(NamedTuple):
    """Another attempt of the same learner: its label, and its page's name."""

    label: str
    file: str
    outcome: str
    here: bool


class Line(NamedTuple):
    """One line of an artifact; `marked` is empty on all lines but the failing one."""

    number: int
    before: str
    marked: str
    after: str
    failing: bool


class LearnerPages:
    """Makes learners' pages. Pieces that many share are made once, such as a check that passed."""

    def __init__(self, templates: Templates, *, has_roster: bool) -> None:
        self._top = templates.get("learner.html")
        self._exercise = templates.get("section.html")
        self._check = templates.get("check.html")
        self._begin = templates.head("../", "back.js", "learner").encode()
        self._end = templates.get("end.html").render().encode()
        self._sections: Pieces[bytes] = Pieces()
        self._checks: Pieces[str] = Pieces()
        self._has_roster = has_roster

    def page(self, entry: Entry, attempts: Sequence[Entry]) -> bytes:
        """Return one page; `attempts` are all entries of the learner, this one among them."""
        sections = [
            self._section(position, mark, entry.letters[position])
            for position, mark in enumerate(entry.marks)
        ]
        return b"".join([self._begin, self._head(entry, attempts), *sections, self._end])

    def _head(self, entry: Entry, attempts: Sequence[Entry]) -> bytes:
        learner = entry.learner
        shown = {learner.key, learner.name, learner.email}
        text = self._top.render(
            name=entry.shown_name,
            named=learner.name,
            key=learner.key,
            email=learner.email,
            ids={name: value for name, value in learner.ids.items() if value not in shown},
            unknown=self._has_roster and not learner.rostered,
            sign=entry.outcome,
            score=points(entry.score),
            points=entry.points,
            complete=entry.complete,
            attempt=entry.attempt,
            submitted=next((mark.submitted for mark in entry.marks), ""),
            late=any(mark.late for mark in entry.marks),
            attempts=_listed(entry, attempts) if len(attempts) > 1 else (),
            places=dict.fromkeys([mark.place for mark in entry.marks if mark.place]),
        )
        return text.encode()

    def _section(self, position: int, mark: Mark, letters: str) -> bytes:
        """Return what is told of an exercise; kept where nothing in it is the learner's own."""
        if (
            mark.override is not None
            or mark.reason
            or any(r.findings or r.waits_for for r in mark.checks)
        ):
            return self._written(position, mark)
        key = position, mark.outcome, mark.score, letters
        return self._sections.kept(key, lambda: self._written(position, mark))

    def _written(self, position: int, mark: Mark) -> bytes:
        checks = "".join([self._one(result) for result in mark.checks])
        text = self._exercise.render(
            position=position,
            mark=mark,
            sign=sign_of_mark(mark),
            checks=Markup(checks),  # noqa: S704  # a template has escaped each
        )
        return text.encode()

    def _one(self, result: CheckMark) -> str:
        if any(finding.message for finding in result.findings):
            return self._made(result)
        key = result.check.code, result.check.title, result.outcome, result.score, result.waits_for
        return self._checks.kept(key, lambda: self._made(result))

    def _made(self, result: CheckMark) -> str:
        return self._check.render(
            result=result,
            check=result.check,
            sign=sign_of_check(result),
            link=_link(result),
            lesson=_lesson(result),
            findings=[
                (finding, lines_of(finding)) for finding in result.findings if finding.message
            ],
        )


def _lesson(result: CheckMark) -> str:
    """Return the lesson to read, where a finding does not say itself what to do."""
    if result.outcome == "unasked":
        return ""
    alone = any(finding.message and not finding.next_step for finding in result.findings)
    return result.check.page if alone else ""


def _link(result: CheckMark) -> str:
    """Return where the check is explained, if that is a page on the web."""
    return result.check.page if result.check.page.startswith("https://") else ""


def _listed(entry: Entry, attempts: Sequence[Entry]) -> list[Attempt]:
    return [
        Attempt(
            each.attempt or "first",
            each.file,
            SIGNS[each.outcome.letter].word,
            each.number == entry.number,
        )
        for each in attempts
    ]


def lines_of(finding: FoundPlace) -> list[Line]:
    """Return the lines around a failing place; none where it means the file as a whole."""
    if not finding.line or not finding.excerpt:
        return []
    first = max(1, finding.line - 2)
    texts = finding.excerpt.split("\n")[:_LINES]
    while texts and not texts[-1].strip() and first + len(texts) - 1 > finding.line:
        texts.pop()
    return [_line(first + offset, text, finding) for offset, text in enumerate(texts)]


def _line(number: int, text: str, finding: FoundPlace) -> Line:
    text = text.rstrip("\r")
    failing = number == finding.line
    if not failing:
        return Line(number, _readable(text[: _WIDTH + 1]), "", "", failing=False)
    start = min(max(0, finding.column - 1), len(text))
    found = _TOKEN.match(text, start) if finding.column else None
    end = found.end() if found else start
    left = max(0, start - _WIDTH // 2)
    return Line(
        number,
        ("…" if left else "") + _readable(text[left:start]),
        _readable(text[start:end]),
        _readable(text[end : left + _WIDTH + 1] if end < left + _WIDTH else ""),
        failing=True,
    )


def _readable(text: str) -> str:
    return visible(text.replace("\t", "    "), _WIDTH)
