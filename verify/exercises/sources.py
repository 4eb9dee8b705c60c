"""The artifacts that exercises look at."""

from pipeline.protocol.layout import GIT_RESULT, PLAN, WORKER_RESULT
from verify.attempt import Source

PLAN_JSON = Source(PLAN)
WORKER_JSON = Source(WORKER_RESULT)
GIT_JSON = Source(GIT_RESULT)
RUN = (PLAN_JSON, WORKER_JSON, GIT_JSON)  # what a whole run of the pipeline leaves behind
CLASSIFICATIONS = Source(
    "01-classifications.json",
    path="docs/expert/tutorials/outputs/01-classifications.json",
)
