"""What exercises share: artifacts, kinds of checks, and runs of such checks.

A check that is worth no points is advice: it goes beyond the specification.
"""

from __future__ import annotations

from dataclasses import replace
from string import Template
from typing import TYPE_CHECKING, Any

from pipeline.protocol.layout import GIT_RESULT, PLAN, WORKER_RESULT
from verify.artifacts import ArtifactRef
from verify.checks import evidence, planning, results, validity
from verify.exercises.examples import EXAMPLES, FILES_AND_STEPS, MAPPING, STRICT_JSON, TEST_STEP
from verify.model import Check

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.artifacts import CheckFunction

PLAN_JSON = ArtifactRef(PLAN)
WORKER_JSON = ArtifactRef(WORKER_RESULT)
GIT_JSON = ArtifactRef(GIT_RESULT)
RUN = (PLAN_JSON, WORKER_JSON, GIT_JSON)  # what a whole run of the pipeline leaves behind

PLAN_RULES = frozenset({"files-steps", "step-order", "tests-last", "mapping", "criterion-label"})
GIT_RULES = frozenset({"branch", "commit-sha", "commit-message", "pr-url"})
NOT_RUN = "that the code works: run npm test in the sandbox"
_FILES = '["src/health/routes.js", "test/health/routes.test.js"]'
_SHA = '"commit_sha": "3f1c9ab"'


def kind(run: Callable[..., CheckFunction], **fields: Any) -> Callable[..., Check]:
    """Return a function that makes the checks of one kind, with these fields of `Check`.

    It takes a code, an artifact, the checks to wait for, what else `run` is given, and fields that
    differ. In the texts, `$name` is the artifact's, `$first` and `$all` are of what else is given.
    In an exercise with artifacts of several issues, the title names the issue.
    """

    def make(
        code: str,
        source: ArtifactRef,
        requires: str | tuple[str, ...] = (),
        *given: Any,
        **own: Any,
    ) -> Check:
        texts = [str(each) for each in given]
        words = {"name": source.name, "first": "".join(texts[:1]), "all": " or ".join(texts)}
        filled = {
            name: Template(value).substitute(words) if isinstance(value, str) else value
            for name, value in fields.items()
        }
        if source.issue:
            filled["title"] = f"{source.issue}: {filled['title']}"
        waits_for = (requires,) if isinstance(requires, str) else requires
        own = {"run": run(source, *given), **filled, **own}
        return Check(code=code, requires=waits_for, **own)

    return make


_in_its_folder = kind(
    run=validity.is_there,
    title="$name is in the issue's folder",
    hint="Have the agent write the file to the issue's folder.",
    look_at="The folder that the failure names, and the exact name of the file in it.",
    why="Agents exchange only files, and the next stage looks in only one place.",
    example="sandbox/.pipeline/ISSUE-7/$name",
)
strict_json = kind(
    run=validity.is_json,
    title="$name is strict JSON",
    hint="Fix the JSON: use double quotes, no trailing comma, and each key only once.",
    look_at="The line and column in the failure. The mistake is there or just before.",
    why="If a document can be read in two ways, two agents may read it differently.",
    example=STRICT_JSON,
)
_its_fields = kind(
    run=validity.follows_schema,
    title="$name has its required fields",
    hint="Add what is missing, and give each field the type that the failure expects.",
    look_at="Each place in the failure, and the fields in docs/reference/artifacts.md.",
    why="The next stage reads these fields. A missing or wrong field misleads it.",
)


def readable(
    code: str,
    first: int,
    source: ArtifactRef,
    *,
    apart_from: frozenset[str] = frozenset(),
    example: str = "",
) -> tuple[Check, ...]:
    """Return three checks: the artifact is there, is strict JSON, has its fields."""
    there, json, fields = (f"{code}.{first + offset}" for offset in range(3))
    example = example or (source.own.example if source.own else EXAMPLES[source.name])
    schema = validity.follows_schema(source, apart_from=apart_from)
    return (
        _in_its_folder(there, source),
        strict_json(json, source, there),
        _its_fields(fields, source, json, run=schema, example=example),
    )


