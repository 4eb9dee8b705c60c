"""The contract: the four artifacts, their fields, and the rules that tie the fields together.

`python3 pipeline/schema.py --validate PATH` checks one artifact (specification, section 4).
The field tables are those of the specification, sections 2.2 to 2.5. Types are strict, fields that
are not listed here are accepted. The classes are typed dictionaries, so that an artifact is at once
the JSON value, a checked type, and the source of the validators and the published JSON Schemas.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

if __name__ == "__main__":
    # Run by path: Python put this file's folder on the path, the packages are one level up. The
    # command is imported by its name, since the contract depends on nothing above it;
    # it imports this module under its own name, so nothing below is run twice.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    from pipeline.bootstrap import use_project_environment

    use_project_environment()
    raise SystemExit(import_module("pipeline.protocol.validate").main())

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from typing_extensions import NotRequired, TypedDict

from pipeline.protocol.names import Known, twins
from pipeline.protocol.patterns import AtLeast, Count, DocumentedCount, Shape, open_fields
from pipeline.protocol.problems import KEY_RULE, Path, Problem
from pipeline.terminal.display import named, quoted, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# --- shapes -----------------------------------------------------------------------------------

_SPACES = r"\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
_BLANK = rf"\x00-\x20\x7f-\xa0{_SPACES}"
_BREAK = r"\n\x0b\x0c\r\x1c-\x1e\x85\u2028\u2029"
_NAME = r"[^/\\\x00-\x1f\x7f]"  # a character of a file name
# A path segment that is neither `.` nor `..` nor blank; the first looks not like a drive either.
_DOTTED = rf"\.[^./\\\x00-\x1f\x7f]{_NAME}*|\.\.{_NAME}+"
_INDENTED = rf"[\x20\x80-\xa0{_SPACES}]+[^/\\{_BLANK}]{_NAME}*"
_SEGMENT = rf"(?:[^./\\{_BLANK}]{_NAME}*|{_INDENTED}|{_DOTTED})"
_FIRST = (
    rf"(?:[A-Za-z](?:[^:/\\\x00-\x1f\x7f]{_NAME}*)?|[^A-Za-z./\\{_BLANK}]{_NAME}*"
    rf"|{_INDENTED}|{_DOTTED})"
)

TEXT = Shape("text", rf"[^{_BLANK}]", "text that is not blank")
LINE = Shape("summary", rf"^[^{_BREAK}]*[^{_BLANK}][^{_BREAK}]*$", "one line that is not blank")
PATH = Shape(
    "path",
    rf"^{_FIRST}(?:/{_SEGMENT})*$",
    "a path relative to the project, such as src/app.js, without . and .. parts",
)
CRITERION = Shape(
    KEY_RULE,
    r"^AC[1-9][0-9]*_[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$",
    "a label AC<N>_<short_name>, such as AC1_status",
)
BRANCH = Shape(
    "branch",
    r"^feature/[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$",
    "feature/<slug>, such as feature/issue-7-health",
)
COMMIT_SHA = Shape(
    "commit-sha",
    r"^(?:[0-9a-fA-F]{7,40}|[0-9a-fA-F]{64})$",
    "a commit hash of 7 to 40 (or 64) hexadecimal digits",
)
# Conventional Commits 1.0.0, rules 1 to 6 and 13: type, (scope), !, colon and space, description.
COMMIT_MESSAGE = Shape(
    "commit-message",
    rf"^[A-Za-z][A-Za-z0-9_-]*(?:\([^()\r\n]+\))?!?: [^{_BLANK}][^\r\n]*"
    r"(?:\r?\n(?:\r?\n[\s\S]*)?)?$",
    "<type>: <description>, such as feat: add a health endpoint; an empty line before a body",
)
# RFC 3986, section 2: no address has these; a bracket opens only with the one that closes it.
_PART = rf"[^{_BLANK}<>\x22{{}}|\\^`\[\]"  # of an address, to be closed by a bracket
_HOST = rf"(?:[A-Za-z0-9]{_PART}/?#]*|\[[0-9A-Fa-f:.]+\](?::[0-9]*)?)"  # a name or an IPv6 address
URL = Shape(
    "pr-url",
    rf"^[Hh][Tt][Tt][Pp][Ss]?://{_HOST}(?:[/?#](?:{_PART}]|\[{_PART}]*\])*)?$",
    "an absolute http or https address",
)

Text = Annotated[str, TEXT]
FilePath = Annotated[str, PATH]

# --- models (specification, sections 2.2 to 2.5) ------------------------------------------------


@open_fields
class Step(TypedDict):
    """One step of a plan: what to do to one file."""

    order: float
    file: FilePath
    description: Text


@open_fields
class Plan(TypedDict):
    """plan.json: what the planner decided."""

    affected_files: Annotated[list[FilePath], Count(1)]
    steps: Annotated[list[Step], Count(1)]
    acceptance_mapping: NotRequired[Annotated[dict[Annotated[str, CRITERION], FilePath], Count(1)]]
    produced_by: NotRequired[Text]


@open_fields
class WorkerResult(TypedDict):
    """worker-result.json: what the worker did."""

    status: Text
    files_changed: list[FilePath]
    blockers: list[Any]
    summary: Annotated[str, LINE]
    produced_by: NotRequired[Text]


@open_fields
class GitResult(TypedDict):
    """git-result.json: what the git agent published."""

    branch: Annotated[str, BRANCH]
    commit_sha: Annotated[str, COMMIT_SHA]
    commit_message: Annotated[str, COMMIT_MESSAGE]
    pr_url: NotRequired[Annotated[str, URL]]
    produced_by: NotRequired[Text]


@open_fields
class Classification(TypedDict):
    """One classified task (specification, section 2.5)."""

    task: Text
    file_count: Annotated[int, AtLeast(0)]
    domain_scope: Literal["single", "cross-domain"]
    signals: list[Text]
    tier: Literal["trivial", "standard", "complex"]
    agents: Annotated[list[Text], Count(1)]


RECORDS = 5
Classifications = Annotated[list[Classification], DocumentedCount(RECORDS)]  # counted by a rule

# --- rules that a field table cannot say --------------------------------------------------------

COMPLETED = "completed"

_TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|__tests__)/"  # a test folder; covers src/test/ of JUnit's layout
    r"|(?:^|/)(?:test_[^/]*\.py|[^/]*_test\.py|conftest\.py)$"  # pytest
    r"|\.(?:test|spec)\.[cm]?[jt]sx?$"  # Jest, Vitest, the Node test runner
    r"|_test\.go$"  # Go
    r"|(?:^|/)(?:Test[A-Z][^/]*|[^/]*(?:Tests?|TestCase|IT))\.(?:java|kt)$"  # JUnit
)
_CACHED_PATH = 200  # characters: longer paths are not worth holding in memory
_DOCUMENT_PATH = re.compile(r"\.(?:md|mdx|rst|adoc|txt)$|(?:^|/)docs?/", re.IGNORECASE)


def is_test_path(path: str) -> bool:
    """Tell whether a file is a test by the usual conventions of pytest, Jest/Vitest, Go, JUnit."""
    return _is_test(path) if len(path) <= _CACHED_PATH else bool(_TEST_PATH.search(path))


@lru_cache(maxsize=4096)  # in a cohort the same files come back with every submission
def _is_test(path: str) -> bool:
    return _TEST_PATH.search(path) is not None


def is_document_path(path: str) -> bool:
    """Tell whether a file is a document, by its ending or its folder: no code and no test."""
    return _DOCUMENT_PATH.search(path) is not None


def _files_and_steps_agree(plan: Plan) -> Sequence[Problem]:
    files = [step["file"] for step in plan["steps"]]
    if set(files) == set(plan["affected_files"]):
        joined = "".join(files)
        return () if joined == joined.lower() else _written_twice(plan)
    planned, affected = Known(files), Known(plan["affected_files"])
    lonely = Known([file for file in plan["affected_files"] if file not in planned])
    meant = {file: _meant_by(file, lonely) for file in files if file not in affected}
    problems = [
        Problem(
            "files-steps",
            ("steps", index, "file"),
            "this step's file is not in affected_files",
            named(meant[file]) if meant[file] else affected.instead_of(file),
            named(file),
            action=_affected(file, meant[file], affected),
        )
        for index, file in enumerate(files)
        if file in meant
    ]
    said = set(meant.values())  # one mistake is one problem
    problems += [
        Problem(
            "files-steps",
            ("affected_files", index),
            "no step has this file",
            "a step for it",
            named(file),
            action=f"Add a step for {named(file)}, or remove it from affected_files.",
        )
        for index, file in enumerate(plan["affected_files"])
        if file in lonely and file not in said
    ]
    return problems or _written_twice(plan)


def _meant_by(file: str, lonely: Known) -> str:
    """Return the affected file without a step that a step means, empty where none is near."""
    near = lonely.near(file)
    return near if is_test_path(near) == is_test_path(file) else ""


def _affected(file: str, meant: str, affected: Known) -> str:
    folder, _, rest = file.partition("/")
    if rest and rest == meant:
        return f"Remove {visible(folder)}/ here, or write it in affected_files too."
    if meant:
        return f"Write {named(meant)}, or correct affected_files."
    twin = affected.twin(file)
    return f"Write {named(twin)}." if twin else f"Add {named(file)} to affected_files."


def _written_twice(plan: Plan) -> Sequence[Problem]:
    """Return what differs from another path only in letter case: on many systems one file."""
    places: dict[str, int] = {}
    for index, file in enumerate(plan["affected_files"]):
        places.setdefault(file, index)
    return [
        Problem(
            "files-steps",
            ("affected_files", places[file]),
            "this path differs from another one only in letter case",
            f"one spelling of {named(before)}",
            named(file),
            action=f"Write {named(before)} everywhere.",
        )
        for file, before in twins(places).items()
    ]


def _steps_ascend(plan: Plan) -> Sequence[Problem]:
    orders = [step["order"] for step in plan["steps"]]
    return [
        Problem(
            "step-order",
            ("steps", index, "order"),
            "the order of the steps does not ascend",
            f"a number above {quoted(before)}",
            quoted(order),
            action="Number the steps 1, 2, 3 and so on, as they come in the list.",
        )
        for index, (before, order) in enumerate(pairwise(orders), start=1)
        if not before < order
    ]


def _tests_come_last(plan: Plan) -> Sequence[Problem]:
    problems = []
    first = ""
    for index, step in enumerate(plan["steps"]):
        file = step["file"]
        if is_test_path(file):
            first = first or named(file)
        elif first and not is_document_path(file):  # documents may come at any time
            problem = Problem(
                "tests-last",
                ("steps", index, "file"),
                "this implementation step comes after a test step",
                f"a place before the test step for {first}",
                named(file),
                action="Move the test steps to the end.",
            )
            problems.append(problem)
    return problems


def _criteria_map_to_plan(plan: Plan) -> Sequence[Problem]:
    mapping = plan.get("acceptance_mapping")
    if mapping is None:
        return ()
    files = dict.fromkeys([*plan["affected_files"], *[step["file"] for step in plan["steps"]]])
    if files.keys() >= set(mapping.values()):
        return ()
    known = Known(files)
    return [
        Problem(
            "mapping",
            ("acceptance_mapping", label),
            "this criterion is mapped to a file that is not in the plan",
            known.instead_of(file),
            named(file),
            action=_planned(known.near(file), file),
        )
        for label, file in mapping.items()
        if file not in known
    ]


def _planned(meant: str, file: str) -> str:
    if meant:
        return f"Write {named(meant)}."
    return f"Plan {named(file)} too, or write the planned file that shows the criterion."


def _completed_has_no_blockers(result: WorkerResult) -> Sequence[Problem]:
    if result["status"] != COMPLETED or not result["blockers"]:
        return ()
    return [
        Problem(
            "blockers",
            ("blockers",),
            "a completed result still lists blockers",
            f"[] or a status other than {COMPLETED}",
            quoted(result["blockers"]),
            action='Write [] if nothing blocks the work, else a status such as "blocked".',
        )
    ]


def _has_five_records(records: object) -> Sequence[Problem]:
    # A rule, since pydantic does not count where a record is wrong, nor look where there are six.
    if not isinstance(records, list) or len(records) == RECORDS:
        return ()
    message = f"too {'few' if len(records) < RECORDS else 'many'} elements"
    action = "Write one record for each of the five scenarios."
    return [Problem("count", (), message, f"exactly {RECORDS}", quoted(records), action=action)]


class Rule(NamedTuple):
    """A consistency rule and the fields that it reads (`*` stands for every index).

    It is asked only where those are well-typed; a rule that reads none is always asked.
    """

    check: Callable[[Any], Sequence[Problem]]
    reads: tuple[Path, ...]


_STEP_FILES: tuple[Path, ...] = (("affected_files", "*"), ("steps", "*", "file"))


class Kind(NamedTuple):
    """One kind of artifact: its file name's ending, its model, its rules, its exercise fields."""

    name: str
    ending: str
    model: Any
    rules: tuple[Rule, ...]
    exercise_fields: tuple[str, ...]  # required by the `exercise` profile on top of the model


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "plan",
            "plan.json",
            Plan,
            (
                Rule(_files_and_steps_agree, _STEP_FILES),
                Rule(_steps_ascend, (("steps", "*", "order"),)),
                Rule(_tests_come_last, (("steps", "*", "file"),)),
                Rule(_criteria_map_to_plan, (*_STEP_FILES, ("acceptance_mapping", "*"))),
            ),
            ("acceptance_mapping", "produced_by"),
        ),
        Kind(
            "worker-result",
            "worker-result.json",
            WorkerResult,
            (Rule(_completed_has_no_blockers, (("status",), ("blockers",))),),
            ("produced_by",),
        ),
        Kind("git-result", "git-result.json", GitResult, (), ("produced_by",)),
        Kind(
            "classifications",
            "classifications.json",
            Classifications,
            (Rule(_has_five_records, ()),),
            (),
        ),
    )
}

SHAPES: dict[str, Shape] = {
    shape.pattern: shape
    for shape in (TEXT, LINE, PATH, CRITERION, BRANCH, COMMIT_SHA, COMMIT_MESSAGE, URL)
}


def kind_of(file: str) -> Kind | None:
    """Return the kind of artifact that a file's name says, None where it says none."""
    name = os.path.basename(file)
    if name.endswith(KINDS["classifications"].ending):
        return KINDS["classifications"]
    return next((kind for kind in KINDS.values() if kind.ending == name), None)
