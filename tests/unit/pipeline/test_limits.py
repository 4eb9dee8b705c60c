"""The limits in force are those of the run, and every reader asks for them when it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.acceptance import strictly_parsed
from pipeline.limits import KNOWN, LIMITS, Limits, enforce, size_of
from pipeline.reading import Unreadable, read_file
from pipeline.strict_json import NotStrictJson, parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def as_ever() -> Iterator[None]:
    yield
    enforce(())


def refused(data: bytes) -> list[tuple[str, str]]:
    with pytest.raises(NotStrictJson) as caught:
        parse(data)
    return [(each.message, each.expected) for each in caught.value.problems]


def test_every_known_limit_is_an_attribute_with_a_type_and_nothing_else_is() -> None:
    assert set(Limits.__annotations__) == set(KNOWN)
    assert {name: getattr(LIMITS, name) for name in KNOWN} == {
        name: limit.value for name, limit in KNOWN.items()
    }


def test_every_limit_as_ever_is_within_its_range() -> None:
    assert [name for name, one in KNOWN.items() if not one.least <= one.value <= one.most] == []


def test_limits_that_are_put_in_force_replace_those_before() -> None:
    enforce((("depth", 8), ("digits", 20)))
    enforce((("depth", 9),))

    assert (LIMITS.depth, LIMITS.digits) == (9, 308)


def test_a_lower_limit_of_each_kind_holds_at_once_and_tells_its_value(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b" " * 1025)
    documents = {
        "depth": b"[" * 9 + b"]" * 9,
        "elements": b"[" + b"0," * 100 + b"0]",
        "digits": b"[" + b"1" * 21 + b"]",
    }
    before = [parse(data) is not None for data in documents.values()]
    enforce((("artifact_bytes", 1024), ("depth", 8), ("digits", 20), ("elements", 100)))

    assert before == [True, True, True]
    assert {name: refused(data) for name, data in documents.items()} == {
        "depth": [("too deeply nested", "at most 8 levels")],
        "elements": [("too many elements", "at most 100")],
        "digits": [("this number is too long", "at most 20 digits")],
    }
    assert [strictly_parsed(data) for data in documents.values()] == [None, None, None]
    with pytest.raises(Unreadable, match=r"^is larger than 1 KiB, the most that is read$"):
        read_file(str(tmp_path / "f"))


def test_no_more_problems_are_noted_than_the_limit() -> None:
    enforce((("problems", 10),))

    assert len(refused(b"[" + b"NaN," * 50 + b"0]")) == 10


def test_a_higher_limit_lets_more_in(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b" " * (1 << 20) + b"1")
    enforce((("artifact_bytes", 2 << 20), ("depth", 128), ("elements", 100_000)))

    assert len(read_file(str(tmp_path / "f"))) == (1 << 20) + 1
    assert parse(b"[" * 128 + b"]" * 128) is not None
    assert len(parse(b"[" + b"0," * 50_000 + b"0]")) == 50_001


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (1, "1 bytes"),
        (1025, "1,025 bytes"),
        (1024, "1 KiB"),
        (1 << 20, "1024 KiB"),
        (64 << 20, "64 MiB"),
        (3 << 19, "1536 KiB"),
    ],
)
def test_a_size_is_told_in_whole_units(count: int, told: str) -> None:
    assert size_of(count) == told
