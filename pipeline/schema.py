"""The contract: the artifacts, their fields, and the rules that tie the fields together.

`python3 pipeline/schema.py --validate PATH` checks one artifact (specification, section 4).
The field tables are those of the specification, sections 2.2 to 2.5; what the tests and a reviewer
said is in two artifacts of our own, which no exercise asks for. Types are strict, fields that
are not listed here are accepted. The classes are typed dictionaries, so that an artifact is at once
the JSON value, a checked type, and the source of the validators and the published JSON Schemas.
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
from pipeline.protocol.layout import compared, composed, instead, is_artifact_path
from pipeline.protocol.patterns import open_fields
from pipeline.protocol.problems import Problem
from pipeline.protocol.validate import Kind, Rule, main
from pipeline.terminal.display import listed, named, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipeline.protocol.problems import Path

Text = Annotated[str, patterns.TEXT]
FilePath = Annotated[str, patterns.PATH]
Label = Annotated[str, patterns.CRITERION]

# --- fields (specification, sections 2.2 to 2.5) ------------------------------------------------


@open_fields
class Step(TypedDict):
    """One step of a plan: what to do to one file."""

    order: float
    file: FilePath
    description: Text


@open_fields
class Plan(TypedDict):
    """plan.json: what the planner decided."""

    affected_files: Annotated[list[FilePath], patterns.NOT_EMPTY]
    steps: Annotated[list[Step], patterns.NOT_EMPTY]
    acceptance_mapping: NotRequired[Annotated[dict[Label, FilePath], patterns.NOT_EMPTY]]
    produced_by: NotRequired[Text]


@open_fields
class WorkerResult(TypedDict):
    """worker-result.json: what the worker did."""

    status: Text
    files_changed: list[FilePath]
    blockers: list[Any]
    summary: Annotated[str, patterns.LINE]
    produced_by: NotRequired[Text]


@open_fields
class GitResult(TypedDict):
    """git-result.json: what the git agent published."""

    branch: Annotated[str, patterns.BRANCH]
    commit_sha: Annotated[str, patterns.COMMIT_SHA]
    commit_message: Annotated[str, patterns.COMMIT_MESSAGE]
    pr_url: NotRequired[Annotated[str, patterns.URL]]
    produced_by: NotRequired[Text]


@open_fields
class Classification(TypedDict):
    """One classified task; classifications.json is an array of five of them."""

    task: Text
    file_count: Annotated[int, patterns.NOT_NEGATIVE]
    domain_scope: Literal["single", "cross-domain"]
    signals: list[Text]
    tier: Literal["trivial", "standard", "complex"]
    agents: Annotated[list[Text], patterns.NOT_EMPTY]


# --- fields of our own --------------------------------------------------------------------------


@open_fields
class Suite(TypedDict):
    """One run of the project's tests; what was not run has no exit code, and `tail` says why."""

    verdict: Literal["passed", "failed", "not run"]
    command: str
    exit_code: NotRequired[int]
    duration: NotRequired[float]
    counts: NotRequired[dict[str, Annotated[int, patterns.NOT_NEGATIVE]]]
    failures: NotRequired[list[Text]]
    missing: NotRequired[dict[str, Annotated[int, patterns.NOT_NEGATIVE]]]
    tail: str


@open_fields
class TestResult(Suite):
    """test-result.json: what the project's tests said of the work, and before it."""

    before: NotRequired[Suite]
    snapshot: NotRequired[Text]
    produced_by: NotRequired[Text]


@open_fields
class ReviewFinding(TypedDict):
    """One thing that a reviewer found."""

    file: NotRequired[FilePath]
    line: NotRequired[Annotated[int, patterns.NOT_NEGATIVE]]
    severity: Literal["critical", "major", "minor"]
    message: Text


@open_fields
class ReviewResult(TypedDict):
    """review-result.json: what a reviewer said of the work."""

    verdict: Literal["approved", "changes needed", "blocked"]
    findings: list[ReviewFinding]
    answer: NotRequired[str]
    snapshot: NotRequired[Text]
    produced_by: NotRequired[Text]


