"""expert 01: five tasks, each classified into a tier (specification, sections 2.5 and 4)."""

import json

from verify.course.checks import classification, validity
from verify.course.checks.classification import Scenario
from verify.course.exercises.shared import CLASSIFICATION, check, strict_json
from verify.course.tables import table
from verify.grading.artifacts import ArtifactRef
from verify.grading.model import Check, Exercise

_FILE = "docs/expert/tutorials/outputs/01-classifications.json"
CLASSIFICATIONS = ArtifactRef("01-classifications.json", path=_FILE)
SCENARIOS = tuple(
    Scenario(**{**row, "signals": tuple(row["signals"])}) for row in table("scenarios.json")
)
_TIERS = tuple(
    Check(
        code=f"E01.{number}",
        title=f"scenario {scenario.name} has the right tier",
        run=classification.expects_tier(CLASSIFICATIONS, SCENARIOS, scenario, ("E01.6", "E01.5")),
        hint=scenario.reason,
        look_at=scenario.ask,
        why="Too low a tier gives hard work to a small model; too high a tier costs too much.",
        example=f'"signals": {json.dumps(scenario.signals)},\n"tier": "{scenario.tier}"',
        requires=("E01.4",),
    )
    for number, scenario in enumerate(SCENARIOS, start=7)
)

EXERCISE = Exercise(
    level="expert",
    number=1,
    slug="classify",
    title="Classify tasks into tiers",
    target=None,
    artifacts=(CLASSIFICATIONS,),
    solution=f"fixtures/submissions/expert/01-classify/solved/{_FILE}",
    checks=(
        check("E01.1", validity.is_there(CLASSIFICATIONS), example=_FILE),
        strict_json("E01.2", CLASSIFICATIONS, "E01.1"),
        check("E01.3", classification.has_five_records(CLASSIFICATIONS, SCENARIOS), "E01.2"),
        check(
            "E01.4",
            classification.has_required_fields(CLASSIFICATIONS),
            "E01.3",
            example=CLASSIFICATION,
        ),
        check("E01.5", classification.has_valid_tiers(CLASSIFICATIONS), "E01.3"),
        check("E01.6", classification.covers_scenarios(CLASSIFICATIONS, SCENARIOS), "E01.4"),
        *_TIERS,
        check("E01.12", classification.routes_trivial_tasks(CLASSIFICATIONS, "E01.5"), "E01.4"),
        check(
            "E01.13",
            classification.routes_as_the_table(CLASSIFICATIONS),
            ("E01.4", "E01.5"),
            points=0,
        ),
        check(
            "E01.14", classification.estimates_scope(CLASSIFICATIONS, SCENARIOS), "E01.6", points=0
        ),
    ),
)
