"""The contract: each artifact that agents exchange, with its fields, an example and its rules.

`python3 pipeline/schema.py --validate PATH` checks one artifact (specification, section 4). Each
section below is about one. Types are strict; fields that are not listed are accepted. A rule says
what a table of fields cannot, and applies where the fields that it names are well-typed. A note is
about what is accepted, and is probably not meant. Both yield what is wrong: the place, the message,
what is expected, what was found, and what to do about it.

The classes are typed dictionaries, so that an artifact is at once the JSON value, a checked type,
and the source of the validators and the published JSON Schemas.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":  # run by path: Python has put this file's folder on the path
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    from pipeline.bootstrap import use_project_environment

    use_project_environment()

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typing_extensions import NotRequired, TypedDict

from pipeline.protocol import patterns
from pipeline.protocol.agreement import COMPLETED, is_unexplained, says_nothing
from pipeline.protocol.conventions import code_after_test
from pipeline.protocol.layout import compared, instead
from pipeline.protocol.patterns import open_fields
from pipeline.protocol.validate import Kind, main
from pipeline.terminal.display import listed, named, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.protocol.problems import Wrong

Text = Annotated[str, patterns.TEXT]  # not blank
FilePath = Annotated[str, patterns.PATH]  # relative to the target project, with `/`
Label = Annotated[str, patterns.CRITERION]  # AC<N>_<short_name>
Count = Annotated[int, patterns.NOT_NEGATIVE]

# --- plan.json (specification, section 2.2) -----------------------------------------------------


@open_fields
class Step(TypedDict):
    """One step of a plan: what to do to one file."""

    order: float  #: ascends from step to step
    file: FilePath  #: one of the affected files
    description: Text


@open_fields
class Plan(TypedDict):
    """plan.json: what the planner decided."""

    affected_files: Annotated[list[FilePath], patterns.NOT_EMPTY]  #: each once
    steps: Annotated[list[Step], patterns.NOT_EMPTY]  #: code first, its tests after it
    #: the file that meets each acceptance criterion; the exercises require it
    acceptance_mapping: NotRequired[Annotated[dict[Label, FilePath], patterns.NOT_EMPTY]]
    produced_by: NotRequired[Text]  #: the agent that wrote the file; the exercises require it


_STEP_FILES = ("affected_files.*", "steps.*.file")
_PLAN = Kind(
    "plan", Plan, exercise_fields=("acceptance_mapping", "produced_by"),
    example={
        "affected_files": ["src/app.js"],
        "steps": [{"order": 1, "file": "src/app.js", "description": "Write the route"}],
        "acceptance_mapping": {"AC1_status": "src/app.js"}, "produced_by": "x-planner"}
)  # fmt: skip


@_PLAN.rule("path", *_STEP_FILES, "acceptance_mapping.*")
def _paths_are_of_the_work(plan: Plan) -> Iterator[Wrong]:
    files = [(("affected_files", index), file) for index, file in enumerate(plan["affected_files"])]
    steps = [(("steps", index, "file"), step["file"]) for index, step in enumerate(plan["steps"])]
    mapping = plan.get("acceptance_mapping", {})
    criteria = [(("acceptance_mapping", label), file) for label, file in mapping.items()]
    yield from patterns.not_of_the_work([*files, *steps, *criteria])


@_PLAN.rule("files-steps", *_STEP_FILES)
def _files_and_steps_agree(plan: Plan) -> Iterator[Wrong]:
    files, affected = [step["file"] for step in plan["steps"]], plan["affected_files"]
    if set(files) == set(affected):
        return
    meant, missing = compared(files, affected)
    message = "this step's file is not in affected_files"
    for index, file in enumerate(files):
        if file in meant:
            action = f"If this path is right, add {named(file)} to affected_files."
            if meant[file]:
                action = "Write the same path in affected_files and in the steps."
            expected = instead(meant[file], affected)
            yield ("steps", index, "file"), message, expected, named(file), action
    message, expected = "no step has this file", "a step for this file"
    for index, file in enumerate(affected):
        if file in missing:
            action = f"Add a step for {named(file)}, or remove it from affected_files."
            yield ("affected_files", index), message, expected, named(file), action


@_PLAN.rule("files-steps", *_STEP_FILES)
def _files_are_named_once(plan: Plan) -> Iterator[Wrong]:
    yield from patterns.named_twice("affected_files", plan["affected_files"], in_any_case=True)


@_PLAN.rule("step-order", "steps.*.order")
def _steps_ascend(plan: Plan) -> Iterator[Wrong]:
    message = "the steps are not in ascending order"
    orders = [step["order"] for step in plan["steps"]]
    action = "Number the steps 1, 2, 3 and so on, in the order of the list."
    if orders != sorted(orders):
        action = (
            "Decide which order is right, that of the list or of the numbers; change the other."
        )
    for index, (before, order) in enumerate(pairwise(orders), start=1):
        if not before < order:
            expected = f"a number greater than {quoted(before)}"
            yield ("steps", index, "order"), message, expected, quoted(order), action


@_PLAN.rule("tests-last", "steps.*.file")
def _tests_come_last(plan: Plan) -> Iterator[Wrong]:
    message = "this implementation step comes after a test step"
    action = "Move the test steps to the end."
    files = [step["file"] for step in plan["steps"]]
    test, late = code_after_test(files)
    for index in late:
        expected = f"a place before the test step for {named(test)}"
        yield ("steps", index, "file"), message, expected, named(files[index]), action


@_PLAN.rule("mapping", *_STEP_FILES, "acceptance_mapping.*")
def _criteria_map_to_plan(plan: Plan) -> Iterator[Wrong]:
    mapping = plan.get("acceptance_mapping", {})
    files = dict.fromkeys([*plan["affected_files"], *(step["file"] for step in plan["steps"])])
    unknown = [file for file in mapping.values() if file not in files]
    if not unknown:
        return
    meant, _ = compared(unknown, files)
    message = "this criterion is mapped to a file that is not in the plan"
    action = "Map this criterion to a file in the plan, or add the file to the plan."
    for label, file in mapping.items():
        if file in meant:
            expected = instead(meant[file], files)
            yield ("acceptance_mapping", label), message, expected, named(file), action


@_PLAN.note("says-nothing")
def _descriptions_say_something(plan: Plan) -> Iterator[Wrong]:
    message, expected = "this description says nothing", "what to do to the file"
    action = "Say in a few words what to do to this file."
    for index, step in enumerate(plan["steps"]):
        if says_nothing(found := step["description"]):
            yield ("steps", index, "description"), message, expected, quoted(found), action


# --- worker-result.json (section 2.3) -----------------------------------------------------------


@open_fields
class WorkerResult(TypedDict):
    """worker-result.json: what the worker did."""

    status: Text  #: `completed`, or a different word and blockers that say why
    files_changed: list[FilePath]
    blockers: list[Any]  #: what stops the work; empty once it is completed
    summary: Annotated[str, patterns.LINE]
    produced_by: NotRequired[Text]


_WORKER_RESULT = Kind(
    "worker-result", WorkerResult, exercise_fields=("produced_by",),
    example={
        "status": "completed", "files_changed": ["src/app.js"], "blockers": [],
        "summary": "Adds the route", "produced_by": "x-worker"}
)  # fmt: skip


@_WORKER_RESULT.rule("path", "files_changed.*")
def _changes_are_of_the_work(result: WorkerResult) -> Iterator[Wrong]:
    files = enumerate(result["files_changed"])
    yield from patterns.not_of_the_work((("files_changed", index), file) for index, file in files)


@_WORKER_RESULT.rule("files", "files_changed.*")
def _changes_are_named_once(result: WorkerResult) -> Iterator[Wrong]:
    yield from patterns.named_twice("files_changed", result["files_changed"])


@_WORKER_RESULT.rule("files", "status", "files_changed")
def _completed_lists_files(result: WorkerResult) -> Iterator[Wrong]:
    if result["status"] == COMPLETED and not result["files_changed"]:
        message, expected = "completed work lists no file", "the path of each changed file"
        action = "Write the path of each file that the work changed, or a different status."
        yield ("files_changed",), message, expected, "[]", action


@_WORKER_RESULT.rule("blockers", "status", "blockers")
def _completed_has_no_blockers(result: WorkerResult) -> Iterator[Wrong]:
    if result["status"] == COMPLETED and result["blockers"]:
        message, found = "a completed result still lists blockers", quoted(result["blockers"])
        expected = f"[] or a status other than {COMPLETED}"
        action = 'Write [] if nothing blocks the work; otherwise, write a status such as "blocked".'
        yield ("blockers",), message, expected, found, action


@_WORKER_RESULT.note("status")
def _work_is_explained(result: WorkerResult) -> Iterator[Wrong]:
    if is_unexplained(result):
        message = "the work is not completed, and no blocker says why"
        expected = f"{quoted(COMPLETED)}, or blockers that say what stops the work"
        action = f"Write {quoted(COMPLETED)} if the work is done; else name what stops it."
        yield ("status",), message, expected, named(result["status"]), action


# --- git-result.json (section 2.4) --------------------------------------------------------------


@open_fields
class GitResult(TypedDict):
    """git-result.json: what the git agent published."""

    branch: Annotated[str, patterns.BRANCH]  #: feature/<slug>
    commit_sha: Annotated[str, patterns.COMMIT_SHA]
    commit_message: Annotated[str, patterns.COMMIT_MESSAGE]  #: Conventional Commits
    pr_url: NotRequired[Annotated[str, patterns.URL]]  #: of the pull request, once it is open
    produced_by: NotRequired[Text]


_GIT_RESULT = Kind(
    "git-result", GitResult, exercise_fields=("produced_by",),
    example={
        "branch": "feature/issue-7-health", "commit_sha": "3f1c9ab",
        "commit_message": "feat: add the route", "pr_url": "https://example.org/pull/7",
        "produced_by": "x-git"}
)  # fmt: skip


@_GIT_RESULT.rule("pr-url", "pr_url")
def _url_is_of_a_pull_request(result: GitResult) -> Iterator[Wrong]:
    url = result.get("pr_url", "")
    if patterns.is_another_page(url):
        message, expected = "this is not the page of a pull request", "the URL of an open one"
        action = "Copy the URL once the pull request is open, or leave pr_url out."
        yield ("pr_url",), message, expected, quoted(url), action


@_GIT_RESULT.note("commit-type")
def _type_is_usual(result: GitResult) -> Iterator[Wrong]:
    found = result["commit_message"]
    if not patterns.is_usual_type(found):
        message, expected = "this type is unusual", f"one of {listed(patterns.COMMIT_TYPES)}"
        yield ("commit_message",), message, expected, named(found), ""


# --- classifications.json (section 2.5) ---------------------------------------------------------


@open_fields
class Classification(TypedDict):
    """One classified task; classifications.json is an array of five of them."""

    task: Text
    file_count: Count
    domain_scope: Literal["single", "cross-domain"]
    signals: list[Text]  #: what decided the tier
    tier: Literal["trivial", "standard", "complex"]
    agents: Annotated[list[Text], patterns.NOT_EMPTY]  #: those that the tier routes to


RECORDS = 5
# Only the published JSON Schema counts the records. Here a rule does, because pydantic does not
# count them if one is wrong, and does not check them if there are six.
_FIVE = patterns.Bound({}, {"minItems": RECORDS, "maxItems": RECORDS})
Classifications = Annotated[list[Classification], _FIVE]


_CLASSIFICATIONS = Kind(
    "classifications", Classifications,
    example=RECORDS * [{
        "task": "Fix a typo in the README", "file_count": 1, "domain_scope": "single",
        "signals": ["single file", "no tests"], "tier": "trivial",
        "agents": ["x-worker-fast", "x-reviewer-fast"]}]
)  # fmt: skip


@_CLASSIFICATIONS.rule("count")
def _has_five_records(records: object) -> Iterator[Wrong]:
    if isinstance(records, list) and len(records) != RECORDS:
        message = f"too {'few' if len(records) < RECORDS else 'many'} elements"
        action = "Write one record for each of the five scenarios."
        yield (), message, f"exactly {RECORDS}", quoted(records), action


# --- test-result.json: our own, which no exercise asks for --------------------------------------


@open_fields
class Suite(TypedDict):
    """One run of the project's tests; what was not run has no exit code, and `tail` says why."""

    verdict: Literal["passed", "failed", "not run"]
    command: str
    exit_code: NotRequired[int]
    duration: NotRequired[float]  #: seconds
    counts: NotRequired[dict[str, Count]]  #: of tests, by `passed`, `failed` and `skipped`
    failures: NotRequired[list[Text]]  #: the names of the tests that failed
    missing: NotRequired[dict[str, Count]]  #: packages, and how many failures each explains
    tail: str  #: the end of the output


