"""The published JSON Schemas, as validators."""

from __future__ import annotations

import json
import os
from typing import Any

from jsonschema import Draft202012Validator

from pipeline.bootstrap import ROOT


def published(name: str, *, closed: bool = False) -> Draft202012Validator:
    """Return the validator of a published schema; a closed one refuses what it does not name."""
    path = os.path.join(ROOT, "docs", "reference", "schemas", f"{name}.schema.json")
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    return Draft202012Validator(_closed(schema) if closed else schema)


def _closed(part: Any) -> Any:
    if isinstance(part, list):
        return [_closed(each) for each in part]
    if not isinstance(part, dict):
        return part
    inner = {key: _closed(value) for key, value in part.items()}
    return (
        {**inner, "additionalProperties": False}
        if isinstance(part.get("properties"), dict)
        else inner
    )