RECORDS = 5
# Only the published JSON Schema counts the records. Here a rule does, because pydantic does not
# count them if one is wrong, and does not check them if there are six.
_FIVE = patterns.Bound({}, {"minItems": RECORDS, "maxItems": RECORDS})
Classifications = Annotated[list[Classification], _FIVE]

# --- rules that a table cannot express --------------------------------------------------------


def _files_and_steps_agree(plan: Plan) -> Iterator[Problem]:
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
            step, expected = ("steps", index, "file"), instead(meant[file], affected)
            yield Problem("files-steps", step, message, expected, named(file), action=action)
    message, expected = "no step has this file", "a step for this file"
    for index, file in enumerate(affected):
        if file in missing:
            action = f"Add a step for {named(file)}, or remove it from affected_files."
            path = ("affected_files", index)
            yield Problem("files-steps", path, message, expected, named(file), action=action)


def _paths_are_named_once(plan: Plan) -> Iterator[Problem]:
    message = "this path differs from another path only in letter case"
    action = "Write the path everywhere as the file is called."
    for path, file, before in _repeated("affected_files", plan["affected_files"]):
        if composed(before) == composed(file):
            yield _named_twice("files-steps", path, file)
        else:  # on many systems one file
            expected = f"one spelling of {named(before)}"
            yield Problem("files-steps", path, message, expected, named(file), action=action)


def _changed_paths_are_named_once(result: WorkerResult) -> Iterator[Problem]:
    for path, file, before in _repeated("files_changed", result["files_changed"]):
        if composed(before) == composed(file):
            yield _named_twice("files", path, file)


def _repeated(field: str, files: list[str]) -> Iterator[tuple[Path, str, str]]:
    """Yield the place of each path that is in a list again, in any case; it; and the first one."""
    first: dict[str, int] = {}
    for index, file in enumerate(files):
        before = first.setdefault(composed(file).casefold(), index)
        if before != index:
            yield (field, index), file, files[before]


def _named_twice(rule: str, path: Path, file: str) -> Problem:
    message, expected = "this file is already in the list", "each file once"
    action = f"Remove this entry for {named(file)}."
    return Problem(rule, path, message, expected, named(file), action=action)


def _paths_are_of_the_work(plan: Plan) -> Iterator[Problem]:
    files = [(("affected_files", index), file) for index, file in enumerate(plan["affected_files"])]
    steps = [(("steps", index, "file"), step["file"]) for index, step in enumerate(plan["steps"])]
    mapping = plan.get("acceptance_mapping", {})
    criteria = [(("acceptance_mapping", label), file) for label, file in mapping.items()]
    yield from _wrong_paths([*files, *steps, *criteria])


def _changed_paths_are_of_the_work(result: WorkerResult) -> Iterator[Problem]:
    files = enumerate(result["files_changed"])
    yield from _wrong_paths((("files_changed", index), file) for index, file in files)


def _wrong_paths(places: Iterable[tuple[Path, str]]) -> Iterator[Problem]:
    for place, file in places:
        if fault := patterns.no_path(file):
            (message, action), expected = fault, "the path of one file, such as src/app.js"
            yield Problem("path", place, message, expected, named(file), action=action)
        elif is_artifact_path(file):
            message, expected = "this is an artifact of the pipeline", "a file of the work"
            action = f"Remove every entry for {named(file)}."
            yield Problem("path", place, message, expected, named(file), action=action)


def _steps_ascend(plan: Plan) -> Iterator[Problem]:
    message = "the steps are not in ascending order"
    orders = [step["order"] for step in plan["steps"]]
    action = "Number the steps 1, 2, 3 and so on, in the order of the list."
    if orders != sorted(orders):
        action = (
            "Decide which order is right, that of the list or of the numbers; change the other."
        )
    for index, (before, order) in enumerate(pairwise(orders), start=1):
        if not before < order:
            path, expected = ("steps", index, "order"), f"a number greater than {quoted(before)}"
            yield Problem("step-order", path, message, expected, quoted(order), action=action)


