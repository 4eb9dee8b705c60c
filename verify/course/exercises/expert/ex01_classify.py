"""expert 01: five tasks, each classified into a tier (specification, sections 2.5 and 4)."""

import json

from verify.course.checks import classification, validity
from verify.course.checks.classification import Scenario
from verify.course.exercises.examples import CLASSIFICATION
from verify.course.exercises.shared import check, strict_json
from verify.grading.artifacts import ArtifactRef
from verify.grading.model import Check, Exercise

_FILE = "docs/expert/tutorials/outputs/01-classifications.json"
CLASSIFICATIONS = ArtifactRef("01-classifications.json", path=_FILE)
SCENARIOS = (
    Scenario(
        name="typo",
        task="Fix a typo in the README: one word of the introduction is misspelt.",
        tier="trivial",
        domain_scope="single",
        least_files=1,
        most_files=1,
        ask="Does anything change besides the one word, such as code or a test?",
        reason="The task changes one document and needs no tests. Find the case that covers this.",
        signals=("single file", "documentation only", "no tests"),
    ),
    Scenario(
        name="endpoint",
        task="Add a GET endpoint that returns a user's profile, with input validation and tests.",
        tier="standard",
        domain_scope="single",
        least_files=3,
        most_files=3,
        ask="Does anything need a new pattern, or do existing patterns cover everything?",
        reason="A route, its validation and its tests follow existing patterns in one domain.",
        signals=("follows existing patterns", "no new abstractions", "tests needed"),
    ),
    Scenario(
        name="chat",
        task="Build a real-time chat over WebSocket with message persistence and rate limiting.",
        tier="complex",
        domain_scope="cross-domain",
        least_files=6,
        ask="What must be built first, and what stays open or is shared while the chat runs?",
        reason="The chat needs new abstractions, open connections, limits and stored messages.",
        signals=("new abstractions", "concurrency", "security"),
    ),
    Scenario(
        name="rename",
        task="Rename the class UserManager to AccountManager across the whole codebase.",
        tier="trivial",
        domain_scope="single",
        least_files=2,
        ask="Is every edit the same, however many files change?",
        reason="The edit is the same everywhere, and the number of files does not matter.",
        signals=("purely mechanical", "no new logic"),
    ),
    Scenario(
        name="access-control",
        task="Introduce role-based access control: three roles and middleware that enforces them.",
        tier="complex",
        domain_scope="cross-domain",
        least_files=4,
        ask="Who may do what after the change, and what must be built first?",
        reason="Roles and middleware for authorization are new here, however few files change.",
        signals=("security: authorization", "new abstractions"),
    ),
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
        check(
            "E01.1",
            "01-classifications.json is in outputs/",
            validity.is_there(CLASSIFICATIONS),
            example=_FILE,
        ),
        strict_json("E01.2", CLASSIFICATIONS, "E01.1"),
        check(
            "E01.3",
            "the file is an array of exactly five objects",
            classification.has_five_records(CLASSIFICATIONS, SCENARIOS),
            "E01.2",
        ),
        check(
            "E01.4",
            "every record has its required fields",
            classification.has_required_fields(CLASSIFICATIONS),
            "E01.3",
            example=CLASSIFICATION,
        ),
        check(
            "E01.5",
            "every tier is trivial, standard or complex",
            classification.has_valid_tiers(CLASSIFICATIONS),
            "E01.3",
        ),
        check(
            "E01.6",
            "each of the five scenarios is classified",
            classification.covers_scenarios(CLASSIFICATIONS, SCENARIOS),
            "E01.4",
        ),
        *_TIERS,
        check(
            "E01.12",
            "trivial tasks name the two fast agents",
            classification.routes_trivial_tasks(CLASSIFICATIONS, "E01.5"),
            "E01.4",
        ),
        check(
            "E01.13",
            "agents match the routing table",
            classification.routes_as_the_table(CLASSIFICATIONS),
            ("E01.4", "E01.5"),
            points=0,
        ),
        check(
            "E01.14",
            "file counts, domains and signals fit",
            classification.estimates_scope(CLASSIFICATIONS, SCENARIOS),
            "E01.6",
            points=0,
        ),
    ),
)
