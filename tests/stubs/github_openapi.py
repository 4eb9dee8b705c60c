"""GitHub's own description of its API, as the tests ask it: samples, and what breaks its rules."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jsonschema import Draft4Validator
from jsonschema.validators import extend

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CUT = Path(__file__).resolve().parents[1] / "forges/github-openapi.json"
_STRINGS = {"date-time": "2026-01-02T03:04:05Z", "uri": "https://github.com/octocat"}
_SAMPLES: dict[str, Any] = {"string": "", "integer": 1, "number": 1, "boolean": False, "array": []}


@cache
def description() -> dict[str, Any]:
    """Return the cut that tools/github_openapi.py writes."""
    read: dict[str, Any] = json.loads(CUT.read_text(encoding="utf-8"))
    return read


def sample(name: str) -> Any:
    """Return the smallest value of a named schema: required fields only, null where it may be."""
    return _sampled({"$ref": f"#/components/schemas/{name}"})


def _sampled(schema: Mapping[str, Any]) -> Any:
    schema = _resolved(schema)
    if schema.get("nullable"):
        return None
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        return {key: _sampled(properties[key]) for key in schema.get("required", ())}
    if schema.get("type") == "string" and schema.get("format") in _STRINGS:
        return _STRINGS[schema["format"]]
    return _SAMPLES[schema["type"]]


def _resolved(part: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in part:
        _, _, kind, name = part["$ref"].split("/")
        part = description()["components"][kind][name]
    return part


def request_problems(
    method: str, path: str, query: Mapping[str, str], body: object | None
) -> list[str]:
    """Return what a request has against it; what the description does not know is named too."""
    operation = _operation(method, path)
    if operation is None:
        return [f"{method} {path} is not described"]
    problems = list(_query_problems(operation, query))
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return problems + (["a body is not described"] if body is not None else [])
    known = _resolved(content["schema"])["properties"]
    unknown = (
        [f"{key} is not described" for key in body if key not in known]
        if isinstance(body, dict)
        else []
    )
    return problems + unknown + _broken(content["schema"], body)


def _query_problems(operation: Mapping[str, Any], query: Mapping[str, str]) -> Iterator[str]:
    described = {
        p["name"]: p for p in map(_resolved, operation["parameters"]) if p["in"] == "query"
    }
    for key, value in query.items():
        if key not in described:
            yield f"the parameter {key} is not described"
        else:
            schema = described[key]["schema"]
            number = schema["type"] == "integer" and value.isdecimal()
            yield from _broken(schema, int(value) if number else value)


def reply_problems(method: str, path: str, status: int, body: object) -> list[str]:
    """Return what an answer has against it."""
    operation = _operation(method, path)
    if operation is None or str(status) not in operation["responses"]:
        return [f"{method} {path} is not described to answer {status}"]
    reply = _resolved(operation["responses"][str(status)])
    return _broken(reply["content"]["application/json"]["schema"], body)


def _operation(method: str, path: str) -> dict[str, Any] | None:
    for template, operations in description()["paths"].items():
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template))
        if re.fullmatch(pattern, path):
            found: dict[str, Any] | None = operations.get(method.lower())
            return found
    return None


def _broken(schema: Mapping[str, Any], value: object) -> list[str]:
    whole = {"allOf": [schema], "components": description()["components"]}
    return [f"{error.json_path}: {error.message}" for error in _Validator(whole).iter_errors(value)]


def _type(validator: Any, types: Any, instance: object, schema: Mapping[str, Any]) -> Iterator[Any]:
    """Apply `type` as OpenAPI 3.0.3 has it: a `nullable` value may be null."""
    if instance is not None or not schema.get("nullable"):
        yield from Draft4Validator.VALIDATORS["type"](validator, types, instance, schema)


_Validator = extend(  # type: ignore[no-untyped-call]  # its types are not told
    Draft4Validator, {"type": _type}
)
