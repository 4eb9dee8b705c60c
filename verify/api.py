"""What an author of an own course imports.

    from verify.api import Check, Context, Exercise, Verdict, own_artifact, readable

A change of these names is in the change log; everything else in `verify/` and `pipeline/` may
move. `docs/reference/own-course.md` lists them.
"""

from pipeline.files import Unreadable
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import listed, named, quoted
from verify.course.checks.validity import (
    all_of,
    follows_schema,
    has_no_problem,
    is_json,
    is_there,
    keeps_rules,
    passes_without_problems,
)
from verify.course.exercises.shared import (
    GIT_RULES,
    PLAN_RULES,
    agreement,
    completed,
    criteria,
    files_and_steps,
    implementing,
    marked,
    named_branch,
    paths_in_target,
    planned,
    readable,
    strict_json,
    tested,
    tracing,
)
from verify.course.own_course.artifacts import own_artifact
from verify.course.own_course.texts import TextFile, readable_text
from verify.grading.artifacts import Artifact, ArtifactRef, Context
from verify.grading.model import (
    PASSED,
    Check,
    Exercise,
    Finding,
    Outcome,
    Verdict,
    failed,
    not_checked,
)

__all__ = [
    "GIT_RULES",
    "PASSED",
    "PLAN_RULES",
    "Artifact",
    "ArtifactRef",
    "Check",
    "Context",
    "Exercise",
    "Finding",
    "Outcome",
    "Problem",
    "TextFile",
    "Unreadable",
    "Verdict",
    "agreement",
    "all_of",
    "completed",
    "criteria",
    "failed",
    "files_and_steps",
    "follows_schema",
    "has_no_problem",
    "implementing",
    "is_json",
    "is_there",
    "keeps_rules",
    "listed",
    "marked",
    "named",
    "named_branch",
    "not_checked",
    "own_artifact",
    "passes_without_problems",
    "paths_in_target",
    "planned",
    "quoted",
    "readable",
    "readable_text",
    "strict_json",
    "tested",
    "tracing",
]