def _tests_come_last(plan: Plan) -> Iterator[Problem]:
    message = "this implementation step comes after a test step"
    action = "Move the test steps to the end."
    files = [step["file"] for step in plan["steps"]]
    test, late = code_after_test(files)
    for index in late:
        path, expected = ("steps", index, "file"), f"a place before the test step for {named(test)}"
        yield Problem("tests-last", path, message, expected, named(files[index]), action=action)


def _criteria_map_to_plan(plan: Plan) -> Iterator[Problem]:
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
            path, expected = ("acceptance_mapping", label), instead(meant[file], files)
            yield Problem("mapping", path, message, expected, named(file), action=action)


def _completed_has_no_blockers(result: WorkerResult) -> Iterator[Problem]:
    if result["status"] == COMPLETED and result["blockers"]:
        message, found = "a completed result still lists blockers", quoted(result["blockers"])
        expected = f"[] or a status other than {COMPLETED}"
        action = 'Write [] if nothing blocks the work; otherwise, write a status such as "blocked".'
        yield Problem("blockers", ("blockers",), message, expected, found, action=action)


def _completed_lists_files(result: WorkerResult) -> Iterator[Problem]:
    if result["status"] == COMPLETED and not result["files_changed"]:
        message, expected = "completed work lists no file", "the path of each changed file"
        action = "Write the path of each file that the work changed, or a different status."
        yield Problem("files", ("files_changed",), message, expected, "[]", action=action)


def _url_is_of_a_pull_request(result: GitResult) -> Iterator[Problem]:
    url = result.get("pr_url", "")
    if patterns.is_another_page(url):
        message, expected = "this is not the page of a pull request", "the URL of an open one"
        action = "Copy the URL once the pull request is open, or leave pr_url out."
        yield Problem("pr-url", ("pr_url",), message, expected, quoted(url), action=action)


def _verdict_and_exit_code_agree(result: TestResult) -> Iterator[Problem]:
    found, code = result["verdict"], result.get("exit_code")
    expected = "not run" if code is None else "failed" if code else "passed"
    if found != expected:
        message = "the verdict and the exit code disagree"
        action = "Run the tests, and record what they return."
        shown = quoted(found)
        yield Problem("verdict", ("verdict",), message, quoted(expected), shown, action=action)


def _has_five_records(records: object) -> Iterator[Problem]:
    if isinstance(records, list) and len(records) != RECORDS:
        message = f"too {'few' if len(records) < RECORDS else 'many'} elements"
        action = "Write one record for each of the five scenarios."
        yield Problem("count", (), message, f"exactly {RECORDS}", quoted(records), action=action)


# --- notes: what is accepted, and is probably not meant -----------------------------------------


def _descriptions_say_something(plan: Plan) -> Iterator[Problem]:
    message, expected = "this description says nothing", "what to do to the file"
    action = "Say in a few words what to do to this file."
    for index, step in enumerate(plan["steps"]):
        if says_nothing(found := step["description"]):
            path = ("steps", index, "description")
            yield Problem("says-nothing", path, message, expected, quoted(found), action=action)


def _work_is_explained(result: WorkerResult) -> Iterator[Problem]:
    if is_unexplained(result):
        message, found = (
            "the work is not completed, and no blocker says why",
            named(result["status"]),
        )
        expected = f"{quoted(COMPLETED)}, or blockers that say what stops the work"
        action = f"Write {quoted(COMPLETED)} if the work is done; else name what stops it."
        yield Problem("status", ("status",), message, expected, found, action=action)


def _type_is_usual(result: GitResult) -> Iterator[Problem]:
    found = result["commit_message"]
    if not patterns.is_usual_type(found):
        message, expected = "this type is unusual", f"one of {listed(patterns.COMMIT_TYPES)}"
        yield Problem("commit-type", ("commit_message",), message, expected, named(found))


