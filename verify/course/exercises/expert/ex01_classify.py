"""expert 01: five tasks, each classified into a tier (specification, sections 2.5 and 4)."""

import json

from verify.course.checks import classification, validity
from verify.course.checks.classification import Scenario
from verify.course.exercises.examples import CLASSIFICATION
from verify.course.exercises.shared import strict_json
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
        Check(
            code="E01.1",
            title="01-classifications.json is in outputs/",
            run=validity.is_there(CLASSIFICATIONS),
            hint="Write the five records to the path that the failure names.",
            look_at="The folder `docs/expert/tutorials/outputs`, and the name of the file in it.",
            why="The grader reads the records from this file only.",
            example=_FILE,
        ),
        strict_json("E01.2", CLASSIFICATIONS, "E01.1"),
        Check(
            code="E01.3",
            title="the file is an array of exactly five objects",
            run=classification.has_five_records(CLASSIFICATIONS, SCENARIOS),
            hint="Write one array with one record per scenario.",
            look_at="The outermost brackets, and the number of objects between them.",
            why="Each of the five scenarios is classified once.",
            requires=("E01.2",),
        ),
        Check(
            code="E01.4",
            title="every record has its required fields",
            run=classification.has_required_fields(CLASSIFICATIONS),
            hint=(
                "Every record needs `task`, `file_count`, `domain_scope`, `signals`, `tier` and"
                " `agents`."
            ),
            look_at="Each place in the failure, and the fields in `docs/reference/artifacts.md`.",
            why="The fields show which tier a task has, and why.",
            example=CLASSIFICATION,
            requires=("E01.3",),
        ),
        Check(
            code="E01.5",
            title="every tier is trivial, standard or complex",
            run=classification.has_valid_tiers(CLASSIFICATIONS),
            hint="Use one of the three tiers, in lower case.",
            look_at="The value of `tier` in each record that the failure names.",
            why="The routing table has three tiers; any other tier has no agents.",
            example='"tier": "standard"',
            requires=("E01.3",),
        ),
        Check(
            code="E01.6",
            title="each of the five scenarios is classified",
            run=classification.covers_scenarios(CLASSIFICATIONS, SCENARIOS),
            hint="Copy the scenario's text into `task`, so that the grader finds the record.",
            look_at="The text of `task` in each record, and the five scenarios of the lesson.",
            why="A scenario without a record has no tier and no agents.",
            requires=("E01.4",),
        ),
        *_TIERS,
        Check(
            code="E01.12",
            title="trivial tasks name the two fast agents",
            run=classification.routes_trivial_tasks(CLASSIFICATIONS, "E01.5"),
            hint="Name `x-worker-fast` and `x-reviewer-fast`, as the routing table says.",
            look_at="The `agents` of each record whose `tier` is `trivial`.",
            why="A trivial task needs only the fast agents, which cost much less.",
            example='"agents": ["x-worker-fast", "x-reviewer-fast"]',
            requires=("E01.4",),
        ),
        Check(
            code="E01.13",
            title="agents match the routing table",
            run=classification.routes_as_the_table(CLASSIFICATIONS),
            hint="Name exactly the agents that the routing table lists for the tier.",
            look_at="The `agents` of each record, and its tier's row in the routing table.",
            why="If everyone uses the same table, a task always goes to the same agents.",
            example='"tier": "standard",\n"agents": ["x-worker", "x-reviewer"]',
            points=0,
            requires=("E01.4", "E01.5"),
        ),
        Check(
            code="E01.14",
            title="file counts, domains and signals fit",
            run=classification.estimates_scope(CLASSIFICATIONS, SCENARIOS),
            hint="Estimate again: which files change, in how many domains, and why this tier?",
            look_at="The `file_count`, `domain_scope` and `signals` of each record in the failure.",
            why="With wrong signals, you find the right tier only by luck.",
            points=0,
            requires=("E01.6",),
        ),
    ),
)
