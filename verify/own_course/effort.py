"""How much work one artifact may make: steps of its schema and their nesting, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from jsonschema import ValidationError

    Keyword = Callable[[Any, Any, Any, Any], "Iterable[ValidationError] | None"]

MAX_STEPS = 100_000  # a step is one keyword on one value: some 10 microseconds
MAX_NESTING = 100  # of keywords within keywords: far below what Python's own stack takes
_TEXT_OF_A_STEP = 100  # characters of a message that cost as much as a step


class Exhausted(Exception):
    """An artifact that asks for more work than any honest one needs."""


class Effort:
    """Counts the work on one artifact; begun anew for the next."""

    def __init__(self) -> None:
        self._steps = 0
        self._nesting = 0

    def begin(self) -> None:
        """Forget the artifact before."""
        self._steps = self._nesting = 0

    def counted(self, keyword: Keyword) -> Keyword:
        """Return a keyword of JSON Schema that raises `Exhausted` where it is asked too often."""

        def counted(
            validator: Any,
            value: Any,
            instance: Any,
            schema: Any,
        ) -> Iterator[ValidationError]:
            self._spend(1)
            self._nesting += 1
            if self._nesting > MAX_NESTING:
                raise Exhausted(f"at most {MAX_NESTING} levels of its schema")
            try:
                for error in keyword(validator, value, instance, schema) or ():
                    self._spend(len(error.message) // _TEXT_OF_A_STEP)
                    yield error
            finally:
                self._nesting -= 1

        return counted

    def _spend(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise Exhausted(f"at most {MAX_STEPS:,} steps of its schema")
