"""The interface of reporters: what they get and return, and the words that they share."""

from __future__ import annotations

import enum
import re
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.terminal.display import visible
from verify.grading.model import Outcome, run_words
from verify.grading.ways import CONTAINER, TRUSTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.grading.levels import Provenance, WhyNot
    from verify.grading.model import Exercise, Finding, Report, Result

    Reporter = Callable[["GradedRun", "View"], "Rendered"]  # it never prints, opens a file or exits


_NOT_RUN = "Nothing was run, so this does not show that the code works: add --run."
_BACKTICKS = re.compile("`+")


class GradedRun(NamedTuple):
    """What was graded."""

    level: str
    reports: tuple[Report, ...]  #: one exercise's, or those of all of a level
    overview: bool = False  #: of a level


class View(NamedTuple):
    """How to show a run."""

    command: Callable[[str, Exercise | None], str]  #: the command line that grades an exercise of
    #: a level, or lists the level where the exercise is None
    explain: Callable[[str], str] = "verify explain {}".format  #: the one that explains a check
    following: Exercise | None = None
    is_past: bool = (
        False  #: whether the results are of an earlier day: nothing is said of what is next
    )
    width: int = 80  #: columns
    rows: int = 0  #: lines of the screen, 0 where there is room for any number
    colour: bool = False
    symbols: bool = True  #: whether the output can show more than ASCII
    hints: int = 0  #: how many hints the first failure has
    keys: bool = False  #: whether a key asks for the next hint
    verbose: bool = False  #: whether each check and the notes are shown
    provenance: bool = False  #: whether it is shown how far the artifacts can be traced
    solution: Callable[[Exercise], str] = attrgetter("solution")  #: a path to compare with, or ""
    prefix: str = ""  #: leads from the workspace to the submission's root


class Rendered(NamedTuple):
    """What a format makes of a run."""

    text: str  #: for stdout
    summary: str = ""  #: a page for a step summary, empty for formats without one


class Sign(enum.Enum):
    """An outcome as people see it: of a check, of an exercise, of a whole submission."""

    PASS = ("p", "pass", "✓", "32")
    FAIL = ("f", "FAIL", "✗", "1;31")
    NOTE = ("n", "note", "!", "33")  # an advisory check that did not pass: it costs no points
    SKIP = ("s", "skipped", "\u2013", "2", "·")
    NOT_CHECKED = ("a", "not checked", "\u2013", "2", "∅")  # nothing could answer it
    ERROR = ("e", "ERROR", "?", "1;35")
    UNRESOLVED = ("u", "UNRESOLVED", "¿", "1;35")  # a person has to look
    MISSING = ("m", "missing", "\u2013", "2")
    EXCUSED = ("x", "excused", "\u2013", "2", "○")

    def __init__(self, letter: str, word: str, symbol: str, colour: str, mark: str = "") -> None:
        self.letter = letter  #: in the data of the cohort's report
        self.word, self.symbol, self.colour = word, symbol, colour  #: in a terminal
        self.mark = mark or symbol  #: on a page, where no colour tells two signs apart
        self.label = self.name.lower().replace("_", " ")  #: the word on a page


def sign_of(result: Result[Any], *, strict: bool = False) -> Sign:
    """Return the sign of a result; strict grading makes notes failures."""
    if result.outcome is Outcome.FAIL and result.check.advisory and not strict:
        return Sign.NOTE
    return Sign[result.outcome.name]


def place(finding: Finding) -> str:
    """Return `FILE:LINE:COLUMN  $.path`, whole: terminals and editors jump from it."""
    spot = f":{finding.line}:{finding.column}" if finding.line else ""
    path = f"  {visible(finding.path, 500)}" if finding.path else ""
    return f"{visible(finding.file, 500)}{spot}{path}"


def finding_lines(finding: Finding, hint: str = "") -> list[str]:
    """Return a finding as lines of plain text; `hint` is what to do if it does not say so."""
    parts = (
        place(finding) if finding.file else "",
        finding.message,
        f"expected {finding.expected}" if finding.expected else "",
        f"found {finding.found}" if finding.found else "",
        finding.action or hint,
    )
    return [visible(part, 1_100) for part in parts if part]


def excerpt_lines(finding: Finding) -> list[tuple[int, str]]:
    """Return the lines around a finding's place, each with its number; none without an excerpt."""
    lines = finding.excerpt.rstrip("\n").split("\n") if finding.excerpt else []
    return [(number, text.rstrip("\r")) for number, text in enumerate(lines, finding.first_line)]


def fenced(text: str) -> str:
    """Return a text as a Markdown code block, which no text in it can close."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}"


def run_line(report: Report) -> str:
    """Return what was found when a submission was run, and how that was done."""
    ran = report.ran
    if ran is None:
        return _NOT_RUN if report.exercise.asks else ""
    if not report.exercise.asks:
        return "run: nothing, since this exercise asks for no service"
    how = {TRUSTED: "without a jail, ", CONTAINER: "in a container, "}.get(ran.way, "")
    found = f"run: {run_words(report.results)}"
    return found if ran.seed is None else f"{found} ({how}seed {ran.seed})"


def provenance_lines(provenance: Provenance) -> list[str]:
    """Return the levels, `L1, consistent with git (…)`, then a line for each one not reached."""
    artifacts = provenance.artifacts
    levels = ", ".join(f"{traced.name} {traced.level.code}" for traced in artifacts)
    names: dict[WhyNot, list[str]] = {}
    for traced in artifacts:
        for missed in traced.missed:
            names.setdefault(missed, []).append(traced.name)
    return [
        f"Provenance: {provenance.level.code}, {provenance.level.words} ({levels})",
        *(
            f"not {missed.level.code}: {visible(missed.reason, 500)}"
            + (f" ({', '.join(of)})" if len(of) < len(artifacts) else "")
            for missed, of in sorted(names.items(), key=lambda item: item[0].level)
        ),
    ]
