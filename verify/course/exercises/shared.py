"""What exercises share: artifacts, kinds of checks, and groups of checks.

A check that is worth no points is advice: it goes beyond the specification.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from pipeline.protocol.layout import GIT_RESULT, PLAN, WORKER_RESULT
from verify.course.checks import evidence, planning, results, validity
from verify.course.exercises.examples import EXAMPLES, FILES_AND_STEPS, MAPPING, STRICT_JSON
from verify.grading.artifacts import ArtifactRef
from verify.grading.model import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verify.grading.artifacts import CheckFunction

PLAN_JSON = ArtifactRef(PLAN)
WORKER_JSON = ArtifactRef(WORKER_RESULT)
GIT_JSON = ArtifactRef(GIT_RESULT)
RUN = (PLAN_JSON, WORKER_JSON, GIT_JSON)  # what a whole run of the pipeline leaves behind

PLAN_RULES = frozenset({"files-steps", "step-order", "tests-last", "mapping", "criterion-label"})
GIT_RULES = frozenset({"branch", "commit-sha", "commit-message", "pr-url"})
_FILES = '["src/health/routes.js", "test/health/routes.test.js"]'
_SHA = '"commit_sha": "3f1c9ab"'


def kind(run: Callable[..., CheckFunction], **fields: Any) -> Callable[..., Check]:
    """Return a function that makes the checks of one kind, with these fields of `Check`.

    That function takes a code, an artifact, the codes of the checks to wait for, the other
    arguments of `run`, and the fields that differ. In the texts, `$name` is the artifact's name,
    `$sound` a valid example of it, `$first` the first of the other arguments, and `$all` all of
    them. In an exercise about several issues, the title names the issue.
    """

    def make(
        code: str,
        source: ArtifactRef,
        requires: str | tuple[str, ...] = (),
        *given: Any,
        **own: Any,
    ) -> Check:
        texts = [str(each) for each in given]
        sound = source.own.example if source.own else EXAMPLES.get(source.name, "")
        words = {"$name": source.name, "$sound": sound}
        words |= {"$first": "".join(texts[:1]), "$all": " or ".join(texts)}
        filled = dict(fields)
        for field, (word, text) in product(fields, words.items()):
            if isinstance(filled[field], str):
                filled[field] = filled[field].replace(word, text)
        if source.issue:
            filled["title"] = f"{source.issue}: {filled['title']}"
        waits_for = (requires,) if isinstance(requires, str) else requires
        own = {"run": run(source, *given), **filled, **own}
        return Check(code=code, requires=waits_for, **own)

    states = fields["title"].replace("$name", "the artifact").replace("$all", "one of these agents")
    make.__doc__ = f"Return a check that passes if {states}."
    return make


_in_its_folder = kind(
    run=validity.is_there,
    title="$name is in the issue's folder",
    hint="Have the agent write the file to the issue's folder.",
    look_at="The folder that the failure names, and the exact name of the file in it.",
    why="The next stage looks for the file only in this folder.",
    example="sandbox/.pipeline/ISSUE-7/$name",
)
strict_json = kind(
    run=validity.is_json,
    title="$name is strict JSON",
    hint="Fix the JSON: use double quotes, no trailing comma, and each key only once.",
    look_at="The line and column that the failure names. The mistake is there or just before it.",
    why="If a document can be read in two ways, two agents may read it differently.",
    example=STRICT_JSON,
)
_its_fields = kind(
    run=validity.follows_schema,
    title="$name has its required fields",
    hint="Add the missing fields, and give each field the type that the failure shows.",
    look_at="Each place in the failure, and the fields in `docs/reference/artifacts.md`.",
    why="The next stage reads these fields, and each field must have the right type.",
    example="$sound",
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
    there, json, fields = _codes(code, first, 3)
    own = {"example": example} if example else {}
    return (
        _in_its_folder(there, source),
        strict_json(json, source, there),
        _its_fields(fields, source, json, apart_from, **own),
    )


files_and_steps = kind(
    run=lambda source: validity.keeps_rules(source, "files-steps"),
    title="affected_files and steps name the same files",
    hint="Give every affected file a step, and list every step's file in `affected_files`.",
    look_at="The paths in `affected_files`, and the `file` of every step.",
    why="A file without a step is never written. A file that is not listed surprises reviewers.",
    example=FILES_AND_STEPS,
    points=2,
)
_ordered_steps = kind(
    run=lambda source: validity.keeps_rules(source, "step-order", "tests-last"),
    title="steps in order, implementation before tests",
    hint="Number the steps in ascending order, and put the test steps last.",
    look_at="The `order` of each step, and the position of the first test step.",
    why="The worker follows the steps in order, and a test needs something to test.",
    example=FILES_AND_STEPS,
)
_planned_mapping = kind(
    run=lambda source: validity.keeps_rules(source, "mapping", "criterion-label"),
    title="acceptance_mapping points to planned files",
    hint="Write each label as `AC<N>_<short_name>`, and map it to a file in the plan.",
    look_at="Each label and each path in `acceptance_mapping` that the failure names.",
    why="A criterion without a planned file is not implemented.",
    example=MAPPING,
)


def planned(code: str, *, example: str = "") -> tuple[Check, ...]:
    """Return the checks that any plan needs, codes `<code>.1` to `<code>.6`."""
    fields = f"{code}.3"
    return (
        *readable(code, 1, PLAN_JSON, apart_from=PLAN_RULES, example=example),
        files_and_steps(f"{code}.4", PLAN_JSON, fields),
        _ordered_steps(f"{code}.5", PLAN_JSON, fields),
        _planned_mapping(f"{code}.6", PLAN_JSON, fields),
    )


criteria = kind(
    run=planning.maps_every_criterion,
    title="every acceptance criterion is mapped",
    hint="Add one entry to `acceptance_mapping` for each criterion of the issue.",
    look_at="Each criterion in the issue, and its label in the plan.",
    why="A well-formed plan can still miss something that the issue asks for.",
    example=MAPPING,
    points=2,
    needs_criteria=True,
)
tested = kind(
    run=planning.plans_a_test,
    title="the plan has a test step",
    hint="Add test steps that show whether the acceptance criteria are met.",
    look_at="The file of each step. Its name or folder shows whether it is a test.",
    why="Without a test, the pull request does not show that the criteria are met.",
    example=FILES_AND_STEPS,
    points=0,
)
paths_in_target = kind(
    run=planning.begin_at_target,
    title="the plan's paths begin at the target project",
    hint="Write every path relative to the folder of the target project.",
    look_at="The first folder of each path, and the target project that the task names.",
    why="The next agent starts in the target project and resolves every path from there.",
    example='"affected_files": ["src/app.js"]',
)
marked = kind(
    run=validity.produced_by,
    title="$name is by $all",
    hint="Dispatch the agent for this role, and let it write the artifact itself.",
    look_at="The exact value of `produced_by`, and which agent really wrote the file.",
    why="Without this marker, the artifact does not show which agent did the work.",
    example='"produced_by": "$first"',
)
completed = kind(
    run=results.is_completed,
    title="the work is completed, without blockers",
    hint="Resolve the blockers, and run the worker again until the work is completed.",
    look_at="The fields `status` and `blockers` in `$name`.",
    why="The git agent publishes only completed work.",
    example='"status": "completed",\n"blockers": []',
)
agreement = kind(
    run=results.agrees_with_plan,
    title="files_changed matches the plan",
    hint="Change only files of the plan, or have other files added to the plan first.",
    look_at="The paths that are in only one of `files_changed` and `affected_files`.",
    why="Reviewers expect changes only in the files of the plan.",
    example=f'"files_changed": {_FILES}',
    points=2,
)
named_branch = kind(
    run=results.names_the_issue,
    title="the branch names its issue",
    hint="Put the issue's number in the slug.",
    look_at="The slug, which is the part of `branch` after `feature/`.",
    why="People find the branch of an issue by the issue's number.",
    example='"branch": "feature/issue-7-health"',
    points=0,
)
_valid_plan = kind(
    run=validity.is_sound,
    title="the plan exists and is valid",
    hint="Finish the plan first, because the worker reads it.",
    look_at="The file `$name` in the same folder. The planning exercise lists every mistake in it.",
    why="A result can be compared only with a valid plan.",
    earlier_work=True,
)
_changed_files = kind(
    run=results.has_its_files,
    title="the changed files exist and are not empty",
    hint="List each file by its path in the target project, and check that the file has content.",
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
    title="$name exists and is valid JSON",
    hint="Run the stage that writes the file. The file must be at the path in the failure.",
    look_at="The full path in the failure: the folders and the file name.",
    why="The artifacts are the trace of a run. A stage without an artifact cannot be traced.",
    example=".pipeline/ISSUE-7/$name",
)
_valid = kind(
    run=validity.follows_schema,
    title="$name passes schema validation",
    hint="Have whoever wrote the file fix every mistake that the failure lists.",
    look_at="Each place that the failure names, from the top. One mistake often causes the next.",
    why="The next stage relies on the same schema.",
    example="$sound",
)
_blockers = kind(
    run=results.has_array_of_blockers,
    title="blockers is an array, empty when completed",
    hint="Write `[]` when nothing blocks the worker.",
    look_at="The values of `blockers` and `status`.",
    why="Tools count the elements of `blockers`, and only an array has elements.",
    example='"blockers": []',
)


_known_commit = kind(
    run=evidence.names_a_commit,
    title="the commit is in the history",
    hint="Copy the hash that `git rev-parse <branch>` prints, and submit `.git` or a full bundle.",
    look_at="What `git log --all --oneline` lists, and the value of `commit_sha`.",
    why="People cannot review a commit that git does not have.",
    example=_SHA,
    compares_git=True,
)
_on_its_branch = kind(
    run=evidence.lies_on_its_branch,
    title="the commit is on its branch, or was merged",
    hint="Publish the work on its branch, and write `git-result.json` from what git shows.",
    look_at="What `git branch -a --contains <hash>` prints, and the value of `branch`.",
    why="Reviewers see only the work that is on the branch.",
    example=f'"branch": "feature/issue-7-health",\n{_SHA}',
    compares_git=True,
)
_own_message = kind(
    run=evidence.says_its_message,
    title="commit_message is the commit's message",
    hint="Copy the message that `git log -1 --format=%B <hash>` prints.",
    look_at="Each line of the message in git, and each line of `commit_message`.",
    why="Changelogs are generated from git, not from the artifact.",
    example='"commit_message": "feat: add a health endpoint"',
    compares_git=True,
)
_reported_files = kind(
    run=evidence.names_the_changed_files,
    title="files_changed matches what git shows",
    hint="Complete the work, or have the worker write `$name` again.",
    look_at="What the `git diff` command in the failure prints.",
    why="Reviewers rely on this list, and git can confirm it.",
    example=f'"files_changed": {_FILES}',
    points=2,
    compares_git=True,
)
_agreed_files = kind(
    run=evidence.names_the_changed_files,
    title="affected_files matches what git shows",
    hint="Have the plan list every file that the work needs, and no other file.",
    look_at="The paths in `affected_files`, and those that the `git diff` in the failure prints.",
    why="Only git shows whether the work follows the plan.",
    example=f'"affected_files": {_FILES}',
    compares_git=True,
)


def tracing(code: str, *, delegated: bool, advisory: bool) -> tuple[Check, ...]:
    """Return the checks of a whole run in the root; the specification asks for the first eight.

    The other checks are about the markers (if the run is delegated), what a reviewer asks, and what
    git shows. The work has to be completed: nothing else is published (specification, section 3).
    If the checks against git are advisory, they are not asked of a submission without a history.
    """
    there, (plan, worker, git, files) = _codes(code, 1, 3), _codes(code, 4, 4)
    more = iter(_codes(code, 9, 13))
    checks = [
        *(_there_as_json(at, source) for at, source in zip(there, RUN, strict=True)),
        _valid(plan, PLAN_JSON, there[0], frozenset({"files-steps"})),
        _valid(worker, WORKER_JSON, there[1], frozenset(), "blockers"),
        _valid(git, GIT_JSON, there[2]),
        files_and_steps(files, PLAN_JSON, plan),
        _blockers(f"{code}.8", WORKER_JSON, there[1]),
    ]
    if delegated:
        checks += [
            marked(next(more), PLAN_JSON, plan, "x-subplanner", points=2),
            marked(next(more), WORKER_JSON, worker, "x-worker"),
            marked(next(more), GIT_JSON, git, "x-git"),
        ]
    checks += [
        completed(next(more), WORKER_JSON, worker),
        agreement(next(more), WORKER_JSON, (worker, files), PLAN_JSON, points=0),
    ]
    checks += [criteria(next(more), PLAN_JSON, files, points=0)] if delegated else []
    example = '"affected_files": ["sandbox/src/app.js"]'
    checks += [
        named_branch(next(more), GIT_JSON, git),
        paths_in_target(next(more), PLAN_JSON, plan, points=0, example=example),
    ]
    own = {"points": 0, "needs_history": True} if advisory else {}
    return (*checks, *_with_git([*more][:5], worker, git, files, **own))


def _with_git(
    codes: Sequence[str], worker: str, git: str, files: str, **own: Any
) -> tuple[Check, ...]:
    """Return the checks of a run against git; they wait for the codes of those on the artifacts."""
    commit, branch, message, reported, agreed = codes
    told = (GIT_JSON, WORKER_JSON)
    return (
        _known_commit(commit, GIT_JSON, git, **own),
        _on_its_branch(branch, GIT_JSON, commit, **own),
        _own_message(message, GIT_JSON, commit, **own),
        _reported_files(reported, WORKER_JSON, (worker, branch), "files_changed", GIT_JSON, **own),
        _agreed_files(agreed, PLAN_JSON, (files, branch), "affected_files", *told, **own),
    )


def _codes(code: str, first: int, count: int) -> list[str]:
    return [f"{code}.{number}" for number in range(first, first + count)]
