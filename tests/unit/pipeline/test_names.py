"""Names are compared after NFC; those that only letter case parts are told of."""

from __future__ import annotations

from pipeline.names import composed, in_one_form, one_of, twins

E_ACUTE, E_COMBINED = "\u00e9", "e\u0301"


def test_a_name_as_macos_writes_it_is_the_same_name() -> None:
    assert composed(f"src/{E_COMBINED}.js") == f"src/{E_ACUTE}.js"
    assert in_one_form([E_COMBINED, E_ACUTE, "a"]) == {E_ACUTE, "a"}


def test_what_was_expected_is_the_name_that_is_nearly_it_or_all_of_them() -> None:
    names = ["src/App.js", "src/b.js"]

    assert one_of(names, "src/c.js") == 'one of "src/App.js", "src/b.js"'
    assert one_of(names, "src/app.js") == '"src/App.js", written so: upper and lower case differ'


def test_names_that_only_letter_case_parts_are_found_with_the_first_of_them() -> None:
    names = ["A.js", "b.js", "a.js", "a.JS", "A.js", E_ACUTE, E_COMBINED, "\u00c9"]

    assert twins(names) == {"a.js": "A.js", "a.JS": "A.js", "\u00c9": E_ACUTE}
