"""`verify export`: grades and feedback from a gradebook, in the formats of other systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.terminal.display import printed, visible
from pipeline.terminal.exit_codes import BROKEN, PASSED
from pipeline.terminal.streams import deliver
from verify.commands import gradebook_command as common
from verify.commands.exporting import (
    add_exports,
    check_exports,
    platforms_of,
    repeated,
    write_exports,
)
from verify.commands.term import add_assignments, cohort_asked
from verify.gradebook.store import files_of, reading
from verify.grading.model import Outcome
from verify.learner.check import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.terminal.arguments import Arguments

_EPILOG = """\
examples:
  python3 -m verify export --out results
  python3 -m verify export --moodle filled.csv --moodle-from worksheet.csv --html report

exit codes: 0 written, 2 wrong usage or nothing to export, 3 written, but some submissions
could not be graded or have not been graded yet
"""
_COMMON = (
    *("--help", "--gradebook", "--out", "--csv", "--feedback", "--html"),
    *("--canvas-from", "--moodle-from"),
)


def add_options(parser: Arguments) -> None:
    """Add the options of `verify export`."""
    parser.set_defaults(command=export)
    parser.epilog = _EPILOG
    parser.common = _COMMON
    common.add_gradebook(parser)
    add_assignments(parser, "export only this assignment of a term (default: the whole term)")
    add_exports(parser)


@common.gradebook_command
def export(
    *, gradebook: str, exports: Sequence[tuple[str, str]], assignments: Sequence[str]
) -> int:
    """Write exports from a gradebook; return 0, 2 or 3 as documented."""
    if not exports:
        raise UsageError("no export was requested: add one, such as --out results")
    with reading(gradebook) as connection:
        cohort = cohort_asked(connection, assignments, gradebook)
        names = [exercise.name for exercise in cohort.exercises]
        asked = check_exports(exports, exercises=names, inputs=files_of(gradebook))
        if not cohort.complete:
            common.note(
                "the last run is not finished: submissions not graded yet are exported as errors"
            )
        common.note_unclaimed(connection)
        common.note_mixed(connection)
        written = write_exports(
            cohort,
            asked,
            gradebook,
            again=repeated(cohort),
            attention=common.attention_lines(connection),
            platforms=platforms_of(cohort),
        )
        deliver(printed(visible(path, 300) for path in written))
        errors = sum(count.outcomes[Outcome.ERROR] for count in cohort.counts().exercises)
    if errors:
        what = "result is an error and has" if errors == 1 else "results are errors and have"
        common.note(f"{errors:,} {what} no grade: run the last verify batch command again")
    return BROKEN if errors or not cohort.complete else PASSED
