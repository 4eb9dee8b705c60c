"""`verify self-test`: proves every exercise of a course, and reports."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.fault import unusable
from pipeline.terminal.streams import deliver, tell
from verify.commands.options import add_course, add_exercises
from verify.learner.check import command
from verify.selftest.cheaters import tried
from verify.selftest.course import own_course
from verify.selftest.fixtures import updated
from verify.selftest.proof import prove, record, table
from verify.selftest.shipped import the_course

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.terminal.arguments import Arguments


def add_options(parser: Arguments) -> None:
    """Add the options of `verify self-test`."""
    parser.set_defaults(command=self_test)
    add_course(parser)
    add_exercises(parser, "test only this exercise")
    parser.add_argument(
        "--format",
        dest="format_",
        metavar="F",
        choices=("table", "json"),
        default="table",
        help="one of table, json (default: table)",
    )
    cheaters = "run each cheater in the place of each work, and not only a few (some minutes)"
    parser.add_argument("--cheaters", action="store_true", help=cheaters)
    update = "first update the expected result of each fixture, and print the differences"
    parser.add_argument("--update", action="store_true", help=update)


@command
def self_test(
    exercises: Sequence[tuple[str, str]], format_: str, course: str, *, cheaters: bool, update: bool
) -> int:
    """Prove a course, or some of its exercises; return 0, or 1 if it has a defect."""
    begun = time.perf_counter()
    try:
        tested = own_course(course, exercises) if course else the_course(exercises)
        if update:
            changes = [text for exercise in tested.selected for text in updated(tested, exercise)]
            for line in "\n".join(changes).splitlines():
                tell(visible(line, 1_000))
            tell(f"verify: {len(changes)} expectation{'s' * (len(changes) != 1)} changed")
        proof = prove(tested)
        runs = tried(tested, is_whole=cheaters)
    except OSError as error:
        raise unusable(visible(str(error), 1_000)) from None
    if isinstance(runs, str):
        tell(f"verify: no cheater was run: {runs}")
    elif runs.there:
        proof = proof._replace(defects=(*proof.defects, *runs.defects))
        full = f"{len(runs.defects)} with full points"
        tell(f"verify: {runs.tried} of {runs.there} cheaters were run: {full}")
    deliver(record(proof) if format_ == "json" else table(proof))
    tell(f"verify: self-test took {time.perf_counter() - begun:.1f} seconds")
    return FAILED if proof.defects else PASSED
