"""What exercises share: artifacts, and runs of checks that take the codes they are given.

A check that is worth no points is advice: it goes beyond the specification.
"""

from __future__ import annotations

from dataclasses import replace

from pipeline.protocol.layout import GIT_RESULT, PLAN, WORKER_RESULT
from verify.artifacts import ArtifactRef
from verify.checks import evidence, planning, results, validity
from verify.exercises.examples import EXAMPLES, FILES_AND_STEPS, MAPPING, STRICT_JSON, TEST_STEP
from verify.model import Check

PLAN_JSON = ArtifactRef(PLAN)
WORKER_JSON = ArtifactRef(WORKER_RESULT)
GIT_JSON = ArtifactRef(GIT_RESULT)
RUN = (PLAN_JSON, WORKER_JSON, GIT_JSON)  # what a whole run of the pipeline leaves behind

PLAN_RULES = frozenset({"files-steps", "step-order", "tests-last", "mapping", "criterion-label"})
GIT_RULES = frozenset({"branch", "commit-sha", "commit-message", "pr-url"})
NOT_RUN = "that the code works: run npm test in the sandbox"
_FILES = '["src/health/routes.js", "test/health/routes.test.js"]'
_SHA = '"commit_sha": "3f1c9ab"'


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
            hint="Have the agent write the file to the issue's folder.",
            look_at="The folder that the failure names, and the exact name of the file in it.",
            why="Files are all that agents exchange, and the next stage looks in one place.",
            example=f"sandbox/.pipeline/ISSUE-7/{name}",
        ),
        Check(
            code=json,
            title=f"{name} is strict JSON",
            run=validity.is_json(source),
            hint="Fix the JSON: use double quotes, no trailing comma, and each key only once.",
            look_at="The line and column of the failure: the mistake is there or just before.",
            why="If a document can be read in two ways, two agents may read it differently.",
            example=STRICT_JSON,
            requires=(there,),
        ),
        Check(
            code=fields,
            title=f"{name} has its required fields",
            run=validity.follows_schema(source, apart_from=apart_from),
            hint="Add what is missing, and give each field the type that the failure expects.",
            look_at="Each place in the failure, and the fields in docs/reference/artifacts.md.",
            why="The next stage reads these fields: a missing or wrong one misleads it.",
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
        look_at="The two lists side by side: affected_files, and the file of every step.",
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
            hint="Number the steps in ascending order, and put the test steps last.",
            look_at="The order of each step, and the place of the first test step.",
            why="The worker takes the steps in order, and a test needs something to test.",
            example=FILES_AND_STEPS,
            requires=(fields,),
        ),
        Check(
            code=mapping,
            title="acceptance_mapping points to planned files",
            run=validity.keeps_rules(source, "mapping", "criterion-label"),
            hint="Write labels as AC<N>_<short_name> and map each to a file of the plan.",
            look_at="Each label and each path in acceptance_mapping that the failure names.",
            why="A criterion without a planned file is left undone.",
            example=MAPPING,
            requires=(fields,),
        ),
    )


def planned(code: str, *, example: str = "") -> tuple[Check, ...]:
    """Return the checks that any plan needs, codes `<code>.1` to `<code>.6`."""
    return (
        *readable(code, 1, PLAN_JSON, apart_from=PLAN_RULES, example=example),
        *planning_rules(code, 4, PLAN_JSON, f"{code}.3"),
    )


def criteria(code: str, source: ArtifactRef, requires: str, *, points: int = 2) -> Check:
    """Return the check that every acceptance criterion of the issue is mapped."""
    return Check(
        code=code,
        title="every acceptance criterion is mapped",
        run=planning.maps_every_criterion(source),
        hint="Add one entry per criterion of the issue to acceptance_mapping.",
        look_at="Each criterion in the issue: which label in the plan is for it?",
        why="A plan can be in perfect order and still forget what the issue asks for.",
        example=MAPPING,
        points=points,
        requires=(requires,),
        needs_criteria=True,
    )


def tested(code: str, source: ArtifactRef, requires: str) -> Check:
    """Return the advice that a plan has a test step."""
    return Check(
        code=code,
        title="the plan has a test step",
        run=planning.plans_a_test(source),
        hint="Plan the tests that show the acceptance criteria.",
        look_at="The files of the steps: which of them is a test, by its name or its folder?",
        why="Without a test, the pull request does not show that the criteria are met.",
        example=TEST_STEP,
        points=0,
        requires=(requires,),
    )


def rooted(
    code: str, source: ArtifactRef, requires: str, *, example: str = "src/app.js", points: int = 1
) -> Check:
    """Return the check that a plan's paths begin at the target project's root."""
    return Check(
        code=code,
        title="the plan's paths begin at the target project",
        run=planning.begin_at_target(source),
        hint="Write every path relative to the folder of the target project.",
        look_at="The first folder of each path: is it in the target project that the task names?",
        why="The next agent starts in the target project, where a wrong path leads nowhere.",
        example=f'"affected_files": ["{example}"]',
        points=points,
        requires=(requires,),
    )


