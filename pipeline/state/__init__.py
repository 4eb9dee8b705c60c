"""The state of an issue, read from its files and from nothing else (specification, section 3)."""

from pipeline.state.artifact import ABSENT, INVALID, VALID, Artifact
from pipeline.state.issue import (
    IMPLEMENTING,
    PLANNING,
    PUBLISHING,
    READY,
    RECEIVED,
    State,
    state_of,
)
from pipeline.state.lock import RUN_LOCK
from pipeline.state.survey import Survey, survey

__all__ = [
    "ABSENT",
    "IMPLEMENTING",
    "INVALID",
    "PLANNING",
    "PUBLISHING",
    "READY",
    "RECEIVED",
    "RUN_LOCK",
    "VALID",
    "Artifact",
    "State",
    "Survey",
    "state_of",
    "survey",
]
