"""The report's plots: what Vega is told to draw. Colours are the style sheet's variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verify.report.tally import CheckFigures

WIDE, PHONE = 720, 340  # widths in CSS pixels: text keeps its size on both
BARS = 25  # more possible scores than this share bars

_SCHEMA = "https://vega.github.io/schema/vega/v5.json"
_FONT = "system-ui, sans-serif"
_LETTER = 7  # pixels of a letter of an axis
_ROW = 22  # pixels of one check's bar
_ROOM = 0.12  # the share that a part must have for its figure to stand in it
_PARTS = ("pass", "skip", "fail", "error")


class Bar(NamedTuple):
    """One bar of the distribution: scores from `low` to `high`, both included."""

    low: float
    high: float
    label: str
    learners: int


def bars_of(scores: Mapping[float, int], points: int) -> list[Bar]:
    """Return the distribution of scores out of `points`: a bar a point, or wider ones.

    A score set by hand may lie between two points, below 0 or above all points: it goes to the
    nearest bar below it, or to the outermost.
    """
    step = max(1, -(-(points + 1) // BARS))
    lows = range(0, points + 1, step)
    counts = [0] * len(lows)
    for score, count in scores.items():
        counts[min(max(0, int(score // step)), len(counts) - 1)] += count
    return [
        Bar(low, high := min(low + step - 1, points), _range(low, high), count)
        for low, count in zip(lows, counts, strict=True)
    ]


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"  # noqa: RUF001  # a range has an en dash


def distribution(bars: Sequence[Bar], width: int) -> dict[str, Any]:
    """Return the plot of how many learners have which score."""
    top = max((bar.learners for bar in bars), default=0) or 1
    values = [{"score": bar.label, "count": bar.learners} for bar in bars]
    letters = max((len(bar.label) for bar in bars), default=1) + 1
    every = max(1, -(-len(bars) * letters * _LETTER // width))
    shown = [bar.label for bar in bars[::every]]
    axis = {"orient": "bottom", "scale": "x", "values": shown, **_axis(width)}
    scales = [
        _band("x", "score", "width", 0.12),
        {"name": "y", "type": "linear", "domain": [0, top], "range": "height"},
    ]
    size = {"left": 6, "right": 6, "top": 20, "bottom": 24}
    return _plot(values, scales, [axis], _counted(width), (width, 190), size)


def _counted(width: int) -> list[dict[str, Any]]:
    """Return the bars of a distribution, each with its count above it."""
    figure = "!datum.count ? '' : format(datum.count, datum.count < 1000 ? 'd' : '.2~s')"
    middle = {"scale": "x", "field": "score", "band": 0.5}
    return [
        _mark(
            "rect",
            {
                "x": {"scale": "x", "field": "score"},
                "width": {"scale": "x", "band": 1},
                "y": {"scale": "y", "field": "count"},
                "y2": {"scale": "y", "value": 0},
                "fill": {"value": "var(--bar)"},
            },
        ),
        _mark(
            "text",
            {
                "text": {"signal": figure},
                "x": middle,
                "y": {"scale": "y", "field": "count", "offset": -5},
                "align": {"value": "center"},
                **_type(11 if width == WIDE else 9, "var(--ink-soft)"),
            },
        ),
    ]


def per_check(figures: Sequence[CheckFigures], width: int) -> dict[str, Any]:
    """Return the plot of what became of each check: shares of passed, skipped, failed, errors."""
    values = [part for each in figures for part in _parts(each)]
    left = 64
    marks = [
        _mark(
            "rect",
            {
                "y": {"scale": "y", "field": "code"},
                "height": {"scale": "y", "band": 1},
                "x": {"scale": "x", "field": "from"},
                "x2": {"scale": "x", "field": "to"},
                "fill": {"signal": "'var(--bar-' + datum.part + ')'"},
            },
        ),
        _mark(
            "text",
            {
                "text": {"field": "label"},
                "x": {"scale": "x", "field": "from", "offset": 6},
                "y": {"scale": "y", "field": "code", "band": 0.5},
                "baseline": {"value": "middle"},
                **_type(11, "var(--on-bar)"),
                "fill": {"signal": "'var(--on-bar-' + datum.part + ')'"},
            },
        ),
    ]
    scales = [
        _band("y", "code", "height", 0.22),
        {"name": "x", "type": "linear", "domain": [0, 1], "range": "width"},
    ]
    axis = {"orient": "left", "scale": "y", **_axis(width)}
    size = {"left": left, "right": 4, "top": 2, "bottom": 2}
    return _plot(values, scales, [axis], marks, (width, _ROW * len(figures) + 4), size)


def _parts(figures: CheckFigures) -> Iterator[dict[str, Any]]:
    counts = figures.passed, figures.skipped, figures.failed, figures.errors
    total = sum(counts) or 1
    done = 0
    for part, count in zip(_PARTS, counts, strict=True):
        if count or part == _PARTS[0]:  # a check that nobody was graded on has its line too
            # a narrow part has no room for its figure; the table has all of them
            label = f"{100 * count / total:.0f} %" if count / total >= _ROOM else ""
            place = {"from": done / total, "to": (done + count) / total}
            yield {"code": figures.check.code, "part": part, "label": label, **place}
        done += count


def _plot(
    values: list[dict[str, Any]],
    scales: list[dict[str, Any]],
    axes: list[dict[str, Any]],
    marks: list[dict[str, Any]],
    size: tuple[int, int],
    padding: dict[str, int],
) -> dict[str, Any]:
    width, height = size
    return {
        "$schema": _SCHEMA,
        # with a size of its own nothing depends on the fonts of the machine that draws
        "autosize": "none",
        "width": width - padding["left"] - padding["right"],
        "height": height - padding["top"] - padding["bottom"],
        "padding": padding,
        "data": [{"name": "table", "values": values}],
        "scales": scales,
        "axes": axes,
        "marks": marks,
    }


def _mark(kind: str, encoding: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "from": {"data": "table"}, "encode": {"enter": encoding}}


def _band(name: str, field: str, extent: str, padding: float) -> dict[str, Any]:
    domain = {"data": "table", "field": field}
    return {
        "name": name,
        "type": "band",
        "domain": domain,
        "range": extent,
        "paddingInner": padding,
    }


def _axis(width: int) -> dict[str, Any]:
    return {
        "domainColor": "var(--rule)",
        "ticks": False,
        "labelPadding": 8,
        "labelFont": _FONT,
        "labelFontSize": 12 if width == WIDE else 11,
        "labelColor": "var(--ink)",
    }


def _type(size: int, colour: str) -> dict[str, Any]:
    return {
        "font": {"value": _FONT},
        "fontSize": {"value": size},
        "fill": {"value": colour},
    }
