"""The stages of a run, one file each, in their order."""

from pipeline.run.stages.implement import IMPLEMENT
from pipeline.run.stages.plan import PLANNING
from pipeline.run.stages.publish import PUBLISH
from pipeline.run.stages.review import REVIEW
from pipeline.run.stages.test import TEST

STAGES = (PLANNING, IMPLEMENT, TEST, REVIEW, PUBLISH)
