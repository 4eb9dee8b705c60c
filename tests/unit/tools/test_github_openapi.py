"""The cut of GitHub's description: what is used, all that it refers to, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tools import github_openapi
from tools.github_openapi import CUT, cut

if TYPE_CHECKING:
    import pytest

WHOLE: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "whole", "version": "1"},
    "paths": {
        "/used": {
            "get": {"summary": "text", "responses": {"200": {"$ref": "#/components/responses/a"}}},
            "put": {"responses": {"200": {"$ref": "#/components/responses/unused"}}},
        },
        "/unused": {"get": {}},
    },
    "components": {
        "responses": {
            "a": {"schema": {"$ref": "#/components/schemas/tree"}},
            "unused": {"schema": {"$ref": "#/components/schemas/unused"}},
        },
        "schemas": {
            "tree": {
                "description": "text",
                "x-note": "text",
                "properties": {
                    "description": {"type": "string", "example": "text"},
                    "properties": {"items": {"$ref": "#/components/schemas/tree"}},
                },
            },
            "unused": {},
        },
        "examples": {"big": {"value": {"$ref": "#/components/schemas/unused"}}},
    },
}


def test_the_cut_keeps_what_is_used_as_it_is_and_leaves_out_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(github_openapi, "OPERATIONS", {"/used": ("get",)})

    assert cut(WHOLE) == {
        "openapi": "3.0.3",
        "info": {"title": "whole", "version": "1"},
        "paths": {"/used": {"get": {"responses": {"200": {"$ref": "#/components/responses/a"}}}}},
        "components": {
            "responses": {"a": {"schema": {"$ref": "#/components/schemas/tree"}}},
            "schemas": {
                "tree": {
                    "properties": {
                        "description": {"type": "string"},
                        "properties": {"items": {"$ref": "#/components/schemas/tree"}},
                    }
                }
            },
        },
    }


def test_the_kept_cut_is_one_of_these_operations() -> None:
    kept = json.loads(CUT.read_text(encoding="utf-8"))

    assert cut(kept) == kept
