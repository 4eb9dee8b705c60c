"""The artifacts that exercises look at."""

from pipeline.layout import GIT_RESULT, PLAN, WORKER_RESULT
from verify.attempt import Source

PLAN_JSON = Source(PLAN)
WORKER_JSON = Source(WORKER_RESULT)
GIT_JSON = Source(GIT_RESULT)
CLASSIFICATIONS = Source(
    "01-classifications.json",
    path="docs/expert/tutorials/outputs/01-classifications.json",
)
