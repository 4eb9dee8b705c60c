"""Tests of drawing, with the engine itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from verify.report.drawing import Draughtsman, Undrawn
from verify.report.plots import PHONE, bars_of, distribution

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

PLOT = distribution(bars_of({0: 3, 1: 1, 2: 9}, 2), PHONE)


@pytest.fixture(scope="module")
def pen() -> Iterator[Draughtsman]:
    """Return what draws; its engine starts once."""
    with Draughtsman() as started:
        yield started


def parsed(drawn: Markup) -> ET.Element:
    """Return a drawing as a parser of XML reads it."""
    return ET.fromstring(drawn)  # noqa: S314  # of our own making


def test_a_plot_is_an_image_with_a_title_and_a_description(pen: Draughtsman) -> None:
    drawn = parsed(pen.draw(PLOT, "one", "Scores <b>", "Most have 2 & more."))

    assert (drawn.get("role"), drawn.get("aria-labelledby")) == ("img", "one-title one-desc")
    assert [child.text for child in drawn][:2] == ["Scores <b>", "Most have 2 & more."]


def test_every_bar_is_drawn_with_its_figure(pen: Draughtsman) -> None:
    drawn = parsed(pen.draw(PLOT, "one", "t", "d"))
    texts = [element.text for element in drawn.iter("text")]

    assert texts == ["0", "1", "2", "3", "1", "9"]
    assert len([path for path in drawn.iter("path") if path.get("fill") == "var(--bar)"]) == 3


def test_nothing_is_drawn_that_the_pages_policy_forbids(pen: Draughtsman) -> None:
    drawn = str(pen.draw(PLOT, "one", "t", "d"))

    assert set(re.findall(r"<(\w+)", drawn)) <= {
        *("svg", "title", "desc", "g", "path", "line", "text"),
    }
    assert not re.search(r"style=|href|url\(|<script|\bon\w+=", drawn)


def test_it_is_drawn_alike_every_time(pen: Draughtsman) -> None:
    with Draughtsman() as other:
        assert pen.draw(PLOT, "one", "t", "d") == other.draw(PLOT, "one", "t", "d")


def test_texts_of_a_course_stay_texts(pen: Draughtsman) -> None:
    plot = {**PLOT, "data": [{"name": "table", "values": [{"score": "<i>&", "count": 1}]}]}
    plot["axes"] = [{"orient": "bottom", "scale": "x"}]
    drawn = parsed(pen.draw(plot, "one", "t", "d"))

    assert "<i>&" in [element.text for element in drawn.iter("text")]


def test_an_engine_that_is_killed_is_told_of() -> None:
    with Draughtsman() as other:
        other.draw(PLOT, "one", "t", "d")
        (process,) = other._pool._processes.values()  # noqa: SLF001  # to kill it
        process.kill()

        with pytest.raises(Undrawn, match="was killed"):
            other.draw(PLOT, "one", "t", "d")
