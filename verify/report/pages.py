"""The pages of the report, and what the Jinja templates need besides their data."""

from __future__ import annotations

import os
import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pipeline.terminal.display import visible
from verify.exports.base import NO_SETTINGS, command_of, link_of
from verify.report.tally import SIGNS
from verify.reporters.base import excerpt_lines, sign_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.exports.base import Settings
    from verify.gradebook.records import Mark
    from verify.grading.model import CheckInfo, Finding, Result
    from verify.report.tally import CohortTally, LearnerRow
    from verify.reporters.base import Sign

_TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates")
_TEXT = 600  # characters of an untrusted text that a page shows
_FAILURES = 25  # that are shown
_LINES, _WIDTH = 12, 200  # of an excerpt: lines, and characters of a line around the marked place
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\w.+-]+|\S')


class ExcerptLine(NamedTuple):
    """One line of an artifact, around a failing place."""

    number: int
    before: str
    marked: str  #: what is wrong; empty on all lines but the failing one
    after: str
    failing: bool


class Pages:
    """Makes pages: values are escaped, and a missing one is an error."""

    def __init__(self, settings: Settings = NO_SETTINGS) -> None:
        self._settings = settings
        self.environment = Environment(
            loader=FileSystemLoader(_TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self.environment.filters.update(
            badge=badge,
            visible=partial(visible, limit=_TEXT),
            percent=percent,
            plural=plural,
            link=partial(link_of, site=settings.site),
            command=lambda name, of: command_of(name, settings.again.get(of, "")),
            signed="{:+.2f}".format,
            number="{:,}".format,
            points="{:.10g}".format,
        )
        self.environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
        self._learner = self.environment.get_template("learner.html")
        self._check = self.environment.get_template("check.html")
        # made once: a template that extends another costs a page twice the time
        self._head = self._head_of("../", "back.js", "learner")
        self._passing = lru_cache(4_000)(self._made)  # all learners have most of these in common

    def _head_of(self, root: str, script: str, *styles: str) -> Markup:
        """Return the beginning of a page: the path to the root, its script and its styles."""
        text = self.environment.get_template("head.html").render(
            root=root, script=script, styles=("colours", "page", *styles, "media")
        )
        return Markup(text)  # noqa: S704  # a template has escaped it

    def learner(
        self,
        entry: LearnerRow,
        attempts: Sequence[LearnerRow],
        *,
        has_roster: bool,
        beside: Sequence[LearnerRow | None] = (None, None),
    ) -> bytes:
        """Return a learner's page; `attempts` are all entries of the learner, this one too.

        `beside` has an entry of the learner before, and of the one after.
        """
        text = self._learner.render(
            head=self._head,
            entry=entry,
            standing=entry.standing,
            learner=entry.standing.learner,
            attempts=attempts,
            beside=beside,
            has_roster=has_roster,
            signs=SIGNS,
            checks=self._checks,
        )
        return text.encode()

    def _checks(self, mark: Mark) -> Markup:
        parts = [
            (self._made if result.findings else self._passing)(result) for result in mark.results
        ]
        return Markup("".join(parts))  # noqa: S704  # a template has escaped each

    def _made(self, result: Result[CheckInfo]) -> str:
        return self._check.render(
            result=result,
            check=result.check,
            sign=sign_of(result),
            findings=[
                (finding, lines_of(finding)) for finding in result.findings if finding.message
            ],
        )

    def overview(self, tally: CohortTally) -> bytes:
        """Return the overview's page."""
        failures = tally.failures(_FAILURES)
        noun = "attempt" if tally.attempts else "learner"
        data = {
            "noun": noun,
            "attempts": tally.attempts,
            "exercises": [
                {
                    "name": visible(exercise.name, 80),
                    "title": visible(exercise.title),
                    "points": exercise.points,
                    "checks": [
                        [visible(c.code, 80), visible(c.title, 200)] for c in exercise.checks
                    ],
                }
                for exercise in tally.exercises
            ],
            "groups": [
                *(copy.rows for copy in tally.copies),
                *(failure.rows for failure in failures),
            ],
            "copies": [group.label for group in tally.copies],
            "sections": tally.sections,
            "rows": tally.rows,
        }
        text = self.environment.get_template("overview.html").render(
            head=self._head_of("", "table.js", "overview", "table"),
            noun=noun,
            tally=tally,
            failures=failures,
            attention=self._settings.attention,
            signs=SIGNS,
            data=data,
        )
        return text.encode("utf-8", "replace")


def lines_of(finding: Finding) -> list[ExcerptLine]:
    """Return the lines around a failing place; none if the finding is about the whole file."""
    lines = excerpt_lines(finding)[:_LINES] if finding.line else []
    return [_line(number, text, finding) for number, text in lines]


def _line(number: int, text: str, finding: Finding) -> ExcerptLine:
    if number != finding.line:
        return ExcerptLine(number, _readable(text[: _WIDTH + 1]), "", "", failing=False)
    start = min(max(0, finding.column - 1), len(text))
    found = _TOKEN.match(text, start) if finding.column else None
    end = found.end() if found else start
    left = max(0, start - _WIDTH // 2)
    before = ("…" if left else "") + _readable(text[left:start])
    after = text[end : left + _WIDTH + 1] if end < left + _WIDTH else ""
    return ExcerptLine(number, before, _readable(text[start:end]), _readable(after), failing=True)


def _readable(text: str) -> str:
    return visible(text.replace("\t", "    "), _WIDTH)


@lru_cache
def badge(sign: Sign) -> Markup:
    """Return an outcome as a reader sees it: colour, symbol and word."""
    text = '<span class="badge {0}"><span aria-hidden="true">{1}</span> {0}</span>'
    return Markup(text).format(sign.label, sign.mark)  # noqa: S704  # it escapes what it is given


def percent(value: float | None) -> str:
    """Return `97 %`, never on two lines."""
    return "–" if value is None else f"{100 * value:.0f}\u00a0%"  # noqa: RUF001  # the dash is meant


def plural(count: int, noun: str) -> str:
    """Return `1 learner` or `2,000 learners`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
