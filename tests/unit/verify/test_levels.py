"""The levels stand in an order, and the lowest one of several artifacts is the submission's."""

from __future__ import annotations

from verify.levels import Level, Provenance, Traced


def test_each_level_has_a_code_and_words() -> None:
    assert [(level.code, level.words) for level in Level] == [
        ("L0", "declared"),
        ("L1", "consistent with git"),
        ("L2", "corroborated by client records"),
        ("L3", "witnessed and signed"),
    ]


def test_the_lowest_level_of_its_artifacts_is_the_submission_s() -> None:
    traced = [Traced("a", "a", Level(number)) for number in (3, 1, 2)]

    assert Provenance(tuple(traced)).level is Level.CONSISTENT
