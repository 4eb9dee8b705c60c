"""Knows a submission without a fault at once: in a cohort most have none.

It passes nothing that the careful grading would not: what it does not know is graded as ever.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from pipeline.protocol.validate import Validation, validate
from pipeline.terminal.host import FixedHost
from verify.artifacts import Artifact, Context
from verify.batch.witness import Witness
from verify.checks.validity import OfProblems
from verify.files import NoSubmission, Unresolved
from verify.fingerprint import compared, fingerprint_of
from verify.gradebook.records import Record
from verify.gradebook.stored import DIGEST
from verify.model import PASSED

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pipeline.protocol.issue import Issue
    from verify.artifacts import ArtifactRef, CheckFunction
    from verify.model import Exercise
    from verify.submission import Submission

NO_HOST = FixedHost({})  # a cohort is graded anywhere: the grader's machine is nobody's result


class Flawless(NamedTuple):
    """What a flawless submission of one exercise has: artifacts without a problem, and `further`.

    `reads` has each artifact's path, its source, and what returns its value where it has no
    problem. All checks pass where the `further` ones do: `outcomes` says so, a letter each.
    `compared` are the artifacts in the order of a fingerprint.
    """

    reads: tuple[tuple[str, ArtifactRef, Callable[[bytes], Any]], ...]
    further: tuple[CheckFunction, ...]
    outcomes: str
    compared: tuple[ArtifactRef, ...]


def flawless(exercise: Exercise) -> Flawless:
    """Return what a flawless submission of an exercise has."""
    runs = [check.run for check in exercise.checks]
    sources = dict.fromkeys(run.source for run in runs if isinstance(run, OfProblems))
    return Flawless(
        tuple((one.located(exercise), one, _acceptor(one, exercise)) for one in sources),
        tuple(run for run in runs if not isinstance(run, OfProblems)),
        "p" * len(runs),
        compared(exercise),
    )


def _acceptor(source: ArtifactRef, exercise: Exercise) -> Callable[[bytes], Any]:
    own = source.own

    def accepted(data: bytes) -> Any:
        if own is None:
            value, problems = validate(data, source.kind, exercise.profile)
        else:
            value, problems = own.validate(data)
        return None if problems else value

    return accepted


def record_of(
    right: Flawless, exercise: Exercise, issue: Issue | None, door: Submission
) -> Record | None:
    """Return the record of a submission that passes every check, None for any other.

    Raises:
        NoSubmission: it cannot be opened.
        Unresolved: a person has to look.
        MemoryError: it needs more memory than there is.
    """
    artifacts: dict[ArtifactRef, Artifact] = {}
    noted: list[tuple[str, bytes]] = []
    try:
        for path, source, accepted in right.reads:
            data = door.read(path)
            value = accepted(data)
            if value is None:
                return None
            noted.append((path, sha256(data).digest()[:DIGEST]))
            artifacts[source] = Artifact(path, data=data, validation=Validation(value))
        witness = Witness(door, noted)
        context = Context(exercise, witness, issue, NO_HOST, artifacts=artifacts)
        for check in right.further:
            if check(context) is not PASSED:
                return None
        fingerprint = fingerprint_of(context, right.compared)
    except (
        NoSubmission,
        Unresolved,
        MemoryError,
    ):  # no more is asked of what stands half-read in memory
        raise
    except (Exception, SystemExit):  # noqa: BLE001  # the careful run finds it again and says whose fault it is
        return None
    return Record(
        "pass",
        exercise.points,
        right.outcomes,
        witness.questions,
        witness.answers,
        fingerprint=fingerprint,
    )
