"""Runs of checks that several exercises share: each returns checks with the codes it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.checks import implementation, marker, planning, publishing, validity
from verify.exercises.examples import EXAMPLES, FILES_AND_STEPS, MAPPING, STRICT_JSON, TEST_STEP
from verify.model import Check

if TYPE_CHECKING:
    from verify.artifacts import ArtifactRef

PLAN_RULES = frozenset({"files-steps", "step-order", "tests-last", "mapping", "criterion-label"})
GIT_RULES = frozenset({"branch", "commit-sha", "commit-message", "pr-url"})
BLOCKERS = frozenset({"blockers"})


def readable(
    code: str,
    first: int,
    source: ArtifactRef,
    *,
    apart_from: frozenset[str] = frozenset(),
    example: str = "",
) -> tuple[Check, ...]:
    """Return three checks: the artifact is there, is strict JSON, has its fields."""
    name = source.name
    example = example or (source.own.example if source.own else EXAMPLES[name])
    there, json, fields = (f"{code}.{first + offset}" for offset in range(3))
    return (
        Check(
            code=there,
            title=f"{name} is in the issue's folder",
            run=validity.is_there(source),
            hint=f"Have the agent write {name} to the folder of the issue.",
            look="The folder that the failure names, and the exact name of the file in it.",
            why="Files are all that agents exchange, and the next stage looks in one place.",
            example=f"sandbox/.pipeline/ISSUE-7/{name}",
        ),
        Check(
            code=json,
            title=f"{name} is strict JSON",
            run=validity.is_json(source),
            hint="Fix the JSON: use double quotes, no trailing comma, and each key only once.",
            look="The line and column of the failure: the mistake is there or just before.",
            why="A document that can be read in two ways sends two agents in two directions.",
            example=STRICT_JSON,
            requires=(there,),
        ),
        Check(
            code=fields,
            title=f"{name} has its required fields",
            run=validity.follows_schema(source, apart_from=apart_from),
            hint="Add what is missing, and give each field the type that its line expects.",
            look=f"Each place of the failure, and the field table of {name} in the lesson.",
            why="The next stage reads these fields: a missing or a wrong one misleads it.",
            example=example,
            requires=(json,),
        ),
    )


def files_and_steps(code: str, source: ArtifactRef, requires: str) -> Check:
    """Return the check that affected files and steps name the same files, both ways."""
    return Check(
        code=code,
        title="affected_files and steps name the same files",
        run=validity.keeps_rules(source, "files-steps"),
        hint="Give every affected file a step, and list every step's file in affected_files.",
        look="The two lists side by side: affected_files, and the file of every step.",
        why="A file without a step is never written; an unlisted one surprises reviewers.",
        example=FILES_AND_STEPS,
        points=2,
        requires=(requires,),
    )


def planning_rules(code: str, first: int, source: ArtifactRef, fields: str) -> tuple[Check, ...]:
    """Return the checks of a plan's own consistency; `fields` is the check they wait for."""
    agree, order, mapping = (f"{code}.{first + offset}" for offset in range(3))
    return (
        files_and_steps(agree, source, fields),
        Check(
            code=order,
            title="steps ascend, implementation before tests",
            run=validity.keeps_rules(source, "step-order", "tests-last"),
            hint="Number the steps upwards and put the test steps after the implementation steps.",
            look="The order of each step, and the place of the first test step.",
            why="The worker takes the steps as they come, and a test needs something to test.",
            example=FILES_AND_STEPS,
            requires=(fields,),
        ),
        Check(
            code=mapping,
            title="acceptance_mapping leads to planned files",
            run=validity.keeps_rules(source, "mapping", "criterion-label"),
            hint="Write labels as AC<N>_<short_name> and map each to a file of the plan.",
            look="Each label and each path of acceptance_mapping that the failure names.",
            why="A criterion that leads to no planned file is left undone.",
            example=MAPPING,
            requires=(fields,),
        ),
    )