# --- the kinds of artifacts ---------------------------------------------------------------------

_STEP_FILES: tuple[Path, ...] = (("affected_files", "*"), ("steps", "*", "file"))

# fmt: off
_PLAN = Kind(
    "plan", Plan, exercise_fields=("acceptance_mapping", "produced_by"),
    example={
        "affected_files": ["src/app.js"],
        "steps": [{"order": 1, "file": "src/app.js", "description": "Write the route"}],
        "acceptance_mapping": {"AC1_status": "src/app.js"}, "produced_by": "x-planner"},
    rules=(
        Rule(_paths_are_of_the_work, (*_STEP_FILES, ("acceptance_mapping", "*"))),
        Rule(_files_and_steps_agree, _STEP_FILES),
        Rule(_paths_are_named_once, _STEP_FILES),
        Rule(_steps_ascend, (("steps", "*", "order"),)),
        Rule(_tests_come_last, (("steps", "*", "file"),)),
        Rule(_criteria_map_to_plan, (*_STEP_FILES, ("acceptance_mapping", "*")))),
    notes={"says-nothing": _descriptions_say_something})
_WORKER_RESULT = Kind(
    "worker-result", WorkerResult, exercise_fields=("produced_by",),
    example={
        "status": "completed", "files_changed": ["src/app.js"], "blockers": [],
        "summary": "Adds the route", "produced_by": "x-worker"},
    rules=(
        Rule(_changed_paths_are_of_the_work, (("files_changed", "*"),)),
        Rule(_changed_paths_are_named_once, (("files_changed", "*"),)),
        Rule(_completed_lists_files, (("status",), ("files_changed",))),
        Rule(_completed_has_no_blockers, (("status",), ("blockers",)))),
    notes={"status": _work_is_explained})
_GIT_RESULT = Kind(
    "git-result", GitResult, exercise_fields=("produced_by",),
    example={
        "branch": "feature/issue-7-health", "commit_sha": "3f1c9ab",
        "commit_message": "feat: add the route", "pr_url": "https://example.org/pull/7",
        "produced_by": "x-git"},
    rules=(Rule(_url_is_of_a_pull_request, (("pr_url",),)),),
    notes={"commit-type": _type_is_usual})
_CLASSIFICATIONS = Kind(
    "classifications", Classifications,
    example=RECORDS * [{
        "task": "Fix a typo in the README", "file_count": 1, "domain_scope": "single",
        "signals": ["single file", "no tests"], "tier": "trivial",
        "agents": ["x-worker-fast", "x-reviewer-fast"]}],
    rules=(Rule(_has_five_records, ()),))
_SUITE = {
    "verdict": "failed", "command": "npm test", "exit_code": 1, "duration": 2.5,
    "counts": {"passed": 11, "failed": 1, "skipped": 0}, "failures": ["answers 200"],
    "missing": {"tape": 1}, "tail": "not ok 3 - answers 200"}
_TEST_RESULT = Kind(
    "test-result", TestResult, exercise_fields=("produced_by",),
    example={**_SUITE, "before": _SUITE, "snapshot": "5f70bf18", "produced_by": "runner"},
    rules=(Rule(_verdict_and_exit_code_agree, (("verdict",), ("exit_code",))),))
_REVIEW_RESULT = Kind(
    "review-result", ReviewResult, exercise_fields=("produced_by",),
    example={
        "verdict": "approved",
        "findings": [
            {"file": "src/app.js", "line": 7, "severity": "minor", "message": "a name is long"}],
        "answer": "approved", "snapshot": "5f70bf18", "produced_by": "x-reviewer"})
# fmt: on
_SPECIFIED = (_PLAN, _WORKER_RESULT, _GIT_RESULT, _CLASSIFICATIONS)
KINDS = {kind.name: kind for kind in (*_SPECIFIED, _TEST_RESULT, _REVIEW_RESULT)}


if __name__ == "__main__":
    raise SystemExit(main(KINDS))
