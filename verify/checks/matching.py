"""Matches classified tasks to the course's scenarios by the words that they share."""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = re.compile(r"[a-z0-9]+")
_COMMON = frozenset(  # words that say nothing about a task
    (
        "a", "across", "all", "an", "and", "any", "are", "as", "at", "be", "by", "each", "for",
        "from", "in", "into", "is", "it", "its", "of", "on", "one", "or", "over", "own", "returns",
        "so", "that", "the", "their", "them", "then", "there", "these", "this", "those", "to",
        "where", "whole", "with",
    )
)  # fmt: skip
_LEAST = 1.0  # one telling word that no other scenario has, or as much in shared ones
_MAX_CHARACTERS = 4_000  # of a task: a scenario is a sentence


def assign(tasks: Sequence[str], scenarios: Sequence[str]) -> tuple[int | None, ...]:
    """Return, for each scenario, the index of its task; None where no task is about it.

    The assignment is the one of the greatest total weight, where a shared word weighs the less the
    more scenarios have it: any order of the tasks is found, and shortened or reworded texts too.
    With `n` scenarios all `n!` orders are tried; the course has five.
    """
    words = [_words_of(text) for text in scenarios]
    weight = {word: 1 / sum(word in other for other in words) for text in words for word in text}
    table = [
        [sum(weight[word] for word in sorted(own.intersection(_words_of(task)))) for task in tasks]
        for own in words
    ]
    best = max(
        permutations(range(len(tasks)), len(words)),
        key=lambda order: sum(row[task] for row, task in zip(table, order, strict=True)),
    )
    return tuple(
        task if row[task] >= _LEAST else None for row, task in zip(table, best, strict=True)
    )


def _words_of(task: str) -> frozenset[str]:
    return frozenset(_WORD.findall(task[:_MAX_CHARACTERS].lower())) - _COMMON
