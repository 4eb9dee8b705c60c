"""What exercises share: artifacts, small examples, kinds of checks, and groups of checks.

A check that is worth no points is advice: it goes beyond the specification.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from pipeline.protocol.layout import GIT_RESULT, PLAN, WORKER_RESULT
from verify.course.checks import evidence, planning, results, validity
from verify.course.tables import TEXTS
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

# Small correct examples, shown with a failure when hints are asked for.
FILES_AND_STEPS = """\
"affected_files": ["src/health/routes.js", "test/health/routes.test.js"],
"steps": [
  {"order": 1, "file": "src/health/routes.js", "description": "Add a route"},
  {"order": 2, "file": "test/health/routes.test.js", "description": "Test it"}
]"""

TWO_DOMAINS = """\
"steps": [
  {"order": 1, "file": "src/health/routes.js", "description": "Add a route"},
  {"order": 2, "file": "src/metrics/store.js", "description": "Count its calls"},
  {"order": 3, "file": "test/health/routes.test.js", "description": "Cover the route"},
  {"order": 4, "file": "test/metrics/store.test.js", "description": "Cover the count"}
]"""

MAPPING = """\
"acceptance_mapping": {
  "AC1_status": "test/health/routes.test.js",
  "AC2_shape": "test/health/routes.test.js"
}"""

_FIELDS = f'{FILES_AND_STEPS},\n{MAPPING},\n"produced_by": "x-subplanner"'.replace("\n", "\n  ")
_PLAN = f"{{\n  {_FIELDS}\n}}"

PLAN_OF_PLANNER = _PLAN.replace("x-subplanner", "x-planner")  # for a plan that is written by hand
EXAMPLES = {
    "plan.json": _PLAN,
    "worker-result.json": """\
{
  "status": "completed",
  "files_changed": ["src/health/routes.js", "test/health/routes.test.js"],
  "blockers": [],
  "summary": "Adds the health endpoint, with its tests",
  "produced_by": "x-worker"
}""",
    "git-result.json": """\
{
  "branch": "feature/issue-7-health",
  "commit_sha": "3f1c9ab",
  "commit_message": "feat: add a health endpoint",
  "pr_url": "https://git.example.org/team/project/pull/7",
  "produced_by": "x-git"
}""",
}

CLASSIFICATION = """\
{
  "task": "Fix a typo in the README",
  "file_count": 1,
  "domain_scope": "single",
  "signals": ["single file", "documentation only", "no tests"],
  "tier": "trivial",
  "agents": ["x-worker-fast", "x-reviewer-fast"]
}"""

STRICT_JSON = '{"issue_id": "ISSUE-7", "blockers": []}'


def check(
    code: str, run: CheckFunction, requires: str | tuple[str, ...] = (), **fields: Any
) -> Check:
    """Return a check with its texts, and these other fields of `Check`."""
    fields |= TEXTS[code]
    return Check(code=code, run=run, requires=_codes_in(requires), **fields)


def kind(name: str, run: Callable[..., CheckFunction], **fields: Any) -> Callable[..., Check]:
    """Return a function that makes the checks of one kind, with its texts and fields of `Check`.

    That function takes a code, an artifact, the codes of the checks to wait for, the other
    arguments of `run`, and the fields that differ. In an exercise about several issues, the title
    names the issue.
    """
    fields |= TEXTS[name]

    def make(
        code: str,
        source: ArtifactRef,
        requires: str | tuple[str, ...] = (),
        *given: Any,
        **different: Any,
    ) -> Check:
        texts = [str(argument) for argument in given]
        sound = source.schema.example if source.schema else EXAMPLES.get(source.name, "")
        words = {"$name": source.name, "$sound": sound}
        words |= {"$first": "".join(texts[:1]), "$all": " or ".join(texts)}
        filled = dict(fields)
        for field, (word, text) in product(fields, words.items()):
            if isinstance(filled[field], str):
                filled[field] = filled[field].replace(word, text)
        if source.issue:
            filled["title"] = f"{source.issue}: {filled['title']}"
        made = {"run": run(source, *given), **filled, **different}
        return Check(code=code, requires=_codes_in(requires), **made)

    states = TEXTS[name]["title"].replace("$name", "the artifact")
    states = states.replace("$all", "one of these agents")
    make.__doc__ = f"Return a check that passes if {states}."
    return make


_in_its_folder = kind("in_its_folder", validity.is_there)
strict_json = kind("strict_json", validity.is_json, example=STRICT_JSON)
_its_fields = kind("its_fields", validity.follows_schema)


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
    different = {"example": example} if example else {}
    return (
        _in_its_folder(there, source),
        strict_json(json, source, there),
        _its_fields(fields, source, json, apart_from, **different),
    )


files_and_steps = kind(
    "files_and_steps",
    lambda source: validity.keeps_rules(source, "files-steps"),
    example=FILES_AND_STEPS,
    points=2,
)
_ordered_steps = kind(
    "ordered_steps",
    lambda source: validity.keeps_rules(source, "step-order", "tests-last"),
    example=FILES_AND_STEPS,
)
_planned_mapping = kind(
    "planned_mapping",
    lambda source: validity.keeps_rules(source, "mapping", "criterion-label"),
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
    "criteria", planning.maps_every_criterion, example=MAPPING, points=2, needs_criteria=True
)
tested = kind("tested", planning.plans_a_test, example=FILES_AND_STEPS, points=0)
paths_in_target = kind("paths_in_target", planning.begin_at_target)
marked = kind("marked", validity.produced_by)
completed = kind("completed", results.is_completed)
agreement = kind("agreement", results.agrees_with_plan, points=2)
named_branch = kind("named_branch", results.names_the_issue, points=0)
_valid_plan = kind("valid_plan", validity.is_sound, earlier_work=True)
_changed_files = kind("changed_files", results.has_its_files, points=2)


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


_there_as_json = kind("there_as_json", validity.is_there_as_json)
_valid = kind("valid", validity.follows_schema)
_blockers = kind("blockers", results.has_array_of_blockers)


_known_commit = kind("known_commit", evidence.names_a_commit, compares_git=True)
_on_its_branch = kind("on_its_branch", evidence.lies_on_its_branch, compares_git=True)
_own_message = kind("own_message", evidence.says_its_message, compares_git=True)
_reported_files = kind(
    "reported_files", evidence.names_the_changed_files, points=2, compares_git=True
)
_agreed_files = kind("agreed_files", evidence.names_the_changed_files, compares_git=True)


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
    fields = {"points": 0, "needs_history": True} if advisory else {}
    return (*checks, *_with_git([*more][:5], worker, git, files, **fields))


def _with_git(
    codes: Sequence[str], worker: str, git: str, files: str, **fields: Any
) -> tuple[Check, ...]:
    """Return the checks of a run against git; they wait for the codes of those on the artifacts."""
    commit, branch, message, reported, agreed = codes
    told = (GIT_JSON, WORKER_JSON)
    return (
        _known_commit(commit, GIT_JSON, git, **fields),
        _on_its_branch(branch, GIT_JSON, commit, **fields),
        _own_message(message, GIT_JSON, commit, **fields),
        _reported_files(
            reported, WORKER_JSON, (worker, branch), "files_changed", GIT_JSON, **fields
        ),
        _agreed_files(agreed, PLAN_JSON, (files, branch), "affected_files", *told, **fields),
    )


def _codes_in(requires: str | tuple[str, ...]) -> tuple[str, ...]:
    return (requires,) if isinstance(requires, str) else requires


def _codes(code: str, first: int, count: int) -> list[str]:
    return [f"{code}.{number}" for number in range(first, first + count)]
