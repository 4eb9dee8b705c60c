"""practitioner 01: the IDE pack, installed in the sandbox."""

from verify.course.checks import setup
from verify.course.checks.setup import DefinitionFile
from verify.course.exercises.shared import check
from verify.grading.model import Exercise

AGENTS = tuple(
    DefinitionFile("agent", name) for name in ("x-planner", "x-subplanner", "x-worker", "x-git")
)
PLANNER_FIRST = DefinitionFile("rule", "x-planner-first")
RULES = (PLANNER_FIRST, DefinitionFile("rule", "x-tier-routing"))
SKILL = DefinitionFile("skill", "x-pipeline-artifact-io")
PACK = (*AGENTS, *RULES, SKILL)

EXERCISE = Exercise(
    level="practitioner",
    number=1,
    slug="setup",
    title="Install the IDE pack",
    target="sandbox",
    artifacts=PACK,
    checks=(
        check("P01.1", setup.are_installed(*AGENTS)),
        check("P01.2", setup.are_clean(*AGENTS), "P01.1"),
        check("P01.3", setup.name_their_models(*AGENTS), "P01.1", points=2),
        check("P01.4", setup.are_installed(*RULES, before={"P01.1": AGENTS})),
        check("P01.5", setup.are_clean(*RULES), "P01.4"),
        check("P01.6", setup.are_installed(SKILL, before={"P01.1": AGENTS, "P01.4": RULES})),
        check("P01.7", setup.are_clean(SKILL), "P01.6"),
        check("P01.8", setup.applies_to_every_prompt(PLANNER_FIRST), "P01.5", points=0),
        check("P01.9", setup.has_program("python", (3, 10)), points=0, about_host=True),
        check("P01.10", setup.has_program("node", (20, 0)), points=0, about_host=True),
        check("P01.11", setup.has_program("git", (2, 0)), points=0, about_host=True),
        check("P01.12", setup.has_folder("node_modules"), points=0, about_host=True),
        check("P01.13", setup.write_and_are_waited_for(*AGENTS), "P01.2", points=0),
    ),
)
