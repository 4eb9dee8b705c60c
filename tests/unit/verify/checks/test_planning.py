"""A plan maps the issue's criteria, has a test, and spans the domains that it has to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.attempt import Source
from verify.checks import planning
from verify.verdicts import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.attempt import Attempt

    AttemptOn = Callable[..., Attempt]

FILE = ".pipeline/ISSUE-7/plan.json"
PLAN = Source("plan.json")


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
    "labels",
    [
        ["AC1_status", "AC2_shape"],
        ["AC2_shape", "AC1_status", "AC3_more"],
        ["AC1_other_name", "AC2_reworded"],
    ],
    ids=["as the issue has them", "in another order, and one more", "by their numbers"],
)
def test_all_criteria_are_mapped(
    attempt_on: AttemptOn, plan: dict[str, Any], labels: list[str]
) -> None:
    plan["acceptance_mapping"] = dict.fromkeys(labels, "test/health/routes.test.js")
    attempt = attempt_on({FILE: plan}, criteria=["AC1_status", "AC2_shape"])

    assert planning.maps_every_criterion(PLAN)(attempt) is PASSED


@pytest.mark.spec("2.2.15")
def test_each_criterion_that_is_not_mapped_is_named(
    attempt_on: AttemptOn, plan: dict[str, Any]
) -> None:
    attempt = attempt_on({FILE: plan}, criteria=["AC1_status", "AC2_shape", "AC11_limit"])
    message = "an acceptance criterion of the issue is not mapped"
    place = (FILE, "$.acceptance_mapping", 18, 25)

    assert planning.maps_every_criterion(PLAN)(attempt) == failed(
        Finding(message, "AC2_shape", 'labels "AC1_status"', *place),
        Finding(message, "AC11_limit", 'labels "AC1_status"', *place),
    )


def test_a_plan_without_a_mapping_maps_no_criterion(
    attempt_on: AttemptOn, plan: dict[str, Any]
) -> None:
    del plan["acceptance_mapping"]
    attempt = attempt_on({FILE: plan}, criteria=["AC1_status"])

    assert planning.maps_every_criterion(PLAN)(attempt) == failed(
        Finding(
            "an acceptance criterion of the issue is not mapped",
            "AC1_status",
            "labels ",
            FILE,
            "$.acceptance_mapping",
            1,
            1,
        )
    )


def test_criteria_of_an_issue_without_text_are_our_mistake(
    attempt_on: AttemptOn, plan: dict[str, Any]
) -> None:
    with pytest.raises(LookupError, match=r"^no issue text for ISSUE-7$"):
        planning.maps_every_criterion(PLAN)(attempt_on({FILE: plan}))


def test_a_plan_with_a_test_step_plans_a_test(attempt_on: AttemptOn, plan: dict[str, Any]) -> None:
    assert planning.plans_a_test(PLAN)(attempt_on({FILE: plan})) is PASSED


def test_a_plan_without_a_test_step_is_shown_its_steps(attempt_on: AttemptOn) -> None:
    verdict = planning.plans_a_test(PLAN)(attempt_on({FILE: plan_of("src/a.js")}))

    assert verdict == failed(
        Finding("no step is a test", "at least one test file", "", FILE, "$.steps", 5, 12)
    )


@pytest.mark.parametrize("document", ["test/README.md", "test/health/cases.txt", "docs/test/a.js"])
def test_a_document_among_the_tests_is_no_test(attempt_on: AttemptOn, document: str) -> None:
    verdict = planning.plans_a_test(PLAN)(attempt_on({FILE: plan_of("src/a.js", document)}))

    assert [finding.message for finding in verdict.findings] == ["no step is a test"]


DOMAINS = {"limits": ("src/limits/", "test/limits/"), "audit": ("src/audit/", "test/audit/")}
BOTH = ("src/limits/x.js", "src/audit/x.js", "test/limits/x.test.js", "test/audit/x.test.js")
NAMED = "2 of limits (src/limits/, test/limits/), audit (src/audit/, test/audit/)"
NEITHER = "lacks an implementation step and a test step"


@pytest.mark.parametrize(
    "files",
    [
        BOTH,
        ("src/audit/a/b.ts", "src/audit/a/b.test.ts", "src/limits/x.js", "src/limits/x.test.js"),
        tuple(f"sandbox/{file}" for file in BOTH),
        (*BOTH, "README.md", "src/app.js", "src/more/x.js"),
    ],
    ids=["in their folders", "beside the code", "for a target project above", "and other files"],
)
def test_the_issues_domains_are_built_and_tested(
    attempt_on: AttemptOn, files: tuple[str, ...]
) -> None:
    attempt = attempt_on({FILE: plan_of(*files)}, domains=DOMAINS)

    assert planning.spans_domains(PLAN, at_least=2)(attempt) is PASSED


def test_two_of_an_issues_three_domains_are_enough_and_the_only_one_of_another(
    attempt_on: AttemptOn,
) -> None:
    three = attempt_on({FILE: plan_of(*BOTH)}, domains={**DOMAINS, "more": ("src/more/",)})
    one = attempt_on({FILE: plan_of(*BOTH)}, domains={"audit": DOMAINS["audit"]})

    assert planning.spans_domains(PLAN, at_least=2)(three) is PASSED
    assert planning.spans_domains(PLAN, at_least=2)(one) is PASSED


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (BOTH[:3], "audit lacks a test step; limits lacks nothing"),
        (BOTH[1:], "limits lacks an implementation step; audit lacks nothing"),
        (
            tuple(f"{file}.md" for file in BOTH),
            f"limits {NEITHER}; audit {NEITHER}",
        ),
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
def test_what_the_issues_domains_lack_is_told(
    attempt_on: AttemptOn, files: tuple[str, ...], found: str
) -> None:
    attempt = attempt_on({FILE: plan_of(*files)}, domains=DOMAINS)
    (finding,) = planning.spans_domains(PLAN, at_least=2)(attempt).findings

    assert finding.message == "the steps do not span enough domains"
    assert finding.expected == f"implementation and test steps in {NAMED}"
    assert finding.found == found
    assert (finding.path, finding.line) == ("$.steps", 4 + len(files))


@pytest.mark.parametrize("domains", [None, {}], ids=["no text of the issue", "none in its text"])
def test_where_the_issue_names_no_domains_two_folders_are_enough(
    attempt_on: AttemptOn, domains: dict[str, tuple[str, ...]] | None
) -> None:
    attempt = attempt_on({FILE: plan_of(*BOTH)}, domains=domains)

    assert planning.spans_domains(PLAN, at_least=2)(attempt) is PASSED


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (
            ("src/a/x.js", "src/b/x.js", "test/a/x.test.js"),
            "b lacks a test step; a lacks nothing",
        ),
        (
            ("src/a/x.js", "test/a/x.test.js", "test/b/x.test.js"),
            "b lacks an implementation step; a lacks nothing",
        ),
        (("src/app.js", "README.md"), "no domain"),
        (tuple(f"{file}.md" for file in BOTH), "no domain"),
        (("src/\u202e/x.js",), r"\u{202e} lacks a test step"),
        (
            tuple(f"src/{name}/x.js" for name in "abcdefgh"),
            "; ".join([*(f"{name} lacks a test step" for name in "abcdef"), "2 domains more"]),
        ),
    ],
    ids=["not tested", "not built", "no domain", "documents only", "hostile", "many"],
)
def test_too_few_domains_are_listed(
    attempt_on: AttemptOn, files: tuple[str, ...], found: str
) -> None:
    attempt = attempt_on({FILE: plan_of(*files)})
    verdict = planning.spans_domains(PLAN, at_least=2)(attempt)

    assert verdict == failed(
        Finding(
            "the steps do not span enough domains",
            "implementation and test steps in 2 domains or more",
            found,
            FILE,
            "$.steps",
            4 + len(files),
            12,
        )
    )


@pytest.mark.parametrize(
    ("path", "domain"),
    [
        ("src/auth/token.js", "auth"),
        ("test/auth/token.test.js", "auth"),
        ("src/auth/deep/token.js", "auth"),
        ("packages/api/src/auth/token.js", "auth"),
        ("src/app.js", ""),
        ("auth/token.js", ""),
        ("src", ""),
        ("", ""),
    ],
)
def test_a_domain_is_the_folder_below_a_source_or_test_root(path: str, domain: str) -> None:
    assert planning.domain_of(path) == domain
