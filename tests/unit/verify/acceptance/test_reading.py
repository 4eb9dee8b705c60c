"""A file of acceptance criteria is read whole, or refused in one line that names the mistake."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pipeline.bootstrap import ROOT
from pipeline.protocol.issue import issue_at
from pipeline.terminal.fault import Fault
from verify.acceptance.model import Acceptance, Criterion, Exchange, Expectation
from verify.acceptance.reading import ENDING, load
from verify.course.catalog import ISSUES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILES = sorted(Path(ISSUES).glob(f"*{ENDING}"))
SCHEMA = Path(ROOT, "docs/reference/schemas/acceptance.schema.json")
NAME = "ISSUE-7.acceptance.toml"
GOOD = """\
start = ["node", "src/server.js"]

[criteria.AC1_count]
draw = { title = "words" }

[[criteria.AC1_count.exchanges]]
request = "POST /notes"
json = { title = "{title}" }
save = { id = "$.id" }
expect = { status = 201, at = { "$.title" = "{title}" } }

[[criteria.AC1_count.exchanges]]
request = "GET /notes/{id}"
expect.status = [200, 203]
expect.schema = { type = "object" }

[criteria.AC2_store]
not_over_http = "the store has no endpoint"
"""


def test_a_file_is_read_into_criteria_with_their_exchanges() -> None:
    created = Exchange(
        request="POST /notes",
        json={"title": "{title}"},
        save={"id": "$.id"},
        expect=Expectation(status=201, at={"$.title": "{title}"}),
    )
    shown = Exchange(
        request="GET /notes/{id}",
        expect=Expectation(status=[200, 203], schema={"type": "object"}),
    )

    assert load(GOOD, NAME, ["AC1_count", "AC2_store"]) == Acceptance(
        start=("node", "src/server.js"),
        criteria={
            "AC1_count": Criterion(draw={"title": "words"}, exchanges=(created, shown)),
            "AC2_store": Criterion(not_over_http="the store has no endpoint"),
        },
    )


EXCHANGE = "$.criteria.AC1_count.exchanges"
MISTAKES = {
    "a misspelt key": (
        "expect.status = [",
        "expect.statsu = [",
        (
            f"14:1: {EXCHANGE}[1].expect.statsu: unknown key (did you mean status?)"
            ' (expected "status", "headers", "json", "at", "schema", "text", "lines")'
        ),
    ),
    "a key that is missing": (
        "expect.status = [200, 203]\n",
        "",
        (
            f"14:1: {EXCHANGE}[1].expect.status: the field is missing"
            " (expected the status, or an array of those that are right)"
        ),
    ),
    "a status in quotes": (
        "status = 201",
        'status = "201"',
        (
            f"10:12: {EXCHANGE}[0].expect.status: wrong value"
            ' (expected the status, or an array of those that are right, found "201")'
        ),
    ),
    "a request without a path": (
        "POST /notes",
        "POST notes",
        (
            f"7:1: {EXCHANGE}[0].request: wrong value"
            ' (expected a method and a path, such as "GET /health", found "POST notes")'
        ),
    ),
    "a date": (
        'title = "{title}" }\nsave',
        "title = 2026-01-01 }\nsave",
        (
            f"8:1: {EXCHANGE}[0].json: wrong value"
            " (expected the body of the request, found a date or a time)"
        ),
    ),
    "an unknown kind of value": (
        '"words"',
        '"wrds"',
        (
            "4:10: $.criteria.AC1_count.draw.title: wrong value"
            ' (expected word, words, letters 30, digits 4, hex 24 or integer 1..999, found "wrds")'
        ),
    ),
    "an empty range": (
        '"words"',
        '"integer 9..1"',
        (
            "4:10: $.criteria.AC1_count.draw.title: an empty range"
            " (expected integer low..high, found integer 9..1)"
        ),
    ),
    "a name without a value": (
        "/{id}",
        "/{idd}",
        (
            f"13:1: {EXCHANGE}[1].request: {{idd}} has no value here (did you mean id?)"
            " (expected a name in draw, or in save of an exchange before)"
        ),
    ),
    "a name without a value in a variable": (
        "save =",
        'env = { KEY = "{tilte}" }\nsave =',
        (
            f"9:1: {EXCHANGE}[0].env: {{tilte}} has no value here (did you mean title?)"
            " (expected a name in draw, or in save of an exchange before)"
        ),
    ),
    "a place that is none": (
        "$.id",
        "id",
        (
            f"9:10: {EXCHANGE}[0].save.id: wrong value"
            ' (expected text, or a place such as $.id, found "id")'
        ),
    ),
    "two bodies": (
        "save =",
        'text = "x"\nsave =',
        f"9:1: {EXCHANGE}[0].text: a request has one body (expected json or text)",
    ),
    "no schema": (
        'type = "object"',
        'type = "objct"',
        (
            f"15:1: {EXCHANGE}[1].expect.schema: not a JSON Schema: this does not match its schema"
            ' (expected anyOf [{"$ref": "#/$defs/simpleTypes"}, {"type": "array", "items": {"$ref":'
            ' "#/$defs/simpleTypes"}, "minItems": 1, "uniqueItems": true}], found "objct")'
        ),
    ),
    "a schema that takes long": (
        'type = "object"',
        'additionalProperties = { pattern = "(a+)+$" }',
        f"15:1: {EXCHANGE}[1].expect.schema: pattern is not supported in this schema",
    ),
    "a label that the issue does not have": (
        "AC2_store",
        "AC2_stroe",
        (
            "17:1: $.criteria.AC2_stroe: the issue has no such criterion (did you mean AC2_store?)"
            ' (expected "AC1_count", "AC2_store")'
        ),
    ),
    "a criterion of the issue that is missing": (
        '[criteria.AC2_store]\nnot_over_http = "the store has no endpoint"',
        "",
        "3:1: $.criteria.AC2_store: the criterion is missing",
    ),
    "a criterion of no issue": (
        "[criteria.AC2_store]",
        '[criteria.AC3_more]\nnot_over_http = "x"\n[criteria.AC2_store]',
        (
            "17:1: $.criteria.AC3_more: the issue has no such criterion"
            ' (expected "AC1_count", "AC2_store")'
        ),
    ),
    "a label that is none": (
        "[criteria.AC2_store]",
        "[criteria.second]",
        (
            "17:1: $.criteria.second: this name is not allowed"
            " (expected String should match pattern '^AC[0-9]+_[a-z0-9_]+$')"
        ),
    ),
    "neither exchanges nor a reason": (
        'not_over_http = "the store has no endpoint"',
        "",
        "17:1: $.criteria.AC2_store: a criterion has either exchanges or not_over_http",
    ),
    "no command": (
        'start = ["node", "src/server.js"]',
        "",
        (
            "1:1: $.start: the field is missing (expected the command, run in the folder of the"
            " service, which answers on the listening socket that it inherits as descriptor 3."
            " {listen} is a module for `node --import` that makes a server listen there)"
        ),
    ),
    "what is not TOML": ("[200, 203]", "[200, 203", "15:1: not TOML: Unclosed array"),
    "a key twice": ("save =", 'json = "x"\nsave =', "9:11: not TOML: Cannot overwrite a value"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_the_author_is_one_line_with_its_place(mistake: str) -> None:
    old, new, line = MISTAKES[mistake]
    with pytest.raises(Fault) as caught:
        load(GOOD.replace(old, new, 1), NAME, ["AC1_count", "AC2_store"])

    assert caught.value.lines == (f"{NAME}:{line}",)
    assert caught.value.code == 2


def test_a_text_that_is_nested_without_end_is_refused() -> None:
    with pytest.raises(Fault, match=rf"^{NAME}:1:1: not TOML: "):
        load(f"x = {'[' * 5000}", NAME)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_of_the_course_has_the_criteria_of_its_issue_and_the_published_form(
    path: Path,
) -> None:
    text = path.read_text(encoding="utf-8")
    labels = list(issue_at(str(path).removesuffix(ENDING) + ".md").criteria)

    assert list(load(text, path.name, labels).criteria) == labels
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(tomllib.loads(text))
