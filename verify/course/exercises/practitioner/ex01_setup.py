"""practitioner 01: the IDE pack, installed in the sandbox."""

from verify.course.checks import setup
from verify.course.checks.setup import DefinitionFile
from verify.course.exercises.shared import check
from verify.grading.model import Check, Exercise

AGENTS = tuple(
    DefinitionFile("agent", name) for name in ("x-planner", "x-subplanner", "x-worker", "x-git")
)
PLANNER_FIRST = DefinitionFile("rule", "x-planner-first")
RULES = (PLANNER_FIRST, DefinitionFile("rule", "x-tier-routing"))
SKILL = DefinitionFile("skill", "x-pipeline-artifact-io")
PACK = (*AGENTS, *RULES, SKILL)

_PREREQUISITES = (
    ("Python 3.10 or newer", "python3", setup.has_program("python", (3, 10))),
    ("Node.js 20 or newer", "node", setup.has_program("node", (20, 0))),
    ("git", "git", setup.has_program("git", (2, 0))),
)

EXERCISE = Exercise(
    level="practitioner",
    number=1,
    slug="setup",
    title="Install the IDE pack",
    target="sandbox",
    artifacts=PACK,
    checks=(
        check("P01.1", "the pipeline's four agents are installed", setup.are_installed(*AGENTS)),
        check(
            "P01.2", "the agents' definitions have no mistakes", setup.are_clean(*AGENTS), "P01.1"
        ),
        check(
            "P01.3",
            "every agent names its model",
            setup.name_their_models(*AGENTS),
            "P01.1",
            points=2,
        ),
        check(
            "P01.4",
            "the pipeline's two rules are installed",
            setup.are_installed(*RULES, before={"P01.1": AGENTS}),
        ),
        check("P01.5", "the rules have no mistakes", setup.are_clean(*RULES), requires=("P01.4",)),
        check(
            "P01.6",
            "the pipeline's skill is installed",
            setup.are_installed(SKILL, before={"P01.1": AGENTS, "P01.4": RULES}),
        ),
        check("P01.7", "the skill has no mistakes", setup.are_clean(SKILL), requires=("P01.6",)),
        check(
            "P01.8",
            "x-planner-first applies to every prompt",
            setup.applies_to_every_prompt(PLANNER_FIRST),
            "P01.5",
            points=0,
        ),
        *(
            Check(
                code=f"P01.{number}",
                title=f"this machine has {name}",
                run=run,
                hint="Install the program, and open a new terminal.",
                look_at=f"What `{program} --version` prints in your terminal.",
                why="Agents run this program on your machine, and older versions may not work.",
                points=0,
                about_host=True,
            )
            for number, (name, program, run) in enumerate(_PREREQUISITES, start=9)
        ),
        check(
            "P01.12",
            "the sandbox's dependencies are installed",
            setup.has_folder("node_modules"),
            points=0,
            about_host=True,
        ),
        check(
            "P01.13",
            "agents can write and run in the foreground",
            setup.write_and_are_waited_for(*AGENTS),
            "P01.2",
            points=0,
        ),
    ),
)
