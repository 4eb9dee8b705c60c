"""A document that parsers read in more than one way is never valid, however good its fields."""

from __future__ import annotations

import json

import pytest

from pipeline.schema import KINDS
from pipeline.validation import validate


@pytest.mark.parametrize(
    "member",
    [
        '"produced_by": "x-git", "produced_by": "x-worker"',
        '"x": 1e400',
        '"x": NaN',
        '"x": "\\ud800"',
        '"x": [[1, -1e999]]',
        '"x": {"a": 1, "a": 2}',
        '"x" : 1, "x"\n: 2',
        '"x": 1, "\\u0078": 2',
        '"x": 1, "x": NaN',
        '"x": 1, "x": 1e400',
        '"x": ' + "[" * 70 + "]" * 70,
        '"x": ' + "1" * 5000,
    ],
)
def test_a_document_with_two_meanings_or_none_is_refused_whatever_its_other_fields(
    member: str,
) -> None:
    value = {"status": "completed", "files_changed": ["a.js"], "blockers": [], "summary": "Done"}
    document = (json.dumps(value)[:-1] + f", {member}}}").encode()

    result = validate(document, KINDS["worker-result"])

    assert {problem.rule for problem in result.problems} == {"json"}
