"""practitioner 04: one whole delegated run of the pipeline."""

from verify.exercises.shared import RUN, compared_with_git, markers, reviewed, tracing
from verify.model import Exercise

EXERCISE = Exercise(
    level="practitioner",
    number=4,
    slug="trace",
    title="Trace a delegated run",
    issue="ISSUE-202",
    profile="exercise",
    artifacts=RUN,
    solution="fixtures/solutions/ISSUE-202",
    checks_page="docs/reference/checks-practitioner.md",
    checks=(
        *tracing("P04"),
        *markers("P04", 9),
        *reviewed("P04", 12, mapping=True),
        *compared_with_git("P04", 17, advisory=True),
    ),
)
