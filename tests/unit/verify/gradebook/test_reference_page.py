"""The queries on the page about the gradebook can be asked."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from verify.gradebook.recording import RunRecorder
    from verify.gradebook.records import FoundSubmission, Mark

with open(os.path.join(ROOT, "docs", "reference", "gradebook.md"), encoding="utf-8") as page:
    QUESTIONS = page.read().partition("## Questions that instructors ask")[2]
QUERIES = re.findall(r"```sql\n(.*?)```", QUESTIONS, re.DOTALL)


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_of_the_page_can_be_asked(
    begun: Callable[..., RunRecorder],
    rows: Callable[..., list[FoundSubmission]],
    passed: Mark,
    connection: sqlite3.Connection,
    query: str,
) -> None:
    recorder = begun()
    recorder.add_submissions(rows("ada-okafor"))
    recorder.record([(1, (passed,))])

    assert connection.execute(query).fetchall() is not None
