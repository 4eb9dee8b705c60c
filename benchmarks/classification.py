"""How often the classifier gives the tier that a task was labelled with, and where it does not.

usage: python benchmarks/classification.py [--only SET] [--misses]

Prints, for each set of labelled tasks, the accuracy per tier beside two baselines in the same run,
the confusion matrix and the time, and with --misses every task that got another tier. The lexicon
was made with the tuning set and the reports in view; the held-out sets were written apart. The
reports are titles with texts; whoever labelled them had not seen the rules.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from pipeline.classify.rules import classify
from pipeline.tiers import ROUTING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SETS = ("tuning", "held-out", "reports", "held-out-reports")
TIERS = tuple(ROUTING)
ONE_FILE, SOME_FILES = 1, 4  # bounds of the bare count: one file is trivial, over four is complex


class Labelled(NamedTuple):
    """One task, the tier that it was labelled with by hand, and the reason.

    `security` says that its work changes what protects the system or its users.
    """

    task: str
    tier: str
    why: str
    security: bool = False


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The classifier against labelled tasks.")
    parser.add_argument("--only", choices=SETS, help="one of the sets")
    parser.add_argument(
        "--misses", action="store_true", help="show each task that got another tier"
    )
    options = parser.parse_args()
    for name in (options.only,) if options.only else SETS:
        tasks = labelled(name)
        print(f"\n{name}: {len(tasks)} tasks\n")
        show_accuracy(tasks)
        start = time.perf_counter()
        given = [classify(task.task).record["tier"] for task in tasks]
        spent = (time.perf_counter() - start) * 1000 / len(tasks)
        show_confusion(tasks, given)
        print(f"\n{spent:.2f} ms a task")
        if options.misses:
            show_misses(tasks, given)


def labelled(name: str) -> list[Labelled]:
    """Return the tasks of a set."""
    path = os.path.join(ROOT, "benchmarks", "classification", f"{name}.json")
    with open(path, encoding="utf-8") as file:
        return [Labelled(**task) for task in json.load(file)]


def by_file_count(task: str) -> str:
    """Return the tier that the estimated number of files alone would give."""
    count = classify(task).record["file_count"]
    return "trivial" if count <= ONE_FILE else "standard" if count <= SOME_FILES else "complex"


METHODS: dict[str, Callable[[str], str]] = {
    "classifier": lambda task: classify(task).record["tier"],
    "file count alone": by_file_count,
    "always standard": lambda _: "standard",
}


def show_accuracy(tasks: list[Labelled]) -> None:
    """Print one row for each method: the share of right tiers in per cent."""
    print(f"{'':<18}{'all':>8}" + "".join(f"{tier:>10}" for tier in TIERS))
    total = Counter(task.tier for task in tasks)
    for name, method in METHODS.items():
        right = Counter(task.tier for task in tasks if method(task.task) == task.tier)
        shares = "".join(f"{100 * right[tier] / max(total[tier], 1):>10.0f}" for tier in TIERS)
        print(f"{name:<18}{100 * sum(right.values()) / len(tasks):>8.1f}{shares}")


def show_confusion(tasks: list[Labelled], given: Sequence[str]) -> None:
    """Print how often each labelled tier (rows) was given each tier (columns)."""
    pairs = Counter((task.tier, tier) for task, tier in zip(tasks, given, strict=True))
    print(f"\n{'label, classified':<18}" + "".join(f"{tier:>10}" for tier in TIERS))
    for label in TIERS:
        print(f"{label:<18}" + "".join(f"{pairs[label, tier]:>10}" for tier in TIERS))


def show_misses(tasks: list[Labelled], given: Sequence[str]) -> None:
    """Print each task that got another tier than its label, with the label's reason."""
    print()
    for task, tier in zip(tasks, given, strict=True):
        if tier != task.tier:
            print(f"{task.tier} -> {tier}: {task.task.splitlines()[0]}\n    label: {task.why}")


if __name__ == "__main__":
    main()
