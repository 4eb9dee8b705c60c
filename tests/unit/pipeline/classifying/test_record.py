"""A task's record, from its words and from what else is known of it; the reasons are given."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from pipeline.classifying.record import classify
from pipeline.classifying.signals import Evidence
from pipeline.issues import read_issue
from pipeline.schema import Classification, Plan
from pipeline.tiers import ROUTING

ROOT = Path(__file__).resolve().parents[4]
SANDBOX = str(ROOT / "sandbox")
ISSUES = str(ROOT / "sandbox" / "issues")
RECORD = TypeAdapter(Classification)

TYPO, ENDPOINT = ("trivial", "single", 1, 1), ("standard", "single", 3, 3)
CHAT, RENAME = ("complex", "cross-domain", 6, 99), ("trivial", "single", 2, 99)
ACCESS = ("complex", "cross-domain", 4, 99)
PLAN: Plan = {
    "affected_files": ["src/health/routes.js", "src/app.js", "test/health/routes.test.js"],
    "steps": [],
}


@pytest.mark.spec("2.5.14", "2.5.15", "2.5.16", "2.5.17", "2.5.18")
@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("Fix a typo in the README: one word of the introduction is misspelt.", TYPO),
        ("Correct a spelling mistake in the README", TYPO),
        ("README has a typo in its first paragraph", TYPO),
        (
            "Add a GET endpoint that returns a user's profile, with input validation and tests.",
            ENDPOINT,
        ),
        ("New GET route for a user's profile; validate the id, add tests", ENDPOINT),
        ("Implement a profile endpoint (GET) with request validation and unit tests", ENDPOINT),
        ("Build a real-time chat over WebSocket with message persistence and rate limiting.", CHAT),
        ("Real-time chat: WebSocket server, stored messages, rate limits", CHAT),
        ("Rename the class UserManager to AccountManager across the whole codebase.", RENAME),
        ("Class rename UserManager -> AccountManager everywhere", RENAME),
        ("rename `UserManager` to `AccountManager` in all files", RENAME),
        (
            "Introduce role-based access control: three roles and middleware that enforces them.",
            ACCESS,
        ),
        ("RBAC with admin, editor and viewer roles, enforced by middleware", ACCESS),
    ],
)
def test_the_scenarios_and_their_paraphrases_come_out_as_specified(
    task: str, expected: tuple[str, str, int, int]
) -> None:
    tier, scope, least, most = expected
    record = classify(task).record

    assert (record["tier"], record["domain_scope"]) == (tier, scope)
    assert least <= record["file_count"] <= most
    assert record["agents"] == list(ROUTING[tier])
    assert RECORD.validate_python(record, strict=True) == record
    assert record["task"] == task


@pytest.mark.parametrize(
    ("issue", "tier"),
    [
        ("ISSUE-101", "standard"),
        ("ISSUE-102", "standard"),
        ("ISSUE-201", "standard"),
        ("ISSUE-202", "standard"),
        ("ISSUE-301", "trivial"),
        ("ISSUE-302", "standard"),
        ("ISSUE-303", "complex"),
        ("ISSUE-304", "complex"),  # two domains, both new, of which neither imports the other
        ("ISSUE-305", "complex"),  # a new domain, and the notes' store changes with it
        ("ISSUE-306", "trivial"),
    ],
)
def test_the_sandbox_issues_have_their_tiers(issue: str, tier: str) -> None:
    known = read_issue(ISSUES, issue)
    text = Path(ISSUES, f"{issue}.md").read_text(encoding="utf-8")
    assert known is not None
    judgement = classify(known.title, issue_text=text, criteria=list(known.criteria.values()))

    assert judgement.record["tier"] == tier
    assert classify(text).record["tier"] == tier  # its text alone says as much


def test_a_record_has_the_fields_of_the_specification_and_its_reasons_quote_the_words() -> None:
    judgement = classify("Fix a typo in the authentication docs")

    assert judgement.record == {
        "task": "Fix a typo in the authentication docs",
        "file_count": 1,
        "domain_scope": "single",
        "signals": ["single file", "documentation only", "no tests"],
        "tier": "trivial",
        "agents": ["x-worker-fast", "x-reviewer-fast"],
    }
    assert judgement.evidence == (
        Evidence("file count", "one place", "task"),
        Evidence("documentation only", "docs", "task"),
    )
    assert judgement.rule.sentence.startswith("One file, documentation or an obvious edit")


@pytest.mark.parametrize(
    "task",
    [
        "Add a field to the profile form. Out of scope: authentication, roles, permissions.",
        "Add CSV export to the report page. Does not touch authentication, sessions or roles.",
        "Add CSV export to the report page; authentication and roles are out of scope",
        "Add CSV export to the report page\n\n## Out of scope\n\nAuthentication, roles, OAuth",
    ],
)
def test_what_is_out_of_scope_is_no_signal(task: str) -> None:
    record = classify(task).record

    assert record["tier"] == "standard"
    assert not {"security", "access control"} & set(record["signals"])


def test_tests_that_are_not_wanted_are_a_signal() -> None:
    assert classify("Build a report page, no tests needed").record["signals"] == [
        "single file",
        "no tests",
    ]


def test_a_rename_beside_new_work_is_not_mechanical() -> None:
    task = "Rename `login` to `signIn` across the codebase and build a new OAuth service"

    assert classify(task).record["tier"] == "complex"


def test_a_plan_is_counted_instead_of_guessing() -> None:
    judgement = classify("Add a health endpoint", plan=PLAN)

    assert judgement.record["file_count"] == 3
    assert judgement.record["domain_scope"] == "single"
    assert Evidence("tests wanted", "test/health/routes.test.js", "plan") in judgement.evidence


def test_a_plan_of_documents_is_documentation() -> None:
    plan: Plan = {"affected_files": ["docs/api.md"], "steps": []}
    record = classify("Tell people about pages and limits", plan=plan).record

    assert (record["tier"], record["signals"]) == (
        "trivial",
        ["single file", "documentation only", "no tests"],
    )


def test_a_plan_with_code_is_not_documentation_whatever_the_task_says() -> None:
    plan: Plan = {"affected_files": ["README.md", "src/app.js"], "steps": []}

    assert classify("Update the README", plan=plan).record["tier"] == "standard"


def test_a_part_that_the_project_does_not_have_is_a_new_abstraction() -> None:
    judgement = classify("Add a health endpoint", plan=PLAN, root=SANDBOX)

    assert judgement.signals.new_abstractions
    assert not classify("Add a health endpoint", plan=PLAN).signals.new_abstractions


def test_files_that_hold_a_renamed_symbol_are_counted_in_the_project(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "sub/c.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("UserManager()\n")
    (tmp_path / "d.py").write_text("UserManagerFactory()\n")
    judgement = classify("Rename UserManager to AccountManager", root=str(tmp_path))

    assert judgement.record["file_count"] == 3
    assert judgement.evidence[0] == Evidence(
        "file count", "UserManager stands in 3 files", "repository"
    )


def test_named_files_that_exist_are_counted(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "c.py", "d.py"):
        (tmp_path / name).write_text("")
    task = "Round the totals in a.py, b.py, c.py and d.py"

    assert Evidence("file count", "d.py exists", "repository") in (
        classify(task, root=str(tmp_path)).evidence
    )


def test_the_same_task_always_gets_the_same_judgement() -> None:
    task = "Offline mode for the field app: queue edits locally, sync, resolve conflicts"

    assert len({repr(classify(task)) for _ in range(3)}) == 1


@pytest.mark.parametrize(
    "task",
    [
        "a" * 1_000_000,
        "`" * 1_000_000,
        "rename " * 150_000,
        "no without out of scope " * 40_000,
        "replace " * 10_000 + "with",
        "a/" * 500_000,
        ".-_" * 300_000,
        "\ufdfa" * 300_000,
        "# " * 400_000,
        "\n\n" * 400_000 + "x",
        "add \u202e\u0000\ud800 \U0001f600 o\u0308\u0323" * 50_000,
        "(" * 1_000_000,
        "" + "x\n" * 400_000,
    ],
    ids=range(13),
)
def test_hostile_text_takes_no_longer_than_any_other(task: str) -> None:
    start = time.perf_counter()
    record = classify(task, issue_text=task, criteria=[task]).record

    assert record["tier"] in ROUTING
    assert time.perf_counter() - start < 20  # s, on any machine; quadratic would be minutes


@pytest.mark.parametrize("task", ["x", "?", "…", "部署一个新的服务", "éé", "-", "``", "no"])
def test_a_task_without_a_known_word_is_standard(task: str) -> None:
    assert classify(task).record["tier"] == "standard"


@pytest.mark.parametrize(
    ("task", "given"),
    [
        ("Replace our nightly batch by continuous processing, results within a minute", "standard"),
        ("The enemy 'Wisp' has 10 HP, design says 12", "standard"),
        ("SSO users see the 'change password' link. Hide it for them.", "trivial"),
    ],
)
def test_the_misses_of_the_page_are_real(task: str, given: str) -> None:
    page = (ROOT / "docs" / "explanation" / "classification.md").read_text(encoding="utf-8")

    assert task in page
    assert classify(task).record["tier"] == given
