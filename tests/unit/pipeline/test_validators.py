"""The compiled validators fit one version of pydantic-core; with another the model is compiled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pipeline import validators
from pipeline.compiled import CORE_SCHEMAS
from pipeline.schema import KINDS
from pipeline.validation import Validation, validate
from pipeline.validators import validator

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENTS: list[tuple[str, Any]] = [
    ("plan", {"affected_files": ["a", "/b", 1], "steps": [{"order": "1"}], "produced_by": ""}),
    ("plan", {"affected_files": ["a"], "steps": [{"order": 1, "file": "a", "description": "b"}]}),
    ("plan", {"acceptance_mapping": {"AC1": 1, "AC1_a": ".."}}),
    ("worker-result", {}),
    ("worker-result", {"status": "x", "files_changed": [], "blockers": [{}], "summary": "a\nb"}),
    ("git-result", {"branch": "main", "commit_sha": "12", "commit_message": "x", "pr_url": "x"}),
    ("git-result", {"branch": "feature/a", "commit_sha": "0" * 40, "commit_message": "a: b"}),
    ("classifications", [{}, {"tier": "easy", "file_count": -1}]),
    ("classifications", None),
]


@pytest.fixture
def _another_version(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    validator.cache_clear()
    monkeypatch.setattr(validators, "PYDANTIC_CORE", "0.0.0")
    monkeypatch.setattr(validators, "CORE_SCHEMAS", {kind: {"type": "nonsense"} for kind in KINDS})
    yield
    validator.cache_clear()


def verdict(kind: str, document: object) -> Validation:
    return validate(json.dumps(document).encode(), KINDS[kind], "exercise")


VERDICTS = [verdict(kind, document) for kind, document in DOCUMENTS]


def test_every_kind_has_a_compiled_validator() -> None:
    assert list(CORE_SCHEMAS) == list(KINDS)


def test_a_validator_is_built_once() -> None:
    assert validator("plan") is validator("plan")


def test_an_unknown_kind_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(KeyError):
        validator("report")


@pytest.mark.usefixtures("_another_version")
@pytest.mark.parametrize("number", range(len(DOCUMENTS)))
def test_with_another_version_the_models_give_the_same_verdicts(number: int) -> None:
    kind, document = DOCUMENTS[number]

    assert verdict(kind, document) == VERDICTS[number]
