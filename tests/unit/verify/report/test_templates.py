"""Tests of the templates' own words and of data in pages."""

from __future__ import annotations

import json

import pytest
from jinja2 import UndefinedError

from verify.report.templates import Templates, json_block, percent, plural, points, shown


def test_every_template_escapes() -> None:
    templates = Templates()
    names = templates._environment.list_templates()  # noqa: SLF001  # what there is

    assert names != []
    assert templates._environment.autoescape is True  # noqa: SLF001  # for each of them


def test_a_value_that_is_missing_is_a_fault_and_no_blank() -> None:
    with pytest.raises(UndefinedError):
        Templates().get("learner.html").render()


def test_data_in_a_page_cannot_end_its_element() -> None:
    value = ["</script><!--", "&amp;", "\u2028", "half \udc80"]
    text = str(json_block(value))

    assert not set(text) & set("<>&\u2028")
    assert json.loads(text) == value


def test_shares_are_rounded_but_never_to_all_or_nothing() -> None:
    given = [None, 0, 0.004, 0.5, 0.999, 1]

    assert [percent(value).replace("\u00a0", " ") for value in given] == [
        *("–", "0 %", "under 1 %", "50 %", "over 99 %", "100 %"),  # noqa: RUF001  # a dash
    ]


def test_figures_are_written_as_people_do() -> None:
    assert (plural(1, "learner"), plural(2000, "learner")) == ("1 learner", "2,000 learners")
    assert (points(12), points(12.0), points(12.5)) == ("12", "12", "12.5")


def test_untrusted_text_is_one_short_line_without_tricks() -> None:
    assert shown("a\nb\u202ec\x00") == "a\\u{a}b\\u{202e}c\\u{0}"
    assert len(shown("x" * 10_000)) == 600