@open_fields
class TestResult(Suite):
    """test-result.json: what the project's tests said of the work, and before it."""

    before: NotRequired[Suite]
    snapshot: NotRequired[Text]  #: a digest of the work that was tested
    produced_by: NotRequired[Text]


_SUITE = {
    "verdict": "failed",
    "command": "npm test",
    "exit_code": 1,
    "duration": 2.5,
    "counts": {"passed": 11, "failed": 1, "skipped": 0},
    "failures": ["answers 200"],
    "missing": {"tape": 1},
    "tail": "not ok 3 - answers 200",
}
_TEST_RESULT = Kind(
    "test-result", TestResult, exercise_fields=("produced_by",),
    example={**_SUITE, "before": _SUITE, "snapshot": "5f70bf18", "produced_by": "runner"}
)  # fmt: skip


@_TEST_RESULT.rule("verdict", "verdict", "exit_code")
def _verdict_and_exit_code_agree(result: TestResult) -> Iterator[Wrong]:
    found, code = result["verdict"], result.get("exit_code")
    expected = "not run" if code is None else "failed" if code else "passed"
    if found != expected:
        message = "the verdict and the exit code disagree"
        action = "Run the tests, and record what they return."
        yield ("verdict",), message, quoted(expected), quoted(found), action


# --- review-result.json: our own ----------------------------------------------------------------


