"""The compiled validators fit one version of pydantic-core; with another the model is compiled."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from pipeline.protocol import validators
from pipeline.protocol.validation import Validation, validate
from pipeline.protocol.validators import validator
from pipeline.schema import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

FIXTURES = os.path.join(ROOT, "fixtures", "artifacts", "invalid")


@pytest.fixture
def _another_version(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    validator.cache_clear()
    monkeypatch.setattr(validators, "PYDANTIC_CORE", "0.0.0")
    monkeypatch.setattr(validators, "CORE_SCHEMAS", {kind: {"type": "nonsense"} for kind in KINDS})
    yield
    validator.cache_clear()


def verdicts(kind: str) -> dict[str, Validation]:
    found = {}
    for name in sorted(os.listdir(FIXTURES)):
        if name.startswith(kind) and name.endswith(".json"):
            with open(os.path.join(FIXTURES, name), "rb") as file:
                found[name] = validate(file.read(), KINDS[kind], "exercise")
    return found


VERDICTS = {kind: verdicts(kind) for kind in KINDS}


def test_a_validator_is_built_once() -> None:
    assert validator("plan") is validator("plan")


@pytest.mark.usefixtures("_another_version")
@pytest.mark.parametrize("kind", list(KINDS))
def test_with_another_version_the_models_give_the_same_verdicts(kind: str) -> None:
    assert verdicts(kind) == VERDICTS[kind]
