"""A problem is told in one line that a person and an editor can read."""

from __future__ import annotations

from pipeline.protocol.problems import Problem


def test_a_line_names_the_file_and_what_is_known_of_the_place() -> None:
    assert Problem("rule", (), "wrong").line_for("a\n\x1b.json") == "a\\n\\u{1b}.json: wrong"
    assert Problem("rule", ("a",), "wrong").line_for("f") == "f: $.a: wrong"
    assert Problem("rule", (), "wrong", line=3, column=14).line_for("f") == "f:3:14: wrong"
    fixed = Problem("rule", (), "wrong", "a", "b", action="Write a.\x1b")
    assert fixed.line_for("f") == "f: wrong (expected a, found b). To do: Write a.\\u{1b}"
    assert Problem("rule", (), "wrong").line_for("a" * 301) == "a" * 299 + "…: wrong"
