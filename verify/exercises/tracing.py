"""The checks that the pipeline-trace exercises share (specification, section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.checks import implementation, validity
from verify.exercises.examples import EXAMPLES
from verify.exercises.parts import (
    agreement,
    completed,
    criteria,
    files_and_steps,
    marked,
    named_branch,
    rooted,
)
from verify.exercises.sources import GIT_JSON, PLAN_JSON, RUN, WORKER_JSON
from verify.model import Check

if TYPE_CHECKING:
    from verify.artifacts import ArtifactRef

_FILES_STEPS = frozenset({"files-steps"})


def tracing(code: str) -> tuple[Check, ...]:
    """Return the three checks of the specification's trace, codes `<code>.1` to `<code>.8`."""
    there = tuple(
        Check(
            code=f"{code}.{number}",
            title=f"{source.name} is in its folder, as JSON",
            run=validity.is_there_as_json(source),
            hint="Run the stage that writes it, for the target project that its path begins with.",
            look="The folder that the failure names, from its first part on, and the file's name.",
            why="The artifacts are the trace of a run: a stage without one cannot be followed.",
            example=f".pipeline/ISSUE-7/{source.name}",
        )
        for number, source in enumerate(RUN, start=1)
    )
    valid = (
        _valid(f"{code}.4", PLAN_JSON, f"{code}.1", apart_from=_FILES_STEPS),
        _valid(f"{code}.5", WORKER_JSON, f"{code}.2", apart_field="blockers"),
        _valid(f"{code}.6", GIT_JSON, f"{code}.3"),
    )
    return (
        *there,
        *valid,
        files_and_steps(f"{code}.7", PLAN_JSON, f"{code}.4"),
        Check(
            code=f"{code}.8",
            title="blockers is an array, empty once completed",
            run=implementation.has_array_of_blockers(WORKER_JSON),
            hint="Write [] when nothing blocks the worker.",
            look="The value of blockers, and that of status.",
            why="Tools count its elements, which null or a sentence does not have.",
            example='"blockers": []',
            requires=(f"{code}.2",),
        ),
    )


def _valid(
    code: str,
    source: ArtifactRef,
    requires: str,
    *,
    apart_from: frozenset[str] = frozenset(),
    apart_field: str = "",
) -> Check:
    return Check(
        code=code,
        title=f"{source.name} passes schema validation",
        run=validity.follows_schema(source, apart_from=apart_from, apart_field=apart_field),
        hint="Fix every place listed; the stage that wrote the file can do it from these lines.",
        look="Each place of the failure, from the top: one mistake often causes the next.",
        why="The stage after this one reads the file by the same rules.",
        example=EXAMPLES[source.name],
        requires=(requires,),
    )


def reviewed(code: str, first: int, *, mapping: bool) -> tuple[Check, ...]:
    """Return what a reviewer of the pull request asks: completed work, and three pieces of advice.

    The work has to be completed: nothing else is published (specification, section 3).
    """
    worker, git, plan = f"{code}.5", f"{code}.6", f"{code}.7"
    checks = [
        completed(f"{code}.{first}", WORKER_JSON, worker),
        agreement(f"{code}.{first + 1}", WORKER_JSON, PLAN_JSON, (worker, plan), advisory=True),
    ]
    if mapping:
        checks.append(criteria(f"{code}.{first + 2}", PLAN_JSON, plan, advisory=True))
    return (*checks, named_branch(f"{code}.{first + len(checks)}", GIT_JSON, git))


def planned_from_root(code: str, plan: str) -> Check:
    """Return the advisory check of the paths in a trace, whose target project is the root."""
    return rooted(code, PLAN_JSON, plan, "sandbox/src/app.js", advisory=True)


def markers(code: str, first: int) -> tuple[Check, ...]:
    """Return the checks of the three markers of a delegated pipeline."""
    return (
        marked(f"{code}.{first}", PLAN_JSON, f"{code}.4", "x-subplanner", points=2),
        marked(f"{code}.{first + 1}", WORKER_JSON, f"{code}.5", "x-worker"),
        marked(f"{code}.{first + 2}", GIT_JSON, f"{code}.6", "x-git"),
    )
