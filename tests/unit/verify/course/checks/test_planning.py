"""A plan maps the issue's criteria, has a test, spans its domains, and begins at its root."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.course.checks import planning
from verify.grading.artifacts import ArtifactRef
from verify.grading.model import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.grading.artifacts import Context

    AttemptOn = Callable[..., Context]


FILE = ".pipeline/ISSUE-7/plan.json"
PLAN = ArtifactRef("plan.json")


def plan_of(*files: str) -> dict[str, Any]:
    return {
        "affected_files": list(files),
        "steps": [
            {"order": order, "file": file, "description": "Write it"}
            for order, file in enumerate(files)
        ],
    }


@pytest.mark.spec("2.2.15")
@pytest.mark.parametrize(
    "labels", [["AC2_shape", "AC1_status", "AC3_more"], ["AC1_other_name", "AC2_reworded"]]
)
def test_criteria_are_mapped_by_their_numbers_in_any_order(
    context_on: AttemptOn, plan: dict[str, Any], labels: list[str]
) -> None:
    plan["acceptance_mapping"] = dict.fromkeys(labels, "test/health/routes.test.js")
    context = context_on({FILE: plan}, criteria=["AC1_status", "AC2_shape"])

    assert planning.maps_every_criterion(PLAN)(context) is PASSED


def test_criteria_of_an_issue_without_text_are_our_mistake(
    context_on: AttemptOn, plan: dict[str, Any]
) -> None:
    with pytest.raises(LookupError, match=r"^no issue text for ISSUE-7$"):
        planning.maps_every_criterion(PLAN)(context_on({FILE: plan}))


@pytest.mark.parametrize(
    "document", ["src/b.js", "test/README.md", "test/health/cases.txt", "docs/test/a.js"]
)
def test_a_plan_without_a_test_step_is_shown_its_steps(
    context_on: AttemptOn, plan: dict[str, Any], document: str
) -> None:
    check, action = planning.plans_a_test(PLAN), "Plan a test of the criteria: add its file, and"
    found = f'"src/a.js", "{document}"'

    assert check(context_on({FILE: plan})) is PASSED
    assert check(context_on({FILE: plan_of("src/a.js", document)})) == failed(
        Finding(
            *("no step is a test", "at least one test file", found, FILE, "$.steps", 6, 12),
            f"{action} a step for it at the end.",
        )
    )


DOMAINS = {"limits": ("src/limits/", "test/limits/"), "audit": ("src/audit/", "test/audit/")}
BOTH = ("src/limits/x.js", "src/audit/x.js", "test/limits/x.test.js", "test/audit/x.test.js")
NAMED = "2 of these domains: limits (src/limits/, test/limits/), audit (src/audit/, test/audit/)"
NEITHER = "lacks an implementation step and a test step"


@pytest.mark.parametrize(
    "files",
    [
        ("src/audit/a/b.ts", "src/audit/a/b.test.ts", "src/limits/x.js", "src/limits/x.test.js"),
        tuple(f"sandbox/{file}" for file in BOTH),
        (*BOTH, "README.md", "src/app.js", "src/more/x.js"),
    ],
    ids=["beside the code", "for a target project above", "and other files"],
)
def test_the_issues_domains_are_built_and_tested(
    context_on: AttemptOn, files: tuple[str, ...]
) -> None:
    context = context_on({FILE: plan_of(*files)}, domains=DOMAINS)

    assert planning.spans_domains(PLAN, at_least=2)(context) is PASSED


def test_two_of_an_issues_three_domains_are_enough_and_the_only_one_of_another(
    context_on: AttemptOn,
) -> None:
    three = context_on({FILE: plan_of(*BOTH)}, domains={**DOMAINS, "more": ("src/more/",)})
    one = context_on({FILE: plan_of(*BOTH)}, domains={"audit": DOMAINS["audit"]})

    assert planning.spans_domains(PLAN, at_least=2)(three) is PASSED
    assert planning.spans_domains(PLAN, at_least=2)(one) is PASSED


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (BOTH[:3], "audit lacks a test step; limits is complete"),
        (BOTH[1:], "limits lacks an implementation step; audit is complete"),
        (tuple(f"{file}.md" for file in BOTH), f"limits {NEITHER}; audit {NEITHER}"),
        (
            tuple(file.replace("its/", "its-2/").replace("audit/", "audits/") for file in BOTH),
            f"limits {NEITHER}; audit {NEITHER}",
        ),
        (
            ("src/limits.js", "src/xsrc/audit/a.js", "src/audit-log/x.js", "test/audit.test.js"),
            f"limits {NEITHER}; audit {NEITHER}",
        ),
    ],
    ids=["not tested", "not built", "documents only", "invented domains", "beside the folders"],
)
def test_what_the_issues_domains_lack_is_reported(
    context_on: AttemptOn, files: tuple[str, ...], found: str
) -> None:
    context = context_on({FILE: plan_of(*files)}, domains=DOMAINS)
    (finding,) = planning.spans_domains(PLAN, at_least=2)(context).findings

    assert finding.message == "the steps do not span enough domains"
    assert finding.expected == f"implementation and test steps in {NAMED}"
    assert finding.found == found
    assert (finding.path, finding.line) == ("$.steps", 4 + len(files))


def test_where_the_issue_names_no_domains_two_folders_are_enough(context_on: AttemptOn) -> None:
    check, files = planning.spans_domains(PLAN, at_least=2), {FILE: plan_of(*BOTH)}

    assert check(context_on(files)) is PASSED
    assert check(context_on(files, domains={})) is PASSED


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (("src/a/x.js", "src/b/x.js", "test/a/x.test.js"), "b lacks a test step; a is complete"),
        (
            ("src/a/x.js", "test/a/x.test.js", "test/b/x.test.js"),
            "b lacks an implementation step; a is complete",
        ),
        (("src/app.js", "README.md"), "no domain"),
        (tuple(f"{file}.md" for file in BOTH), "no domain"),
        (("src/\u202e/x.js",), r"\u{202e} lacks a test step"),
        (
            tuple(f"src/{name}/x.js" for name in "abcdefgh"),
            "; ".join([*(f"{name} lacks a test step" for name in "abcdef"), "2 more domains"]),
        ),
    ],
    ids=["not tested", "not built", "no domain", "documents only", "hostile", "many"],
)
def test_too_few_domains_are_listed(
    context_on: AttemptOn, files: tuple[str, ...], found: str
) -> None:
    context = context_on({FILE: plan_of(*files)})
    (finding,) = planning.spans_domains(PLAN, at_least=2)(context).findings

    assert finding == Finding(
        "the steps do not span enough domains",
        "implementation and test steps in 2 domains or more",
        *(found, FILE, "$.steps", 4 + len(files), 12, finding.action),
    )


CHECK = planning.begin_at_target(PLAN)
MESSAGE = "this path is not relative to the target project"
ADD = "Begin each path with sandbox/: the target project is the whole repository."


def test_a_path_in_the_root_that_leads_to_a_file_of_the_sandbox_is_named(
    context_on: AttemptOn,
) -> None:
    plan = plan_of("src/app.js", "src/new.js")
    context = context_on({FILE: plan, "sandbox/src/app.js": "// there"})

    assert CHECK(context) == failed(
        Finding(
            MESSAGE,
            *('"sandbox/src/app.js"', '"src/app.js"', FILE, "$.affected_files[0]", 3, 5, ADD),
        )
    )


@pytest.mark.parametrize(
    "there",
    [[], ["src/app.js"], ["src/app.js", "sandbox/src/app.js"], ["sandbox/src/other.js"]],
    ids=["no sources", "in the root", "in both", "another one in the sandbox"],
)
def test_a_path_in_the_root_is_right_where_nothing_shows_the_mistake(
    context_on: AttemptOn, there: list[str]
) -> None:
    files = dict.fromkeys(there, "// there")
    plan = plan_of("src/app.js")

    assert CHECK(context_on({FILE: plan, **files})) is PASSED