files_and_steps = kind(
    run=lambda source: validity.keeps_rules(source, "files-steps"),
    title="affected_files and steps name the same files",
    hint="Give every affected file a step, and list every step's file in affected_files.",
    look_at="Compare affected_files with the file of every step.",
    why="A file without a step is never written. A file that is not listed surprises reviewers.",
    example=FILES_AND_STEPS,
    points=2,
)
_ordered_steps = kind(
    run=lambda source: validity.keeps_rules(source, "step-order", "tests-last"),
    title="steps in order, implementation before tests",
    hint="Number the steps in ascending order, and put the test steps last.",
    look_at="The order of each step, and the position of the first test step.",
    why="The worker follows the steps in order, and a test needs something to test.",
    example=FILES_AND_STEPS,
)
_planned_mapping = kind(
    run=lambda source: validity.keeps_rules(source, "mapping", "criterion-label"),
    title="acceptance_mapping points to planned files",
    hint="Write labels as AC<N>_<short_name> and map each one to a file in the plan.",
    look_at="Each label and each path in acceptance_mapping that the failure names.",
    why="A criterion without a planned file is not implemented.",
    example=MAPPING,
)


def planning_rules(code: str, first: int, source: ArtifactRef, fields: str) -> tuple[Check, ...]:
    """Return the checks of a plan's own consistency; `fields` is the check they wait for."""
    kinds = (files_and_steps, _ordered_steps, _planned_mapping)
    return tuple(make(f"{code}.{at}", source, fields) for at, make in enumerate(kinds, start=first))


def planned(code: str, *, example: str = "") -> tuple[Check, ...]:
    """Return the checks that any plan needs, codes `<code>.1` to `<code>.6`."""
    return (
        *readable(code, 1, PLAN_JSON, apart_from=PLAN_RULES, example=example),
        *planning_rules(code, 4, PLAN_JSON, f"{code}.3"),
    )


criteria = kind(
    run=planning.maps_every_criterion,
    title="every acceptance criterion is mapped",
    hint="Add one entry to acceptance_mapping for each criterion of the issue.",
    look_at="Each criterion in the issue, and the label for it in the plan.",
    why="A well-formed plan can still miss something that the issue asks for.",
    example=MAPPING,
    points=2,
    needs_criteria=True,
)
tested = kind(
    run=planning.plans_a_test,
    title="the plan has a test step",
    hint="Plan tests that show that the acceptance criteria are met.",
    look_at="The file of each step. Its name or folder shows whether it is a test.",
    why="Without a test, the pull request does not show that the criteria are met.",
    example=TEST_STEP,
    points=0,
)
rooted = kind(
    run=planning.begin_at_target,
    title="the plan's paths begin at the target project",
    hint="Write every path relative to the folder of the target project.",
    look_at="The first folder of each path, and the target project that the task names.",
    why="The next agent starts in the target project and cannot find a file by a wrong path.",
    example='"affected_files": ["src/app.js"]',
)
marked = kind(
    run=validity.produced_by,
    title="$name is by $all",
    hint="Dispatch the agent for this role, and let it write the artifact itself.",
    look_at="The exact value of produced_by, and which agent really wrote the file.",
    why="The marker says which agent did the work; it is the only trace of a delegation.",
    example='"produced_by": "$first"',
)
completed = kind(
    run=results.is_completed,
    title="the work is completed, without blockers",
    hint="Remove what blocks the worker, and run it again until the work is completed.",
    look_at="status and blockers in $name.",
    why="The git agent publishes only completed work.",
    example='"status": "completed",\n"blockers": []',
)
agreement = kind(
    run=results.agrees_with_plan,
    title="files_changed match the plan",
    hint="Change only what the plan lists, or have the plan extended first.",
    look_at="files_changed and affected_files, and the paths that are in only one of them.",
    why="People agreed to the plan. They have not seen any file that it does not list.",
    example=f'"files_changed": {_FILES}',
    points=2,
)
named_branch = kind(
    run=results.names_the_issue,
    title="the branch names its issue",
    hint="Put the issue's number in the slug, so that people can find the issue.",
    look_at="The slug, which is the part of branch after feature/.",
    why="People find a branch that names its issue without a search.",
    example='"branch": "feature/issue-7-health"',
    points=0,
)
_valid_plan = kind(
    run=validity.is_sound,
    title="the plan exists and is valid",
    hint="Finish the plan first: the worker reads it.",
    look_at="$name in the same folder; the planning exercise names each mistake in it.",
    why="A result can be compared only with a valid plan.",
    earlier_work=True,
)
_changed_files = kind(
    run=results.has_its_files,
    title="the changed files exist and are not empty",
    hint="List the files by their paths in the target project, and write their content.",
    look_at="Each path in the failure, and whether exactly that file exists and has content.",
    why="A result that lists missing or empty files describes work that was not done.",
    example='"files_changed": ["src/health/routes.js"]',
    points=2,
)


