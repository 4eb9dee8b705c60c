"""One validator a kind of artifact: the compiled one where it fits, else built from the model."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, cast

import pydantic_core

from pipeline.protocol.compiled import CORE_SCHEMAS, PYDANTIC_CORE
from pipeline.schema import KINDS

if TYPE_CHECKING:
    from pydantic_core.core_schema import CoreSchema


@cache
def validator(kind: str) -> pydantic_core.SchemaValidator:
    """Return the validator of a kind's model.

    Core schemas belong to one version of pydantic-core. With any other the model itself is
    compiled: the same verdicts, for the price of importing pydantic.
    """
    schema: Any = CORE_SCHEMAS[kind]
    if pydantic_core.__version__ != PYDANTIC_CORE:
        from pipeline.protocol.published import core_schema_of

        schema = core_schema_of(KINDS[kind])
    return pydantic_core.SchemaValidator(cast("CoreSchema", schema))
