"""Tests of the templates' own words and of data in pages."""

from __future__ import annotations

import json

import pytest
from jinja2 import UndefinedError

from verify.report.templates import Templates, json_block, percent, plural, points


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
