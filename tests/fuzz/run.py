"""Fuzzes what reads other people's bytes, until a number of runs or a defect.

usage: python tests/fuzz/run.py TARGET|all [--runs N] [--seed S] [--atheris [--corpus FOLDER]]

Without --atheris sound inputs are mutated from a seed: the same seed makes the same runs. With it,
atheris (pip install -e '.[fuzz]') is led by what the code does with them. A defect ends the run
with exit code 1: its bytes are in the file that is named.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[0] = ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

_WHOLE = 0.7  # of the inputs are changed within, and whole around it
SLOW = 2.0  # seconds of the processor for one input: a defect too


def main(arguments: list[str] | None = None) -> int:
    """Fuzz and return the exit code."""
    parser = argparse.ArgumentParser(description="Fuzz what reads other people's bytes.")
    parser.add_argument("target")
    parser.add_argument("--runs", type=int, default=100_000, help="inputs of each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--atheris", action="store_true", help="led by coverage")
    parser.add_argument("--corpus", default="", help="where atheris keeps what it has found")
    options = parser.parse_args(arguments)
    if options.atheris:
        return _led(options.target, options.runs, options.corpus)
    return _from_a_seed(options.target, options.runs, options.seed)


def _from_a_seed(name: str, runs: int, seed: int) -> int:
    targets = _targets()
    for target in targets if name == "all" else [name]:
        if _fuzzed(target, targets[target], runs, seed):
            return 1
    return 0


def _targets() -> dict[str, Callable[[bytes], str]]:
    from tests.stubs.hostile import targets, witnessed

    return {**targets.TARGETS, **witnessed.TARGETS}


def _sound(name: str) -> tuple[bytes, ...]:
    from tests.stubs.hostile import seeds, witnessed

    return witnessed.seeds()[name] if name in witnessed.TARGETS else seeds.seeds(name)


def _fuzzed(name: str, target: Callable[[bytes], str], runs: int, seed: int) -> int:
    from tests.stubs.hostile.seeds import mutated, structured

    chance, begun, came, slowest = random.Random(seed), time.process_time(), Counter[str](), 0.0  # noqa: S311  # a seed is the point
    sound = _sound(name)
    for number in range(runs):
        first = sound[number % len(sound)]
        data = (
            structured(name, first, chance) if chance.random() < _WHOLE else mutated(first, chance)
        )
        before = time.process_time()
        try:
            came[target(data)] += 1
        except Exception:
            print(f"{name}: run {number} with --seed {seed}: {_kept(name, data)}", file=sys.stderr)
            raise
        took = time.process_time() - before
        slowest = max(slowest, took)
        if took > SLOW:
            print(f"{name}: run {number} took {took:.1f} s: {_kept(name, data)}", file=sys.stderr)
            return 1
    seconds = time.process_time() - begun
    told = ", ".join(f"{count:,} {word}" for word, count in sorted(came.items()))
    print(f"{name}: {runs:,} runs in {seconds:.0f} s, slowest {slowest * 1000:.0f} ms: {told}")
    return 0


def _kept(name: str, data: bytes) -> str:
    path = os.path.abspath(f"fuzz-{name}.bin")
    with open(path, "wb") as file:
        file.write(data)
    return path


def _led(name: str, runs: int, corpus: str) -> int:
    import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]  # an extra

    with atheris.instrument_imports(include=["pipeline", "verify"]):
        target = _targets()[name]
    folder = corpus or os.path.join(os.path.abspath(os.curdir), f"fuzz-corpus-{name}")
    os.makedirs(folder, exist_ok=True)
    for number, data in enumerate(_sound(name)):
        with open(os.path.join(folder, f"seed-{number}"), "wb") as file:
            file.write(data)

    def one(data: bytes) -> None:
        target(data)

    atheris.Setup([sys.argv[0], f"-runs={runs}", "-timeout=10", "-rss_limit_mb=600", folder], one)
    atheris.Fuzz()  # ends the process
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