def implementing(code: str) -> tuple[Check, ...]:
    """Return the checks of an implementation exercise, codes `<code>.1` to `<code>.8`."""
    fields, plan = f"{code}.3", f"{code}.5"
    return (
        *readable(code, 1, WORKER_JSON, apart_from=frozenset({"blockers"})),
        completed(f"{code}.4", WORKER_JSON, fields),
        _valid_plan(plan, PLAN_JSON),
        agreement(f"{code}.6", WORKER_JSON, (fields, plan), PLAN_JSON),
        _changed_files(f"{code}.7", WORKER_JSON, fields),
        marked(f"{code}.8", WORKER_JSON, fields, "x-worker"),
    )


_there_as_json = kind(
    run=validity.is_there_as_json,
    title="$name is in its folder, as JSON",
    hint="Run the stage that writes the file, for the target project in the file's path.",
    look_at="The full path in the failure message: the folders and the file name.",
    why="The artifacts are the trace of a run. A stage without an artifact cannot be traced.",
    example=".pipeline/ISSUE-7/$name",
)
_valid = kind(
    run=validity.follows_schema,
    title="$name passes schema validation",
    hint="Fix every listed place, or give the lines to the agent that wrote the file.",
    look_at="Each place in the failure, from the top. One mistake often causes the next.",
    why="The next stage reads the file with the same rules.",
)
_blockers = kind(
    run=results.has_array_of_blockers,
    title="blockers is an array, empty once completed",
    hint="Write [] when nothing blocks the worker.",
    look_at="The values of blockers and status.",
    why="Tools count the elements of blockers, and null or a sentence has none.",
    example='"blockers": []',
)


def tracing(code: str) -> tuple[Check, ...]:
    """Return the three checks of the specification's trace, codes `<code>.1` to `<code>.8`."""
    apart: tuple[dict[str, Any], ...] = (  # what has a check of its own
        {"apart_from": frozenset({"files-steps"})},
        {"apart_field": "blockers"},
        {},
    )
    return (
        *(_there_as_json(f"{code}.{at}", source) for at, source in enumerate(RUN, start=1)),
        *(
            _valid(
                f"{code}.{at + 3}",
                source,
                f"{code}.{at}",
                run=validity.follows_schema(source, **own),
                example=EXAMPLES[source.name],
            )
            for at, (source, own) in enumerate(zip(RUN, apart, strict=True), start=1)
        ),
        files_and_steps(f"{code}.7", PLAN_JSON, f"{code}.4"),
        _blockers(f"{code}.8", WORKER_JSON, f"{code}.2"),
    )


