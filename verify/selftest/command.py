"""Carries out `verify self-test`: proves, reports, returns the exit code."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pipeline.crash import broken, fenced
from pipeline.display import inert, visible
from pipeline.exit_codes import FAILED, PASSED, UNUSABLE
from pipeline.issues import MalformedIssue
from pipeline.streams import deliver, guarded, tell
from verify.catalog import UnknownExercise
from verify.selftest.proof import prove
from verify.selftest.real import NoCheckout, the_course

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMATS = ("table", "json")


def self_test(selection: Sequence[tuple[str, str]], format_: str) -> int:
    """Prove the exercises that are selected, the whole course by default.

    Returns 0 where the course is proven, 1 where it has a defect, 2 for an unknown exercise or an
    installed copy without fixtures, 3 where the harness or one of the course's issues is broken.
    """
    return guarded(lambda: fenced(lambda: _self_test(selection, format_)))


def _self_test(selection: Sequence[tuple[str, str]], format_: str) -> int:
    begun = time.perf_counter()
    try:
        proof = prove(the_course(selection))
    except (UnknownExercise, NoCheckout) as error:
        tell(inert(f"verify: {visible(str(error), 500)}"))
        return UNUSABLE
    except MalformedIssue as error:
        return broken(f"the course's own files are damaged: {error}")
    if format_ == "json":
        from verify.selftest.record import record as report
    else:
        from verify.selftest.table import table as report
    deliver(report(proof))
    tell(f"verify: self-test took {time.perf_counter() - begun:.1f} seconds")
    return FAILED if proof.defects else PASSED
