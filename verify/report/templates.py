"""The templates of the report: everything put into them is escaped, what is missing is a fault."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pipeline.terminal.display import visible
from verify.report.outcomes import SIGNS

if TYPE_CHECKING:
    from jinja2 import Template

    from verify.report.outcomes import Sign

_HERE = os.path.dirname(os.path.abspath(__file__))
_TEXT = 600  # characters of an untrusted text that a page shows
_BADGES = {
    sign.letter: Markup(
        '<span class="badge {0}"><span aria-hidden="true">{1}</span> {0}</span>'
    ).format(sign.word, sign.symbol)
    for sign in SIGNS.values()
}
_UNSAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


class Templates:
    """Templates by name."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(os.path.join(_HERE, "templates")),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._environment.filters.update(
            badge=badge, shown=shown, number=number, percent=percent, plural=plural, points=points
        )

    def get(self, name: str) -> Template:
        """Return a template."""
        return self._environment.get_template(name)

    def head(self, root: str, script: str, *styles: str) -> Markup:
        """Return the beginning of a page: its way up, its script, and styles of its own.

        Made once for many pages: a template that extends another costs them twice the time.
        """
        text = self.get("head.html").render(
            root=root, script=script, styles=("colours", "page", *styles, "media")
        )
        return Markup(text)  # noqa: S704  # a template has escaped it


def asset(name: str) -> bytes:
    """Return an asset's bytes."""
    with open(os.path.join(_HERE, "assets", name), "rb") as file:
        return file.read()


def badge(sign: Sign) -> Markup:
    """Return an outcome as a reader sees it: colour, symbol and word."""
    return _BADGES[sign.letter]


def shown(text: str) -> str:
    """Return an untrusted text on one line, without what could reorder or hide it."""
    return visible(text, _TEXT)


def number(value: float) -> str:
    """Return `1,234`."""
    return f"{value:,}"


def points(value: float) -> str:
    """Return a score: `12`, or `12.5` where one was set by hand."""
    return f"{value:.10g}"


def percent(value: float | None) -> str:
    """Return `97 %`, never parted; what is not quite all or nothing is not shown as such."""
    if value is None:
        return "–"  # noqa: RUF001  # a dash stands for no figure
    if 0 < value < 0.01:  # noqa: PLR2004  # a share under one in a hundred
        return "under 1\u00a0%"
    if 0.99 < value < 1:  # noqa: PLR2004  # a share over ninety-nine in a hundred
        return "over 99\u00a0%"
    return f"{100 * value:.0f}\u00a0%"


def plural(count: int, noun: str) -> str:
    """Return `1 learner` or `2,000 learners`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def json_block(value: Any) -> Markup:
    """Return JSON for a script element that is data: nothing in it can end the element."""
    text = json.dumps(value, separators=(",", ":")).translate(_UNSAFE)
    return Markup(text)  # noqa: S704  # the three characters that HTML knows are escaped
