"""Models, compiled validators, published JSON Schemas and the verdict on a document agree."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pydantic_core
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from pipeline.bootstrap import ROOT
from pipeline.protocol import validate as validation
from pipeline.protocol.patterns import PATTERNS
from pipeline.protocol.validate import PROFILES, Validation, validate, validator
from pipeline.schema import KINDS
from tools.published import json_schema_of

COMPILED = json.loads(Path(validation.COMPILED).read_text("utf-8"))
ARTIFACTS = Path(ROOT, "fixtures", "artifacts", "valid")
VALID: dict[str, Any] = {
    kind: json.loads((ARTIFACTS / f"{kind}-full.json").read_text("utf-8")) for kind in KINDS
}
TASK = VALID["classifications"][0]
NAMES = sorted({*TASK, "order", "file", "description", "AC1_a", "ac1", "AC2_b\n", "x", ""})
KIND_NAMES = st.sampled_from(sorted(KINDS))

NUMBERS = (
    st.sampled_from([0, 1, -1, True, False, 0.5, -0.0, 1e300, 2**53 + 1, 10**300])
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
)
SPECIAL = st.text("aZ0/\\.:-_ \n\r\t\x0b\x85\xa0\u2028\u200b\ufeffé\x00\x7f", max_size=4)
SHAPED = st.one_of([st.from_regex(pattern) for pattern in PATTERNS])
STRINGS = (
    st.sampled_from(["single", "cross-domain", "trivial", "complex", "completed", "C:/a", "../a"])
    | SPECIAL
    | st.builds("".join, st.tuples(SPECIAL, SHAPED, SPECIAL))
    | SHAPED
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | NUMBERS | STRINGS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | STRINGS, inner, max_size=3)
    ),
    max_leaves=4,
)


@st.composite
def near_valid(draw: st.DrawFn, kind: str) -> Any:
    """Draw a valid artifact with up to three faults: replaced, removed and added values."""
    holder = {"document": copy.deepcopy(VALID[kind])}
    for _ in range(draw(st.integers(0, 3))):
        inside, key = draw(st.sampled_from(list(places(holder))))
        change = draw(st.integers(0, 3))
        if change == 0 and inside is not holder:
            del inside[key]
        elif change == 1 and isinstance(inside[key], dict):
            inside[key][draw(st.sampled_from(NAMES) | STRINGS)] = draw(VALUES)
        elif change == 1 and isinstance(inside[key], list):
            inside[key].append(draw(VALUES))
        else:
            inside[key] = draw(VALUES)
    return holder["document"]


def places(holder: Any) -> list[tuple[Any, Any]]:
    """Return each container with each of its keys."""
    if not isinstance(holder, (dict, list)):
        return []
    pairs = list(holder.items()) if isinstance(holder, dict) else list(enumerate(holder))
    return [place for key, value in pairs for place in [(holder, key), *places(value)]]


CASES = KIND_NAMES.flatmap(lambda kind: st.tuples(st.just(kind), near_valid(kind) | VALUES))


@cache
def schema_validator(kind: str, profile: str) -> Draft202012Validator:
    return Draft202012Validator(json_schema_of(KINDS[kind], profile))


@cache
def adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(KINDS[kind].model)


def errors(check: Any, value: Any) -> list[Any]:
    try:
        check.validate_python(value)
    except pydantic_core.ValidationError as error:
        return list(error.errors(include_url=False))
    return []


def counts_files_with_a_point(document: Any) -> bool:
    """Return whether a file count is written as 2.0: an integer in JSON Schema only."""
    tasks = document if isinstance(document, list) else []
    counts = [task.get("file_count") for task in tasks if isinstance(task, dict)]
    return any(isinstance(count, float) and count.is_integer() for count in counts)


@given(CASES, st.sampled_from(PROFILES))
@example(("classifications", []), "core")
def test_the_json_schema_accepts_what_the_model_accepts(
    case: tuple[str, Any], profile: str
) -> None:
    kind, document = case
    assume(kind != "classifications" or not counts_files_with_a_point(document))
    required = KINDS[kind].exercise_fields if profile == "exercise" else ()

    counted = kind != "classifications" or (isinstance(document, list) and len(document) == 5)
    accepted = (
        counted
        and not errors(validator(KINDS[kind]), document)
        and all(name in document for name in required)
    )

    assert schema_validator(kind, profile).is_valid(document) is accepted


def test_a_whole_number_with_a_point_is_an_integer_for_json_schema_only() -> None:
    document = [{**TASK, "file_count": 2.0}] * 5

    assert schema_validator("classifications", "core").is_valid(document)
    assert len(errors(validator(KINDS["classifications"]), document)) == 5


@pytest.mark.skipif(
    pydantic_core.__version__ != COMPILED["pydantic_core"],
    reason="core schemas belong to one version of pydantic-core; with another they are not used",
)
@given(CASES)
def test_a_compiled_validator_finds_the_errors_of_its_model(case: tuple[str, Any]) -> None:
    kind, document = case

    assert errors(validator(KINDS[kind]), document) == errors(adapter(kind).validator, document)


@given(KIND_NAMES, st.binary(max_size=50) | st.text().map(str.encode))
def test_no_bytes_end_in_an_exception(kind: str, data: bytes) -> None:
    found = validate(data, KINDS[kind], "exercise")

    assert found == Validation(found.value, found.problems)
    assert found.problems
    assert all(problem.line >= 1 and problem.column >= 1 for problem in found.problems)
