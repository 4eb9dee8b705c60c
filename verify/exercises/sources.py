"""The artifacts that exercises look at."""

from pipeline.protocol.layout import GIT_RESULT, PLAN, WORKER_RESULT
from verify.artifacts import ArtifactRef

PLAN_JSON = ArtifactRef(PLAN)
WORKER_JSON = ArtifactRef(WORKER_RESULT)
GIT_JSON = ArtifactRef(GIT_RESULT)
RUN = (PLAN_JSON, WORKER_JSON, GIT_JSON)  # what a whole run of the pipeline leaves behind
CLASSIFICATIONS = ArtifactRef(
    "01-classifications.json",
    path="docs/expert/tutorials/outputs/01-classifications.json",
)