def marked(
    code: str, source: ArtifactRef, requires: str, *agents: str, points: int = 1, title: str = ""
) -> Check:
    """Return the check that the artifact's marker names one of the agents."""
    return Check(
        code=code,
        title=title or f"{source.name} is by {' or '.join(agents)}",
        run=validity.produced_by(source, *agents),
        hint="Dispatch the agent of this role and let it write the artifact itself.",
        look_at="The value of produced_by, letter by letter, and who really wrote the file.",
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
        run=results.is_completed(source),
        hint="Remove what blocks the worker, and run it again until the work is completed.",
        look_at=f"status and blockers in {source.name}.",
        why="The git agent publishes only completed work.",
        example='"status": "completed",\n"blockers": []',
        requires=(requires,),
    )


def agreement(
    code: str, source: ArtifactRef, plan: ArtifactRef, requires: tuple[str, ...], *, points: int = 2
) -> Check:
    """Return the check that the changed files are the planned ones."""
    return Check(
        code=code,
        title=_of_its_issue(source, "files_changed match the plan"),
        run=results.agrees_with_plan(source, plan),
        hint="Change what the plan lists and nothing else, or have the plan extended first.",
        look_at="files_changed and affected_files: which path is in only one of them?",
        why="People agreed on the plan; they have not seen a file that is not in it.",
        example=f'"files_changed": {_FILES}',
        points=points,
        requires=requires,
    )


def named_branch(code: str, source: ArtifactRef, requires: str) -> Check:
    """Return the advice that the branch names the issue that its result belongs to."""
    return Check(
        code=code,
        title=_of_its_issue(source, "the branch names its issue"),
        run=results.names_the_issue(source),
        hint="Put the issue's number into the slug, so that people find the issue.",
        look_at="The slug, the part of branch after feature/.",
        why="A branch that names its issue is found without a search.",
        example='"branch": "feature/issue-7-health"',
        points=0,
        requires=(requires,),
    )


def _of_its_issue(source: ArtifactRef, title: str) -> str:
    """Return a title that names the issue in an exercise with artifacts of several."""
    return f"{source.issue}: {title}" if source.issue else title


def implementing(code: str) -> tuple[Check, ...]:
    """Return the checks of an implementation exercise, codes `<code>.1` to `<code>.8`."""
    return (
        *readable(code, 1, WORKER_JSON, apart_from=frozenset({"blockers"})),
        completed(f"{code}.4", WORKER_JSON, f"{code}.3"),
        Check(
            code=f"{code}.5",
            title="the plan exists and is valid",
            run=validity.is_sound(PLAN_JSON),
            hint="Finish the plan first: the worker reads it.",
            look_at="plan.json in the same folder; the planning exercise names each mistake in it.",
            why="A result can only be compared with a valid plan.",
            earlier_work=True,
        ),
        agreement(f"{code}.6", WORKER_JSON, PLAN_JSON, (f"{code}.3", f"{code}.5")),
        Check(
            code=f"{code}.7",
            title="the changed files exist and are not empty",
            run=results.has_its_files(WORKER_JSON),
            hint="List the files by their paths in the target project, and write their content.",
            look_at="Each path in the failure: does exactly that file exist, and is it not empty?",
            why="A result that lists missing or empty files describes work that was not done.",
            example='"files_changed": ["src/health/routes.js"]',
            points=2,
            requires=(f"{code}.3",),
        ),
        marked(f"{code}.8", WORKER_JSON, f"{code}.3", "x-worker"),
    )


def tracing(code: str) -> tuple[Check, ...]:
    """Return the three checks of the specification's trace, codes `<code>.1` to `<code>.8`."""
    there = tuple(
        Check(
            code=f"{code}.{number}",
            title=f"{source.name} is in its folder, as JSON",
            run=validity.is_there_as_json(source),
            hint="Run the stage that writes it, for the target project that its path begins with.",
            look_at="The whole path in the failure: its folders, and the file's name.",
            why="The artifacts are the trace of a run: a stage without one cannot be followed.",
            example=f".pipeline/ISSUE-7/{source.name}",
        )
        for number, source in enumerate(RUN, start=1)
    )
    valid = (
        _valid(f"{code}.4", PLAN_JSON, f"{code}.1", apart_from=frozenset({"files-steps"})),
        _valid(f"{code}.5", WORKER_JSON, f"{code}.2", apart_field="blockers"),
        _valid(f"{code}.6", GIT_JSON, f"{code}.3"),
    )
    return (
        *there,
        *valid,
        files_and_steps(f"{code}.7", PLAN_JSON, f"{code}.4"),
        Check(
            code=f"{code}.8",
            title="blockers is an array, empty once completed",
            run=results.has_array_of_blockers(WORKER_JSON),
            hint="Write [] when nothing blocks the worker.",
            look_at="The value of blockers, and that of status.",
            why="Tools count its elements, and null or a sentence has none.",
            example='"blockers": []',
            requires=(f"{code}.2",),
        ),
    )


