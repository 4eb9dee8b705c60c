"""Small faults are made in any source, also in one that is odd or hostile."""

from __future__ import annotations

import time

import pytest

from verify.running.faults import faults

SOURCE = """\
import { zero } from './zero.mjs';
// sum (of two
export function sum(a, b) {
  if (a === zero && (b > 1_0)) {
    log(`${a + b}`);
    return sum(b);
  }
  return 'even';
}
"""


def shown(source: str) -> list[str]:
    return [fault.shown(source) for fault in faults(source)]


def test_each_kind_of_fault_is_made_once_in_one_place() -> None:
    condition = "if (a === zero && (b > 1_0)) {"

    assert shown(SOURCE) == [
        f"{condition} :: === -> !==",
        f"{condition} :: && -> ||",
        f"{condition} :: > -> >=",
        "log(`${a + b}`); :: + -> -",
        f"{condition} :: 1_0 -> 11",
        f"{condition} :: a === zero && (b > 1_0) -> !(a === zero && (b > 1_0))",
        "log(`${a + b}`); :: log(`${a + b}`); -> nothing",
        "return sum(b); :: return sum(b); -> return;",
        "return 'even'; :: return 'even'; -> return;",
        "return 'even'; :: 'even' -> 'evenx'",
    ]


@pytest.mark.parametrize(
    ("source", "made"),
    [
        ("  if (/\\(/.test(a)) {\n", []),  # the bracket of a regular expression closes nowhere
        ("  if (a", []),
        (f"x = {'9' * 5_000}", []),
        ("x = 1", ["x = 1 :: 1 -> 2"]),  # the last line has no end
    ],
)
def test_what_is_odd_in_a_source_makes_no_fault(source: str, made: list[str]) -> None:
    assert shown(source) == made


def test_conditions_in_one_another_take_linear_time_and_memory() -> None:
    began = time.process_time()
    found = list(faults("if (" * 100_000 + ")" * 100_000 + "if (" * 100_000))

    assert sum(len(fault.text) for fault in found) < 1_000_000
    assert time.process_time() - began < 5
