"""A task's record, from its words and from what else is known of it; the reasons are given."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from pipeline.bootstrap import ROOT
from pipeline.classify import signals as s
from pipeline.classify.rules import RULES, Signals, classify, decide
from pipeline.classify.signals import Evidence, TaskText, evidence_of, scope_of_plan, with_plan
from pipeline.protocol.issue import read_issue
from pipeline.schema import Classification, Plan
from pipeline.tiers import ROUTING

ISSUES = f"{ROOT}/sandbox/issues"
RECORD = TypeAdapter(Classification)

TYPO, ENDPOINT = ("trivial", "single", 1, 1), ("standard", "single", 3, 3)
CHAT, RENAME = ("complex", "cross-domain", 6, 99), ("trivial", "single", 2, 99)
ACCESS = ("complex", "cross-domain", 4, 99)


@pytest.mark.spec("2.5.14", "2.5.15", "2.5.16", "2.5.17", "2.5.18")
@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("Fix a typo in the README: one word of the introduction is misspelt.", TYPO),
        (
            "Add a GET endpoint that returns a user's profile, with input validation and tests.",
            ENDPOINT,
        ),
        ("Build a real-time chat over WebSocket with message persistence and rate limiting.", CHAT),
        ("Rename the class UserManager to AccountManager across the whole codebase.", RENAME),
        ("Class rename UserManager -> AccountManager everywhere", RENAME),
        (
            "Introduce role-based access control: three roles and middleware that enforces them.",
            ACCESS,
        ),
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
        ("ISSUE-202", "standard"),
        ("ISSUE-301", "trivial"),
        ("ISSUE-303", "complex"),
        ("ISSUE-305", "complex"),
        ("ISSUE-306", "trivial"),
    ],
)
def test_the_sandbox_issues_have_their_tiers(issue: str, tier: str) -> None:
    known = read_issue(ISSUES, issue)
    text = Path(ISSUES, f"{issue}.md").read_text(encoding="utf-8")
    assert known is not None
    judgement = classify(known.title, issue_text=text)

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
    assert judgement.rule.sentence.startswith("Documentation, or an obvious edit in one file")


@pytest.mark.parametrize(
    "task",
    [
        "Add a field to the profile form. Out of scope: authentication, roles, permissions.",
        "Add CSV export to the report page\n\n## Out of scope\n\nAuthentication, roles, OAuth",
    ],
)
def test_what_is_out_of_scope_is_no_signal(task: str) -> None:
    record = classify(task).record

    assert record["tier"] == "standard"
    assert not {"security", "access control"} & set(record["signals"])


@pytest.mark.parametrize(
    "task",
    [
        "`" * 1_000_000,
        "no without out of scope " * 40_000,
        "a/" * 500_000,
        "add \u202e\u0000\ud800 \U0001f600 o\u0308\u0323" * 50_000,
        "" + "x\n" * 400_000,
    ],
    ids=range(5),
)
def test_hostile_text_takes_no_longer_than_any_other(task: str) -> None:
    start = time.process_time()
    record = classify(task, issue_text=task).record

    assert record["tier"] in ROUTING
    assert time.process_time() - start < 20  # s of CPU; quadratic would be minutes


@pytest.mark.parametrize(
    ("task", "given"),
    [
        ("Replace our nightly batch by continuous processing, results within a minute", "standard"),
        ("'Cancle' button in the export dialog", "standard"),
        ("Get rid of the unused `password` parameter of connect_legacy()", "standard"),
        ("Make the websocket client send a ping every 20 seconds", "complex"),
    ],
)
def test_the_misses_of_the_page_are_real(task: str, given: str) -> None:
    page = Path(ROOT, "docs/explanation/classification.md").read_text(encoding="utf-8")

    assert task in page
    assert classify(task).record["tier"] == given


@pytest.mark.spec("2.5.10", "2.5.19", "2.5.20")
@pytest.mark.parametrize(
    ("names", "files", "domains", "number"),
    [
        ({s.MECHANICAL, s.NEW, s.ACCESS}, 90, (), 0),
        ({s.ACCESS, s.NEW}, 1, (), 1),
        ({s.ACCESS}, 1, (), 4),
        ({s.NEW, s.CONCURRENCY}, 1, (), 2),
        ({s.NEW, s.SECURITY}, 1, (), 2),
        ({s.NEW}, 1, ("a", "b"), 2),
        ({s.NEW}, 1, ("a",), 4),
        ({s.DOCUMENTATION}, 1, (), 3),
        ({s.OBVIOUS}, 1, (), 3),
        ({s.OBVIOUS}, 2, (), 4),
        ({s.OBVIOUS, s.TESTS}, 1, (), 4),
        ({s.CONCURRENCY, s.SECURITY}, 9, ("a", "b"), 4),
        (set(), 1, (), 4),
    ],
)
def test_the_first_rule_that_holds_decides(
    names: set[str], files: int, domains: tuple[str, ...], number: int
) -> None:
    assert decide(Signals(frozenset(names), files, domains)) is RULES[number]


def test_the_page_shows_the_rules_as_they_are() -> None:
    rows = "\n".join(
        f"| {n} | {rule.sentence} | `{rule.tier}` |" for n, rule in enumerate(RULES, start=1)
    )
    with open(f"{ROOT}/docs/explanation/classification.md", encoding="utf-8") as page:  # a text
        text = page.read()

    assert rows in text


def plan(*files: str) -> Plan:
    return {"affected_files": list(files), "steps": []}


@pytest.mark.parametrize(
    ("files", "domains"),
    [
        (["src/app.js"], ()),
        (["src/notes/routes.js", "test/notes/routes.test.js", "src/app.js"], ("notes",)),
        (["sandbox/src/notes/a.js", "sandbox/src/transfer/b.js"], ("notes", "transfer")),
        (["README.md", "docs/api/x.md"], ()),
        (["billing/a.go", "ui/b.ts"], ("billing", "ui")),
    ],
)
def test_domains_are_the_folders_of_parts(files: list[str], domains: tuple[str, ...]) -> None:
    assert scope_of_plan(plan(*files)).domains == domains


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["src/a.js", "test/a.test.js"], [s.TESTS]),
        (["README.md"], [s.DOCUMENTATION]),
        (["src/a.js"], []),
    ],
)
def test_a_plan_says_whether_there_are_tests_and_more_than_documents(
    files: list[str], expected: list[str]
) -> None:
    guessed = [Evidence(each, "x", "task") for each in (s.NO_TESTS, s.DOCUMENTATION)]

    assert [
        each.signal for each in with_plan(plan(*files), guessed) if each.quote != "x"
    ] == expected


def signals(text: str, issue: str = "") -> set[str]:
    others = [TaskText(issue, "issue")] if issue else []
    return {each.signal for each in evidence_of(TaskText(text, "task"), others)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rename Foo to Bar", {"purely mechanical"}),
        ("Rename the column `state`, with a migration", set()),
        ("Replace `foo()` everywhere with `bar()`", {"purely mechanical"}),
        ("Bump lodash to 4.17.21", {"obvious edit"}),
        ("Mark the RFC as accepted in docs/rfcs/12.md", {"documentation only"}),
        ("Make the button blue when it is pressed", set()),
        ("Users can log in twice", {"access control"}),
        ("Fix the race condition in the importer", {"concurrency"}),
        ("Write unit tests for the tax", {"tests wanted"}),
        ("Add CSV export, no tests", {"no tests"}),
    ],
)
def test_words_give_signals(text: str, expected: set[str]) -> None:
    assert signals(text) == expected


def test_the_name_of_the_target_project_is_no_signal() -> None:
    task = "Add a GET endpoint for tags, with tests"
    judgement = classify(f"{task}. The target project is sandbox.")

    assert judgement.signals == classify(task).signals
    assert judgement.record["tier"] == "standard"