def _valid(
    code: str,
    source: ArtifactRef,
    requires: str,
    *,
    apart_from: frozenset[str] = frozenset(),
    apart_field: str = "",
) -> Check:
    return Check(
        code=code,
        title=f"{source.name} passes schema validation",
        run=validity.follows_schema(source, apart_from=apart_from, apart_field=apart_field),
        hint="Fix every place listed, or give the lines to the stage that wrote the file.",
        look_at="Each place in the failure, from the top: one mistake often causes the next.",
        why="The stage after this one reads the file by the same rules.",
        example=EXAMPLES[source.name],
        requires=(requires,),
    )


def reviewed(code: str, first: int, *, mapping: bool) -> tuple[Check, ...]:
    """Return what a reviewer of the pull request asks: completed work, the rest is advice.

    The work has to be completed: nothing else is published (specification, section 3). The target
    project of a trace is the root.
    """
    plan, worker, git, files = (f"{code}.{number}" for number in (4, 5, 6, 7))
    checks = [
        completed(f"{code}.{first}", WORKER_JSON, worker),
        agreement(f"{code}.{first + 1}", WORKER_JSON, PLAN_JSON, (worker, files), points=0),
    ]
    if mapping:
        checks.append(criteria(f"{code}.{first + 2}", PLAN_JSON, files, points=0))
    branch, root = (f"{code}.{first + len(checks) + offset}" for offset in range(2))
    return (
        *checks,
        named_branch(branch, GIT_JSON, git),
        rooted(root, PLAN_JSON, plan, example="sandbox/src/app.js", points=0),
    )


def markers(code: str, first: int) -> tuple[Check, ...]:
    """Return the checks of the three markers of a delegated pipeline."""
    return (
        marked(f"{code}.{first}", PLAN_JSON, f"{code}.4", "x-subplanner", points=2),
        marked(f"{code}.{first + 1}", WORKER_JSON, f"{code}.5", "x-worker"),
        marked(f"{code}.{first + 2}", GIT_JSON, f"{code}.6", "x-git"),
    )


def compared_with_git(code: str, first: int, *, advisory: bool = False) -> tuple[Check, ...]:
    """Return the five checks of a trace's claims about git; `<code>.4` to `<code>.7` come first.

    As advice they are not run on a submission without a history.
    """
    checks = (*_commit_checks(code, first), *_file_checks(code, first + 3, f"{code}.{first + 1}"))
    if not advisory:
        return checks
    return tuple(replace(each, points=0, needs_history=True) for each in checks)


def _commit_checks(code: str, first: int) -> tuple[Check, ...]:
    """Return the checks of what a git result claims: commit, branch, message."""
    commit, branch, message = (f"{code}.{first + offset}" for offset in range(3))
    return (
        Check(
            code=commit,
            title="the commit is in the history",
            run=evidence.names_a_commit(GIT_JSON),
            hint="Copy what git rev-parse prints; submit .git, or a bundle made with --all.",
            look_at="What git log --all --oneline lists, and the value of commit_sha.",
            why="A hash that git does not know is a claim about work that cannot be reviewed.",
            example=_SHA,
            requires=(f"{code}.6",),
            compares_git=True,
        ),
        Check(
            code=branch,
            title="the commit is on its branch, or was merged",
            run=evidence.lies_on_its_branch(GIT_JSON),
            hint="Publish the work on that branch, and write git-result.json from what git shows.",
            look_at="What git branch -a --contains prints for the hash, and the value of branch.",
            why="Reviewers look at the branch: work elsewhere is not what they approve.",
            example=f'"branch": "feature/issue-7-health",\n{_SHA}',
            requires=(commit,),
            compares_git=True,
        ),
        Check(
            code=message,
            title="commit_message is the commit's message",
            run=evidence.says_its_message(GIT_JSON),
            hint="Copy the message that git log -1 --format=%B prints for the hash.",
            look_at="The message that git has, and commit_message, line by line.",
            why="Change logs are made from git, not from the artifact.",
            example='"commit_message": "feat: add a health endpoint"',
            requires=(commit,),
            compares_git=True,
        ),
    )


def _file_checks(code: str, first: int, branch: str) -> tuple[Check, ...]:
    """Return the checks of the changed files; they wait for the check of the branch."""
    return (
        Check(
            code=f"{code}.{first}",
            title="files_changed matches what git shows",
            run=evidence.names_the_changed_files(WORKER_JSON, "files_changed", GIT_JSON),
            hint="Complete the work, or have the worker report again what the branch changes.",
            look_at="What git diff --name-only prints from the branch's beginning to its end.",
            why="Reviewers rely on this claim, and git can confirm it.",
            example=f'"files_changed": {_FILES}',
            points=2,
            requires=(f"{code}.5", branch),
            compares_git=True,
        ),
        Check(
            code=f"{code}.{first + 1}",
            title="affected_files matches what git shows",
            run=evidence.names_the_changed_files(PLAN_JSON, "affected_files", GIT_JSON),
            hint="Have the plan list every file that the work needs, and no other.",
            look_at="affected_files, and the files that git diff --name-only prints.",
            why="People agreed on the plan; only git shows what became of it.",
            example=f'"affected_files": {_FILES}',
            requires=(f"{code}.7", branch),
            compares_git=True,
        ),
    )