@open_fields
class ReviewFinding(TypedDict):
    """One thing that a reviewer found."""

    file: NotRequired[FilePath]
    line: NotRequired[Count]
    severity: Literal["critical", "major", "minor"]
    message: Text


@open_fields
class ReviewResult(TypedDict):
    """review-result.json: what a reviewer said of the work."""

    verdict: Literal["approved", "changes needed", "blocked"]
    findings: list[ReviewFinding]
    answer: NotRequired[str]  #: the reviewer's last words
    snapshot: NotRequired[Text]  #: a digest of the work that was reviewed
    produced_by: NotRequired[Text]


_REVIEW_RESULT = Kind(
    "review-result", ReviewResult, exercise_fields=("produced_by",),
    example={
        "verdict": "approved",
        "findings": [
            {"file": "src/app.js", "line": 7, "severity": "minor", "message": "a name is long"}],
        "answer": "approved", "snapshot": "5f70bf18", "produced_by": "x-reviewer"}
)  # fmt: skip

_SPECIFIED = (_PLAN, _WORKER_RESULT, _GIT_RESULT, _CLASSIFICATIONS)
KINDS = {kind.name: kind for kind in (*_SPECIFIED, _TEST_RESULT, _REVIEW_RESULT)}


if __name__ == "__main__":
    raise SystemExit(main(KINDS))
