"""An ask begins with a verb that somebody is told to do, not with one that users may do."""

from __future__ import annotations

import pytest

from pipeline.classifying.reading import read


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Rename Foo to Bar", ["rename foo to bar"]),
        ("Fix the typo and add tests", ["fix the typo and", "add tests"]),
        ("Let users rename and delete their lists", ["let users rename and delete their lists"]),
        ("Users want to rename their lists", []),
        ("We need to rename Foo", ["rename foo"]),
        ("We need an audit log", ["we need an audit log"]),
        ("You should remove it", ["remove it"]),
        ("The button should return there", []),
        ("Plugin system for the exporter", []),
        ("Out of scope: add roles. Add tags", ["add tags"]),
        ("Change data capture into the lake", []),
    ],
)
def test_asks_are_found(text: str, asks: list[str]) -> None:
    reading = read(text, "task")

    assert [" ".join(w.text for w in reading.words[a.first : a.end]) for a in reading.asks] == asks


def test_an_ask_knows_every_group_of_its_verb() -> None:
    assert read("Bump lodash", "task").asks[0].kinds == ("obvious edit", "mending")
