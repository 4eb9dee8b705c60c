"""The markers of the contract's models: open records, counts, and shapes of strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable


_Record = TypeVar("_Record")


def open_fields(record: type[_Record]) -> type[_Record]:
    """Let a typed dictionary have more fields than it lists; types are never coerced."""
    # What pydantic's own decorator `with_config` does, without importing pydantic.
    setattr(record, "__pydantic_config__", {"extra": "allow", "strict": True})  # noqa: B010  # no such attribute for mypy
    return record


class Count(NamedTuple):
    """A marker for `Annotated[list[…], Count(…)]`: the least number of elements."""

    least: int

    def __get_pydantic_core_schema__(
        self, source: object, handler: Callable[[object], Any]
    ) -> dict[str, Any]:
        """Add the bound to the schema of the annotated list or mapping."""
        return {**handler(source), "min_length": self.least}


class DocumentedCount(NamedTuple):
    """A marker for an exact number of elements that the JSON Schema says and a rule enforces."""

    elements: int

    def __get_pydantic_json_schema__(
        self, core_schema: object, handler: Callable[[object], Any]
    ) -> dict[str, Any]:
        """Add the number to the published JSON Schema."""
        return {**handler(core_schema), "minItems": self.elements, "maxItems": self.elements}


class AtLeast(NamedTuple):
    """A marker for `Annotated[int, AtLeast(…)]`: the smallest number allowed."""

    least: int

    def __get_pydantic_core_schema__(
        self, source: object, handler: Callable[[object], Any]
    ) -> dict[str, Any]:
        """Add the bound to the schema of the annotated number."""
        return {**handler(source), "ge": self.least}


class Shape(NamedTuple):
    """A marker for `Annotated[str, Shape(...)]` that pydantic turns into a pattern constraint.

    Like the other markers it needs no import of pydantic, whose documented hooks the methods are,
    nor of annotated-types, which would cost a learner's run 10 ms. Patterns keep to what Rust's,
    Python's and ECMAScript's regular expressions read alike: explicit classes, no look-around,
    anchored by `^` and `$`.
    """

    rule: str
    pattern: str
    expected: str

    def __get_pydantic_core_schema__(
        self, source: object, handler: Callable[[object], Any]
    ) -> dict[str, Any]:
        """Add the pattern to the schema of the annotated string."""
        return {**handler(source), "pattern": self.pattern}

    def __get_pydantic_json_schema__(
        self, core_schema: object, handler: Callable[[object], Any]
    ) -> dict[str, Any]:
        """Describe the shape in the published JSON Schema."""
        return {**handler(core_schema), "description": self.expected}
