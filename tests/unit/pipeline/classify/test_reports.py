"""Titles and texts of trackers: how obvious edits, bugs, verbs, wishes and words count."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pipeline.bootstrap import ROOT
from pipeline.classify.rules import classify
from pipeline.classify.words import words_of

ISSUES = Path(ROOT, "sandbox", "issues")
LABELLED = Path(ROOT, "benchmarks", "classification")
EDITS = (
    *("Change the default {}", "Delete the unused {}", "Bump the {}", "Typo in the {}"),
    *("Set the {} to 5", "Lower the {} from 10 to 5", "Change the text of the {}", "Pin the {}"),
    *(
        "Remove dead code in the {}",
        "Delete unused {}",
        "Fix misspelt name in {}",
        "Swap the {} icon",
    ),
    *(
        "Please just drop the unused {}",
        "[chore] Update the {} to 30",
        "SEC-7: Remove the stray {}",
    ),
    *("Rename the {}", "Rename {} everywhere", "Change the {} in all files"),
    *("Set the {} to false", "Fix spelling in the {}", "Reformat the {}"),
)
GUARDED = (
    *("JWT expiry", "password reset endpoint", "permission check", "session cookie", "CORS policy"),
    *("role table", "API key", "TLS certificate", "`is_admin` flag", "`hasPermission()` helper"),
    *("rate limit", "admin guard", "token", "trusted proxies", "bcrypt cost", "logout route"),
    *("HttpOnly flag", "verify=False option", "trust proxy setting", "X-Frame-Options header"),
    *("escaping of shell arguments", "encrypt() helper", "SECRET_KEY", "`sanitize-html` rule"),
    *("security/acl.py file", "config/permissions.yml", "`user.role` field", "policy file"),
    *("Content-Security-Policy", "SSL verification", "umask", "redirect allowlist", "salt length"),
)


def tier(text: str) -> str:
    return classify(text).record["tier"]


def test_c_an_obvious_edit_never_wins_against_a_security_word() -> None:
    tasks = [edit.format(noun) for edit, noun in product(EDITS, GUARDED)]

    assert [task for task in tasks if tier(task) != "standard"] == []
    assert tier("Typo in a check\n\n`can_edti` in the permission table should be `can_edit`.") == (
        "standard"
    )


@pytest.mark.parametrize(
    "title",
    [
        *(
            "Fix the manual retry button",
            "Changelog page returns 500",
            "Tutorial overlay never closes",
        ),
        *(
            "API documentation page is empty when the file has no tags",
            "Docs build breaks on Windows",
        ),
        *("FAQ accordion does not open on iOS", "Docs search box shows no results on Safari"),
        *("Wiki pages with umlauts in the title give a 404", "Rename button does nothing"),
        *(
            "Comment form rejects names with an apostrophe",
            "Undo button is greyed out after saving",
        ),
        *("Payment page shows the wrong currency symbol", "Chat messages with emoji are cut"),
        *("Typo in SQL query crashes the report", "Misspelled variable makes the worker hang"),
        *("Typo: `retrun` in checkout.js breaks the payment", "A typo keeps the job from running"),
        *("Renaming a file fails on Windows", "Typo in constant: interest is calculated wrong"),
        *("The comment count is wrong after a delete", "Spelling of a header lets uploads fail"),
    ],
)
def test_c_a_bug_is_a_bug_whatever_noun_it_is_about(title: str) -> None:
    assert tier(title) == "standard"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Add a README generator command", "standard"),
        ("Generate the changelog from commit messages", "standard"),
        ("Create a docs preview deployment for pull requests", "standard"),
        ("Add export of release notes to PDF", "standard"),
        ('Typo suggestions ("did you mean") for unknown subcommands', "standard"),
        ("Document how the token stream of the lexer example works", "trivial"),
        ("README: mention that passwords are stored with argon2id", "trivial"),
        ("Add a paragraph on the export command to the README", "trivial"),
        ("The FAQ still mentions Python 2", "trivial"),
        ("Replace the sessions by JWT with refresh tokens in all services", "complex"),
        ("Add spelling suggestions to search", "standard"),
        ("Add dependency injection to the controllers", "standard"),
        ("Let users fix typos after posting", "standard"),
    ],
)
def test_c_verbs_decide_before_nouns(title: str, expected: str) -> None:
    assert tier(title) == expected


WISH = "OAuth with roles, offline sync and a new plugin system"
SECTIONS = {
    **{f"## {name}\n\n- {WISH}\n": name for name in ("Future work", "Deferred", "Won\u2019t do")},
    **{
        f"#### {name}\n{WISH}\n\n{WISH}\n": name
        for name in ("Follow-ups", "Out of scope (for now)")
    },
    f"## Non-goals\n### Later on\n{WISH}\n": "a heading below",
    f"**Describe alternatives you've considered**\n{WISH}\n\n{WISH}\n": "bold print",
    f"**Won't do:** {WISH},\nand {WISH}\n": "bold print before a text",
    f"Follow-ups\n- {WISH}\n\n- {WISH}\n": "a line and a list",
    f"Nice to have:\n\n* {WISH}\n* {WISH}\n": "a line with a colon",
    f"Non-goals: {WISH}\n": "a word before a text",
    f"Next steps\n----------\n{WISH}\n": "an underlined heading",
    f"> Can we also build {WISH}?\n\nNo.\n": "a quotation",
    f"<!-- Describe {WISH}\nhere -->\n": "a comment",
    f"~~Build {WISH}~~\n": "struck out",
    f"We could add {WISH} in a follow-up PR.\n": "a sentence",
    f"```sh\n# Tasks\nbuild {WISH}\n```\n": "code",
}


@pytest.mark.parametrize("text", SECTIONS, ids=SECTIONS.values())
def test_c_wishes_outside_the_task_do_not_count(text: str) -> None:
    before, after = "Store it in the preferences.\n\n", "\n## Tasks\n\n- wanted at the end\n"
    judgement = classify(f"Dark mode toggle for the settings screen\n\n{before}{text}{after}")

    assert judgement.record["tier"] == "standard"
    assert judgement.signals.names == frozenset()
    assert [word.text for word in words_of(f"Title\n\n{before}{text}{after}")][-4:] == [
        *("wanted", "at", "the", "end")
    ]


def test_c_a_title_is_never_taken_for_a_section() -> None:
    assert tier("# Background job system: queue, worker pool, retries, dead letters") == "complex"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Login form should not tell whether the account exists", "standard"),
        ("Turn off the two-factor prompt", "standard"),
        ("Notes live in memory and are gone after restart, store them in SQLite", "standard"),
        ("Add dependency locking to the build", "standard"),
        ("Keep the order of the columns for consistency with the export", "standard"),
        ("Workshop session list is sorted by id", "standard"),
        ("Increase the orc's attack from 3 to 5", "trivial"),
        ("Typo in the lexer's token table comment", "trivial"),
        ("Live collaboration on spreadsheets", "complex"),
    ],
)
def test_c_one_word_is_one_piece_of_evidence_in_its_own_sense(title: str, expected: str) -> None:
    assert tier(title) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rename warn_deprecated", "trivial"),
        ("Rename `warn_deprecated` to `warn_about_deprecation`", "trivial"),
        ("Rename the migration helper `mig()` to `migrate_one()`", "trivial"),
        # a rename is an obvious edit: never below standard beside a security word
        ("Rename `check_permission` to `has_permission` everywhere", "standard"),
        ("Rename the folder `security` to `safety` and adjust the imports", "standard"),
        ("Rename `Foo` to `Bar`\n\nIt encrypts the backups.", "standard"),
        ("Revised naming scheme for consistency\n\nRename all files to snake_case.", "trivial"),
        ("Rename `A` to `B`\n\nKeep the old name as a deprecated alias, with a test.", "standard"),
        ("Rename the column `state`, with a migration", "standard"),
    ],
)
def test_c_a_rename_stays_mechanical(text: str, expected: str) -> None:
    assert tier(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("Typo in the log output of the importer", "Log message says 'conection lost'"),
        *("Typo in the message when the upload fails", "Typo in the text 'request crashes'"),
        *("Rename local variable `d` to `duration`", "Rename the columns variable to cols"),
        *("Bump the version in the docs from 1.2 to 1.3", "Change the label of the payment button"),
        *("Reword the refund text", "Rename function computeTax to calculateTax in all files"),
    ],
)
def test_c_a_plain_edit_stays_trivial(text: str) -> None:
    assert tier(text) == "trivial"


@pytest.mark.parametrize(
    "text",
    [
        *("Rename all API routes from /v1 to /v2", "Rename the endpoint /users/list to /users"),
        *("Change all routes from /v1 to /v2", "Rename the environment variable DB to DB_URL"),
        *("Rename column mail to email", "Rename the JSON field `a` to `b` in the API response"),
        *("Rename the Kafka topic orders", "Rename the CLI flag --out to --output"),
        *("Rename queue `mails` to `emails`", "Change the URL prefix /api to /rest"),
    ],
)
def test_c_a_rename_that_others_rely_on_is_not_mechanical(text: str) -> None:
    assert tier(text) == "standard"


@pytest.mark.parametrize(
    "text",
    [
        *("Set the payment amount to 0", "Change the tax rate from 19 to 16", "Set discount to 5"),
        *("Change the default currency to USD", "Raise the withdrawal limit to 10000"),
    ],
)
def test_c_what_people_pay_is_not_an_obvious_edit(text: str) -> None:
    assert tier(text) == "standard"


@pytest.mark.parametrize(
    "text",
    [
        *("Split the monolith", "Break up the monolith", "Carve billing out of the monolith"),
        *("Plugin system for exporters", "Support plugins written by third parties"),
        *("Optimistic locking", "Use optimistic locking for invoices", "Introduce a saga"),
        *("Schema migration of the events table without downtime", "Add a scripting API"),
        *("Change the type of the id column without downtime", "Split our app into microservices"),
    ],
)
def test_c_a_change_of_structure_is_complex(text: str) -> None:
    assert tier(text) == "complex"


@pytest.mark.parametrize("prompt", ["fix it", "Implement real-time OAuth", "Typo in the README"])
@pytest.mark.parametrize(
    ("issue", "expected"), [("301", "trivial"), ("302", "standard"), ("304", "complex")]
)
def test_c_the_issue_decides_before_the_prompt(prompt: str, issue: str, expected: str) -> None:
    text = (ISSUES / f"ISSUE-{issue}.md").read_text(encoding="utf-8")

    assert classify(prompt, issue_text=text).record["tier"] == expected


def test_c_nine_of_ten_labelled_reports_are_right_and_no_error_is_costly() -> None:
    files = [LABELLED / f"{name}.json" for name in ("reports", "held-out-reports")]
    rows: list[dict[str, Any]] = [
        row for file in files for row in json.loads(file.read_text("utf-8"))
    ]
    given = [(row, tier(row["task"])) for row in rows]
    trivial = [row for row, name in given if name == "trivial"]

    assert len(rows) == 192
    assert sum(row["tier"] == name for row, name in given) >= 0.9 * len(rows)
    assert [row["task"] for row in trivial if row["security"] or row["tier"] == "complex"] == []


@pytest.mark.parametrize("name", ["tuning", "held-out"])
def test_c_no_error_in_the_other_sets_is_costly(name: str) -> None:
    rows = json.loads((LABELLED / f"{name}.json").read_text("utf-8"))
    costly = [row["task"] for row in rows if row.get("security") or row["tier"] == "complex"]

    assert [task for task in costly if tier(task) == "trivial"] == []


def test_c_the_older_tasks_that_were_held_out_are_classified_no_worse() -> None:
    rows = json.loads((LABELLED / "held-out.json").read_text("utf-8"))

    assert sum(tier(row["task"]) == row["tier"] for row in rows) >= 67  # of 73


@pytest.mark.parametrize(
    "task",
    [
        "Change the API from REST to GraphQL",
        "Change the storage engine from SQLite to Postgres",
        "Change the data model from tree to graph",
    ],
)
def test_c_what_is_replaced_by_another_kind_is_no_obvious_edit(task: str) -> None:
    assert classify(task).rule.tier == "standard"
