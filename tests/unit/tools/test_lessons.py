"""The part of a tutorial that explains the checks, whole for one and complete for all."""

from __future__ import annotations

import re

import pytest

from tools.lessons import check_sections, check_table
from verify import catalog

EXERCISES = [exercise for level in catalog.LEVELS for exercise in catalog.level(level)]
TABLE = """\
| check | what holds | points |
| --- | --- | --- |
| [F01.1](#f01-1) | plan.json is where the pipeline looks for it | 1 |
| [F01.2](#f01-2) | plan.json is strict JSON | 1 |
| [F01.3](#f01-3) | plan.json has its required fields in their types | 1 |
| [F01.4](#f01-4) | affected\\_files and steps name the same files | 2 |
| [F01.5](#f01-5) | steps ascend, implementation before tests | 1 |
| [F01.6](#f01-6) | acceptance\\_mapping maps labels to planned files | 1 |
| [F01.7](#f01-7) | plan.json was produced by x-planner or x-subplanner | 1 |
| [F01.8](#f01-8) | every acceptance criterion of the issue is mapped | advisory |
| [F01.9](#f01-9) | the plan has a test step | advisory |
| [F01.10](#f01-10) | the plan's paths begin at the target project | advisory |"""
SECTION = """\
### <a id="f01-7"></a>F01.7: plan.json was produced by x-planner or x-subplanner

The marker says which agent did the work; it is the only trace of a delegation. It waits for F01.3.

When it fails:

```text
F01.7  plan.json was produced by x-planner or x-subplanner
  sandbox/.pipeline/ISSUE-101/plan.json:31:18  $.produced_by
  the marker names another agent
    expected  "x-planner" or "x-subplanner"
    found     "x-worker"
  To do: read docs/foundation/tutorials/01-plan.md#f01-7
```

- Look at: The value of produced\\_by, letter by letter, and who really wrote the file.
- Change: Dispatch the agent of this role and let it write the artifact itself.

For example:

```json
"produced_by": "x-subplanner"
```

"""


def test_a_table_lists_the_checks_with_links_to_their_sections() -> None:
    assert check_table(catalog.find("foundation", "01")) == TABLE


def test_a_section_says_why_shows_a_real_failure_and_how_to_mend_it() -> None:
    sections = check_sections(catalog.find("foundation", "01"))

    assert SECTION in sections


@pytest.mark.parametrize("name", [exercise.name for exercise in EXERCISES])
def test_every_check_has_one_section_with_its_anchor_and_its_own_failure(name: str) -> None:
    exercise = catalog.find(*name.split("/"))
    sections = check_sections(exercise)
    codes = [check.code for check in exercise.checks]

    assert re.findall(r'<a id="([^"]+)">', sections) == [check.anchor for check in exercise.checks]
    assert re.findall(r"When it fails:\n\n```text\n(\S+)  ", sections) == codes


def test_a_check_is_shown_failing_on_a_mistake_rather_than_on_nothing() -> None:
    sections = check_sections(catalog.find("foundation", "04"))
    first = sections.partition("### ")[2].partition("### ")[0]

    assert "found     sandbox/.pipeline/ISSUE-102/plan.json" in first
