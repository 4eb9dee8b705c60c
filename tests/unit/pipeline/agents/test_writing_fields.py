"""Front matter is written so that every YAML parser reads the same values from it."""

from __future__ import annotations

import yaml  # type: ignore[import-untyped]  # few calls, not worth stubs
from hypothesis import given
from hypothesis import strategies as st

from pipeline.agents.writing_fields import with_front_matter

PRINTABLE = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")))


def test_texts_are_quoted_and_names_are_not() -> None:
    written = with_front_matter(
        {
            "name": "x-git",
            "description": 'Use when: "a"',
            "readonly": True,
            "tools": ["read", "*"],
            "permission": {"edit": "deny", "bash": {"*": "ask", "git diff*": "allow"}},
        },
        "Body\n",
    )

    assert written == (
        "---\n"
        "name: x-git\n"
        'description: "Use when: \\"a\\""\n'
        "readonly: true\n"
        "tools:\n"
        '  - "read"\n'
        '  - "*"\n'
        "permission:\n"
        '  edit: "deny"\n'
        "  bash:\n"
        '    "*": "ask"\n'
        '    "git diff*": "allow"\n'
        "---\n"
        "\n"
        "Body\n"
    )


@given(PRINTABLE, st.lists(PRINTABLE, min_size=1))
def test_a_yaml_parser_reads_back_what_was_written(text: str, items: list[str]) -> None:
    written = with_front_matter({"description": text, "tools": items}, "x")

    assert yaml.safe_load(written.split("---\n")[1]) == {"description": text, "tools": items}
