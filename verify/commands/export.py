"""`verify export`: write grades and feedback from a gradebook, without grading."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from pipeline.terminal.display import inert, visible
from pipeline.terminal.exit_codes import BROKEN, PASSED
from pipeline.terminal.streams import deliver
from verify.batch.progress import Progress
from verify.check import UsageError
from verify.commands.gradebooks import add_gradebook, gradebook_command, note
from verify.exports.exporting import add_exports, check_exports, write_exports
from verify.gradebook.reading import GradebookCohort
from verify.gradebook.store import files_of, reading
from verify.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.terminal.arguments import Arguments

_EPILOG = """\
examples:
  python3 -m verify export --csv grades.csv
  python3 -m verify export --moodle filled.csv --moodle-from worksheet.csv --html report

exit codes: 0 written, 2 wrong usage or nothing to export, 3 written, but some of it could not be
graded, or was not graded yet
"""
_COMMON = (
    *("--help", "--gradebook", "--csv", "--canvas", "--canvas-from", "--moodle", "--moodle-from"),
    *("--feedback", "--html"),
)


def add_options(parser: Arguments) -> None:
    """Add the options of `verify export`."""
    parser.set_defaults(command=export)
    parser.epilog = _EPILOG
    parser.common = _COMMON
    add_gradebook(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    add_exports(parser)


@gradebook_command
def export(*, gradebook: str, exports: Sequence[tuple[str, str]], quiet: bool) -> int:
    """Write exports of a gradebook; return 0, 2 or 3 as documented."""
    if not exports:
        raise UsageError("no export is given: add one, such as --csv grades.csv")
    with reading(gradebook) as connection:
        latest = GradebookCohort(connection)
        cohort = GradebookCohort(
            connection, run=latest.run, attempts_all=latest.options.get("attempts") == "all"
        )
        names = [exercise.name for exercise in cohort.exercises]
        options = check_exports(exports, exercises=names, inputs=files_of(gradebook))
        if not cohort.complete:
            note("the last run is not finished: what it has not graded is exported as an error")
        counts = cohort.counts()
        with closing(Progress(counts.standings, quiet=quiet)) as progress:
            written = write_exports(cohort, options, note=note, progress=progress)
        deliver("".join(f"{inert(visible(path, 300))}\n" for path in written))
        errors = sum(one.outcomes[Outcome.ERROR] for one in counts.exercises)
    if errors:
        what = "result is an error" if errors == 1 else "results are errors"
        note(f"{errors:,} {what} without a grade: run verify batch again to grade the rest")
    return BROKEN if errors or not cohort.complete else PASSED