def reviewed(code: str, first: int, *, mapping: bool) -> tuple[Check, ...]:
    """Return what a reviewer of the pull request asks: completed work, the rest is advice.

    The work has to be completed: nothing else is published (specification, section 3). The target
    project of a trace is the root.
    """
    plan, worker, git, files = (f"{code}.{number}" for number in (4, 5, 6, 7))
    root = first + 3 + mapping
    return (
        completed(f"{code}.{first}", WORKER_JSON, worker),
        agreement(f"{code}.{first + 1}", WORKER_JSON, (worker, files), PLAN_JSON, points=0),
        *([criteria(f"{code}.{first + 2}", PLAN_JSON, files, points=0)] if mapping else ()),
        named_branch(f"{code}.{root - 1}", GIT_JSON, git),
        rooted(
            f"{code}.{root}",
            PLAN_JSON,
            plan,
            points=0,
            example='"affected_files": ["sandbox/src/app.js"]',
        ),
    )


def markers(code: str, first: int) -> tuple[Check, ...]:
    """Return the checks of the three markers of a delegated pipeline."""
    return (
        marked(f"{code}.{first}", PLAN_JSON, f"{code}.4", "x-subplanner", points=2),
        marked(f"{code}.{first + 1}", WORKER_JSON, f"{code}.5", "x-worker"),
        marked(f"{code}.{first + 2}", GIT_JSON, f"{code}.6", "x-git"),
    )


_known_commit = kind(
    run=evidence.names_a_commit,
    title="the commit is in the history",
    hint="Copy what git rev-parse prints; submit .git, or a bundle made with --all.",
    look_at="What git log --all --oneline lists, and the value of commit_sha.",
    why="People cannot review work if git does not know its hash.",
    example=_SHA,
    compares_git=True,
)
_on_its_branch = kind(
    run=evidence.lies_on_its_branch,
    title="the commit is on its branch, or was merged",
    hint="Publish the work on that branch, and write git-result.json from what git shows.",
    look_at="What git branch -a --contains prints for the hash, and the value of branch.",
    why="Reviewers look at the branch. They do not approve work that is elsewhere.",
    example=f'"branch": "feature/issue-7-health",\n{_SHA}',
    compares_git=True,
)
_own_message = kind(
    run=evidence.says_its_message,
    title="commit_message is the commit's message",
    hint="Copy the message that git log -1 --format=%B prints for the hash.",
    look_at="The message in git and commit_message, line by line.",
    why="Changelogs are generated from git, not from the artifact.",
    example='"commit_message": "feat: add a health endpoint"',
    compares_git=True,
)
_reported_files = kind(
    run=evidence.names_the_changed_files,
    title="files_changed matches what git shows",
    hint="Complete the work, or have the worker report again what the branch changes.",
    look_at="What git diff --name-only prints between the start and the end of the branch.",
    why="Reviewers rely on this claim, and git can confirm it.",
    example=f'"files_changed": {_FILES}',
    points=2,
    compares_git=True,
)
_agreed_files = kind(
    run=evidence.names_the_changed_files,
    title="affected_files matches what git shows",
    hint="Have the plan list every file that the work needs, and no other.",
    look_at="affected_files, and the files that git diff --name-only prints.",
    why="People agreed to the plan. Only git shows what became of it.",
    example=f'"affected_files": {_FILES}',
    compares_git=True,
)


def compared_with_git(code: str, first: int, *, advisory: bool = False) -> tuple[Check, ...]:
    """Return the five checks of a trace's claims about git; `<code>.4` to `<code>.7` come first.

    As advice they are not run on a submission without a history.
    """
    commit, branch, message, reported, agreed = (f"{code}.{first + at}" for at in range(5))
    changed, planned_ = (f"{code}.5", branch), (f"{code}.7", branch)
    checks = (
        _known_commit(commit, GIT_JSON, f"{code}.6"),
        _on_its_branch(branch, GIT_JSON, commit),
        _own_message(message, GIT_JSON, commit),
        _reported_files(reported, WORKER_JSON, changed, "files_changed", GIT_JSON),
        _agreed_files(agreed, PLAN_JSON, planned_, "affected_files", GIT_JSON),
    )
    if not advisory:
        return checks
    return tuple(replace(each, points=0, needs_history=True) for each in checks)