def criteria(code: str, source: ArtifactRef, requires: str, *, advisory: bool = False) -> Check:
    """Return the check that every acceptance criterion of the issue is mapped."""
    return Check(
        code=code,
        title="every acceptance criterion is mapped",
        run=planning.maps_every_criterion(source),
        hint="Add one entry per criterion of the issue to acceptance_mapping.",
        look="Each criterion in the text of the issue: which label of the plan is for it?",
        why="A plan can be in perfect order and still forget what the issue asks for.",
        example=MAPPING,
        points=0 if advisory else 2,
        requires=(requires,),
        advisory=advisory,
        needs_criteria=True,
    )


def tested(code: str, source: ArtifactRef, requires: str) -> Check:
    """Return the advisory check that a plan has a test step."""
    return Check(
        code=code,
        title="the plan has a test step",
        run=planning.plans_a_test(source),
        hint="Plan the tests that show the acceptance criteria.",
        look="The files of the steps: which of them is a test, by its name or its folder?",
        why="Without a test, the pull request does not show that the criteria are met.",
        example=TEST_STEP,
        points=0,
        requires=(requires,),
        advisory=True,
    )


def rooted(
    code: str,
    source: ArtifactRef,
    requires: str,
    example: str = "src/app.js",
    *,
    advisory: bool = False,
) -> Check:
    """Return the check that a plan's paths begin at the target project's root."""
    return Check(
        code=code,
        title="the plan's paths begin at the target project",
        run=planning.begin_at_target(source),
        hint="Write every path as it is read from the folder of the target project.",
        look="The first folder of each path: is it in the target project that the task names?",
        why="The next agent starts at the target project; from there a wrong path leads nowhere.",
        example=f'"affected_files": ["{example}"]',
        points=0 if advisory else 1,
        requires=(requires,),
        advisory=advisory,
    )


def marked(
    code: str, source: ArtifactRef, requires: str, *agents: str, points: int = 1, title: str = ""
) -> Check:
    """Return the check that the artifact's marker names one of the agents."""
    return Check(
        code=code,
        title=title or f"{source.name} is by {' or '.join(agents)}",
        run=marker.produced_by(source, *agents),
        hint="Dispatch the agent of this role and let it write the artifact itself.",
        look="The value of produced_by, letter by letter, and who really wrote the file.",
        why="The marker says which agent did the work; it is the only trace of a delegation.",
        example=f'"produced_by": "{agents[0]}"',
        points=points,
        requires=(requires,),
    )


def completed(code: str, source: ArtifactRef, requires: str) -> Check:
    """Return the check that the worker completed its work without blockers."""
    return Check(
        code=code,
        title="the work is completed, without blockers",
        run=implementation.is_completed(source),
        hint="Clear what blocks the worker and run it again; only completed moves on.",
        look=f"status and blockers in {source.name}.",
        why="Only completed work moves the pipeline on to the git agent.",
        example='"status": "completed",\n"blockers": []',
        requires=(requires,),
    )


def agreement(
    code: str,
    source: ArtifactRef,
    plan: ArtifactRef,
    requires: tuple[str, ...],
    *,
    advisory: bool = False,
) -> Check:
    """Return the check that the changed files are the planned ones."""
    return Check(
        code=code,
        title=_of_its_issue(source, "files_changed match the plan"),
        run=implementation.agrees_with_plan(source, plan),
        hint="Change what the plan lists and nothing else, or have the plan extended first.",
        look="files_changed and affected_files: which path is in one of them only?",
        why="The plan is what was agreed on; a file beyond it slips past the people who agreed.",
        example='"files_changed": ["src/health/routes.js", "test/health/routes.test.js"]',
        points=0 if advisory else 2,
        requires=requires,
        advisory=advisory,
    )


def named_branch(code: str, source: ArtifactRef, requires: str) -> Check:
    """Return the advisory check that the branch names the issue that its result belongs to."""
    return Check(
        code=code,
        title=_of_its_issue(source, "the branch names its issue"),
        run=publishing.names_the_issue(source),
        hint="Put the issue's number into the slug, so that people find the issue.",
        look="The slug, the part of branch after feature/.",
        why="A branch that names its issue is found without a search.",
        example='"branch": "feature/issue-7-health"',
        points=0,
        requires=(requires,),
        advisory=True,
    )


def _of_its_issue(source: ArtifactRef, title: str) -> str:
    """Return a title that names the issue in an exercise with artifacts of several."""
    return f"{source.issue}: {title}" if source.issue else title
