"""Files and parts are estimated from what a text names, and the estimate says from what."""

from __future__ import annotations

import pytest

from pipeline.classifying.estimates import MANY, scope_of
from pipeline.classifying.reading import read
from pipeline.classifying.signals import Evidence, Scope
from pipeline.classifying.textual import evidence_of

DOMAINS = "# A-1: B\n\n## Acceptance criteria\n\n- AC1_a: b\n\n## Domains\n\n{}\n"


def scope(text: str, issue: str = "") -> Scope:
    reading = read(text, "task")
    return scope_of(reading, issue, evidence_of(reading, []))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Fix a typo", 1),
        ("Fix typos everywhere", MANY),
        ("Rename Foo to Bar", 3),
        ("Rename Foo to Bar in 140 classes, 7 files", 7),
        ("Update the README in a/README.md and b/README.md", 2),
        ("Show totals", 2),
        ("Show totals, no tests", 1),
        ("Round in a.py, b.py, c.py, d.py and e.py", 5),
        ("Build a rule engine", 4),
        ("Add an endpoint with validation and tests", 3),
    ],
)
def test_files_are_estimated(text: str, count: int) -> None:
    assert scope(text).file_count == count


def test_domains_are_named_by_their_words() -> None:
    assert scope("Show payments on the dashboard") == Scope(
        3,
        ("billing", "interface"),
        (
            Evidence("file count", "billing, interface, tests", "estimate"),
            Evidence("domain scope", "payments", "task"),
            Evidence("domain scope", "dashboard", "task"),
        ),
    )


def test_an_issues_own_domains_are_believed() -> None:
    issue = DOMAINS.format("- auth: `src/auth/`\n- notes: `src/notes/`")

    assert scope("Show payments on the dashboard", issue).domains == ("auth", "notes")


def test_a_malformed_section_of_domains_is_passed_over() -> None:
    assert scope("Show payments", DOMAINS.format("words")).domains == ("billing",)
