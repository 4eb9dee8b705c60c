"""expert 04: one whole delegated run of the pipeline on a complex issue."""

from verify.course.checks import evidence
from verify.course.exercises.shared import GIT_JSON, RUN, tracing
from verify.grading.model import Check, Exercise

EXERCISE = Exercise(
    level="expert",
    number=4,
    slug="evidence",
    title="Trace a run with evidence",
    issue="ISSUE-305",
    profile="exercise",
    artifacts=RUN,
    solution="fixtures/solutions/ISSUE-305",
    asks=(("ISSUE-305", 30),),
    checks=(
        *tracing("E04", delegated=True, advisory=False),
        Check(
            code="E04.22",
            title="the commit contains no artifacts",
            run=evidence.leaves_artifacts_out(GIT_JSON, RUN),
            hint="Stage the files of the work by name, and commit the artifacts separately.",
            look_at="Any path in `.pipeline` that `git show --stat <hash>` prints.",
            why="An artifact describes the run, and is not part of the product.",
            example="git add -- src/health/routes.js test/health/routes.test.js",
            points=0,
            requires=("E04.17",),
            compares_git=True,
        ),
        Check(
            code="E04.23",
            title="the dates of the commits are in order",
            run=evidence.has_times_in_order(GIT_JSON),
            hint="Fix the machine's clock before the next commit. Do not change earlier commits.",
            look_at="Each line that `git log --format='%h %ai %ci' <branch>` prints.",
            why="No commit can be older than its parent or its author date, so one date is wrong.",
            example="timedatectl set-ntp true",
            points=0,
            requires=("E04.18",),
            compares_git=True,
        ),
    ),
)
