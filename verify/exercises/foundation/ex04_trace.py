"""foundation 04: one whole run of the pipeline, traced by its three artifacts."""

from verify.exercises.evidence import compared_with_git
from verify.exercises.sources import RUN
from verify.exercises.tracing import planned_from_root, reviewed, tracing
from verify.model import Exercise

EXERCISE = Exercise(
    level="foundation",
    number=4,
    slug="trace",
    title="Trace a pipeline run",
    kind="pipeline trace",
    issue="ISSUE-102",
    artifacts=RUN,
    solution="fixtures/solutions/ISSUE-102",
    checks=(
        *tracing("F04"),
        *reviewed("F04", 9, mapping=False),
        planned_from_root("F04.12", "F04.4"),
        *compared_with_git("F04", 13, advisory=True),
    ),
)
