"""practitioner 01: the IDE pack, installed in the sandbox."""

from verify.course.checks import setup
from verify.course.checks.setup import DefinitionFile
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
        Check(
            code="P01.1",
            title="the pipeline's four agents are installed",
            run=setup.are_installed(*AGENTS),
            hint="Copy the agents from the IDE pack to `.cursor/agents` in the sandbox.",
            look_at="The files in `.cursor/agents` in the sandbox. A file is missing or misnamed.",
            why="The planner can only dispatch agents that the IDE has found.",
        ),
        Check(
            code="P01.2",
            title="the agents' definitions have no mistakes",
            run=setup.are_clean(*AGENTS),
            hint="Write `key: value` lines between two `---` lines, and the prompt below them.",
            look_at="The line that the failure names, in or just below the front matter.",
            why="An IDE ignores a definition that it cannot read, often without a message.",
            requires=("P01.1",),
        ),
        Check(
            code="P01.3",
            title="every agent names its model",
            run=setup.name_their_models(*AGENTS),
            hint="Add `model` to the front matter, with the value `inherit` or a model's id.",
            look_at="The front matter of the agent that the failure names.",
            why="The field `model` decides which model runs the role.",
            example="model: inherit",
            points=2,
            requires=("P01.1",),
        ),
        Check(
            code="P01.4",
            title="the pipeline's two rules are installed",
            run=setup.are_installed(*RULES, before={"P01.1": AGENTS}),
            hint="Copy the `.mdc` files from the IDE pack to `.cursor/rules` in the sandbox.",
            look_at="The folder `.cursor/rules` in the sandbox. File names must end in `.mdc`.",
            why="One rule sends your prompt to the planner, and the other chooses the agents.",
        ),
        Check(
            code="P01.5",
            title="the rules have no mistakes",
            run=setup.are_clean(*RULES),
            hint="Use only `description`, `globs` and `alwaysApply` above the text of the rule.",
            look_at="The line that the failure names, in the front matter of the rule.",
            why="If the IDE does not know a key, the rule may never apply.",
            requires=("P01.4",),
        ),
        Check(
            code="P01.6",
            title="the pipeline's skill is installed",
            run=setup.are_installed(SKILL, before={"P01.1": AGENTS, "P01.4": RULES}),
            hint="Copy the skill from the IDE pack to `.cursor/skills` in the sandbox.",
            look_at="The folder `.cursor/skills/x-pipeline-artifact-io`, and `SKILL.md` in it.",
            why="The skill tells agents where to write the artifacts.",
        ),
        Check(
            code="P01.7",
            title="the skill has no mistakes",
            run=setup.are_clean(SKILL),
            hint="Give the skill the name of its folder, and describe when to use the skill.",
            look_at="The `name` in the front matter, and the name of the folder.",
            why="An IDE finds a skill by its folder, and an agent picks it by its description.",
            requires=("P01.6",),
        ),
        Check(
            code="P01.8",
            title="x-planner-first applies to every prompt",
            run=setup.applies_to_every_prompt(PLANNER_FIRST),
            hint="Set `alwaysApply: true`, so that the rule applies to each prompt.",
            look_at="The value of `alwaysApply` in the front matter of `x-planner-first.mdc`.",
            why="If the rule does not always apply, some prompts do not reach the planner.",
            example="alwaysApply: true",
            points=0,
            requires=("P01.5",),
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
        Check(
            code="P01.12",
            title="the sandbox's dependencies are installed",
            run=setup.has_folder("node_modules"),
            hint="Run `npm ci` in the sandbox.",
            look_at="The folder `node_modules` in the sandbox.",
            why="The worker runs the sandbox's tests, which need these packages.",
            points=0,
            about_host=True,
        ),
        Check(
            code="P01.13",
            title="agents can write and run in the foreground",
            run=setup.write_and_are_waited_for(*AGENTS),
            hint="Remove `readonly` and `is_background`, or set both to `false`.",
            look_at="The keys `readonly` and `is_background` in the agent's front matter.",
            why="Each of the four agents writes a file, and the next stage begins with that file.",
            example="readonly: false\nis_background: false",
            points=0,
            requires=("P01.2",),
        ),
    ),
)
