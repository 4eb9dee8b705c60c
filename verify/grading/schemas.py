"""JSON Schemas that an author of a course writes, and what does not match them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pipeline.protocol.problems import Problem
from pipeline.terminal.display import quoted, visible

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, SchemaError, ValidationError

_SHOWN = 200  # characters of what a schema expects
# what takes more than linear time on what a service answers, or fetches something
_NOT_FOR_HOSTILE = re.compile(r'"(pattern|patternProperties|uniqueItems|\$(?:dynamicR|r)ef)": ')


def validator_of(schema: dict[str, Any]) -> Draft202012Validator:
    """Return the validator of a schema; it fetches nothing."""
    from jsonschema import Draft202012Validator
    from referencing import Registry

    return Draft202012Validator(schema, registry=Registry())


def refused(schema: Any) -> str:
    """Return why a schema cannot be used on hostile values, empty if it can."""
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"not a JSON Schema: {problem_of(error).sentence()}"
    costly = _NOT_FOR_HOSTILE.search(json.dumps(schema))
    return f"{costly[1]} is not supported in this schema" if costly else ""


def problem_of(error: ValidationError | SchemaError) -> Problem:
    """Return the problem of one error of the library; its rule is the keyword that is broken."""
    keyword, path = str(error.validator or "false"), tuple(error.absolute_path)
    value: Any = error.validator_value
    instance: Any = error.instance
    schema: Any = error.schema if isinstance(error.schema, dict) else {}
    if keyword == "required":
        name = next(name for name in value if repr(name) in error.message)
        about = schema.get("properties", {}).get(name, {}).get("description", "")
        return Problem(keyword, (*path, name), "this field is missing", visible(about, _SHOWN))
    if keyword == "additionalProperties" and value is False:
        name = next(name for name in instance if repr(name) in error.message)
        return Problem(keyword, (*path, name), "this field is not allowed here")
    if keyword == "false":
        return Problem(keyword, path, "nothing is allowed here")
    expected = schema.get("description") or f"{keyword} {json.dumps(value, ensure_ascii=False)}"
    found = quoted(instance)
    return Problem(
        keyword, path, "this does not match its schema", visible(expected, _SHOWN), found
    )
