"""Draws a plot with Vega and keeps of its SVG what a page under a strict policy may hold."""

from __future__ import annotations

import re
import signal
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET  # it reads what Vega has just written

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

_START = "fork" if sys.platform == "linux" else "spawn"
_SPACE = "{http://www.w3.org/2000/svg}"
_ELEMENTS = ("g", "path", "rect", "line", "text", "tspan")
_ATTRIBUTES = frozenset(
    (
        *("transform", "d", "x", "y", "x2", "y2", "width", "height", "fill", "stroke"),
        *("stroke-width", "text-anchor", "font-size", "dy", "dx"),
    )
)
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_NOTHING = {"$schema": "https://vega.github.io/schema/vega/v5.json", "width": 1, "height": 1}


class Undrawn(Exception):
    """The process that draws was lost."""


class Draughtsman:
    """Draws in a process of its own: Vega takes half a second to start, while pages are written."""

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(
            1, mp_context=get_context(_START), initializer=_leave_interrupts
        )
        self._pool.submit(converted, _NOTHING)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def draw(self, plot: dict[str, Any], name: str, title: str, told: str) -> Markup:
        """Return a plot as an SVG element: an image with a title and a description.

        Args:
            plot: a Vega specification.
            name: starts the ids of the element, unique on its page.
            title: what the plot is.
            told: what it shows, in a sentence.

        Raises:
            Undrawn: the process that draws was killed.
        """
        try:
            drawn = self._pool.submit(converted, plot).result()
        except BrokenProcessPool:
            raise Undrawn("the process that draws the plots was killed") from None
        return _image(drawn, name, title, told)


def converted(plot: dict[str, Any]) -> str:
    """Return the SVG document of a Vega specification."""
    import vl_convert

    drawn: str = vl_convert.vega_to_svg(plot)
    return drawn


def _leave_interrupts() -> None:
    """Leave Ctrl-C to the process that writes the pages."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _image(drawn: str, name: str, title: str, told: str) -> Markup:
    root = ET.fromstring(drawn)  # noqa: S314  # of our own making
    size = f"0 0 {root.get('width')} {root.get('height')}"
    head = (
        Markup(
            '<svg class="plot" viewBox="{0}" width="{1}" height="{2}" role="img"'
            ' aria-labelledby="{3}-title {3}-desc"><title id="{3}-title">{4}</title>'
            '<desc id="{3}-desc">{5}</desc>'
        )
    ).format(size, root.get("width"), root.get("height"), name, title, told)
    return head + Markup("").join(_kept(child) for child in root) + Markup("</svg>")


def _kept(element: ET.Element) -> Markup:
    """Return an element without roles, names and what is not seen: the image has one name."""
    tag = element.tag.removeprefix(_SPACE)
    if not _is_seen(element, tag):
        return Markup("")
    inner = escape(element.text or "") + Markup("").join(_kept(child) for child in element)
    attributes = Markup("").join(_attributes(element))
    if tag == "g" and not attributes:
        return inner
    if not inner and tag in {"g", "text"}:
        return Markup("")
    return Markup("<{0}{1}>{2}</{0}>").format(tag, attributes, inner)


def _is_seen(element: ET.Element, tag: str) -> bool:
    if tag == "path" and element.get("class") in {"background", "foreground"}:
        return False
    return tag in _ELEMENTS and element.get("display") != "none"


def _attributes(element: ET.Element) -> Iterator[Markup]:
    for name, value in element.items():
        if name in _ATTRIBUTES:
            yield Markup(' {}="{}"').format(name, _NUMBER.sub(_rounded, value))


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
