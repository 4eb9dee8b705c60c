"""Shows what grading again changes: learner by learner and in sum, for people and for programs."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.terminal.display import inert, inert_json, listed, visible
from verify.batch.impact import DOWN, LEVEL, UP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from verify.batch.impact import Change, Flip, Kept, Side
    from verify.batch.regrading import Regrading
    from verify.gradebook.overrides import Overridden

_MOST = 4  # checks that are named of one result
_WAYS = {UP: "up", DOWN: "down", LEVEL: "with the same score"}


class View(NamedTuple):
    """A regrading, the overrides that hold, and the run that wrote it: 0 for a preview."""

    regrading: Regrading
    overrides: Sequence[Overridden]
    run: int


def as_table(view: View) -> str:
    """Return the text for people: a row a change, then what it comes to."""
    regrading = view.regrading
    changes = sorted(regrading.changes)
    lines = [*_table(changes), _sum(changes, regrading.compared)]
    lines += _causes(change for change in changes if not change.files)
    lines += _files([change for change in changes if change.files])
    lines += _stays("Not graded again, stay as they were", regrading.kept)
    lines += _stays("In error, stay as they were", regrading.failed)
    lines += _by_hand(view.overrides)
    lines.append(_end(view))
    return "".join(f"{inert(line)}\n" for line in lines)


def _table(changes: Sequence[Change]) -> list[str]:
    if not changes:
        return []
    from tabulate import tabulate

    rows = [
        (
            visible(" ".join(filter(None, (change.learner, change.attempt)))),
            change.exercise,
            f"{_score(change.before)} -> {_score(change.after)}",
            _flips(change.flips),
            f"files: {listed(change.files, 2)}" if change.files else "",
        )
        for change in changes
    ]
    headers = ("learner", "exercise", "score", "checks", "changed since")
    text = tabulate(rows, headers=headers, tablefmt="simple", disable_numparse=True)
    return [*(line.rstrip() for line in text.splitlines()), ""]


def _score(side: Side) -> str:
    return side.outcome if side.score is None else str(side.score)


def _flips(flips: Sequence[Flip]) -> str:
    """Return what differs in one result; checks that only wait for others are counted."""
    causes = _causing(flips)
    more = len(flips) - len(causes)
    told = ", ".join(f"{flip.code} {_flip(flip)}" for flip in causes[:_MOST])
    more += len(causes[_MOST:])
    return f"{told} and {more} more" if more else told


def _causing(flips: Sequence[Flip]) -> Sequence[Flip]:
    """Return the checks that differ by themselves: not those that begin or cease to wait."""
    return [flip for flip in flips if "skip" not in (flip.before, flip.after)] or flips


def _flip(flip: Flip) -> str:
    before, after = flip.before or "new", flip.after or "no more"
    if before == after:
        return f"worth {flip.points[0]} -> {flip.points[1]}"
    return f"{before} -> {after}"


def _sum(changes: Sequence[Change], compared: int) -> str:
    if not changes:
        return f"0 of {compared:,} change"
    return f"{len(changes):,} of {compared:,} change: {_ways(changes)}"


def _ways(changes: Sequence[Change]) -> str:
    counts = Counter(change.way for change in changes)
    return ", ".join(f"{counts[way]:,} {word}" for way, word in _WAYS.items() if counts[way])


def _causes(changes: Iterable[Change]) -> Iterator[str]:
    """Yield a line for each check that differs where the files are the same."""
    counts = Counter(
        (flip.code, _flip(flip)) for change in changes for flip in _causing(change.flips)
    )
    for (code, what), number in counts.most_common():
        yield f"  {code} {what}: {number:,}"


def _files(changes: Sequence[Change]) -> list[str]:
    if not changes:
        return []
    return [f"  other files than when they were graded: {len(changes):,} ({_ways(changes)})"]


def _stays(what: str, kept: Sequence[Kept]) -> Iterator[str]:
    if kept:
        yield f"{what}: {len(kept):,}"
    for learner, attempt, exercise, reason in sorted(kept):
        yield f"  {visible(f'{learner} {attempt}'.strip())} {exercise}: {visible(reason, 300)}"


def _by_hand(overrides: Sequence[Overridden]) -> Iterator[str]:
    if overrides:
        yield f"Set by hand, stay so: {len(overrides):,}"
    for learner, exercise, override, *_ in overrides:
        by = f"{visible(override.by)}, {visible(override.reason, 200)}"
        yield f"  {visible(learner)} {exercise}: {override.score:g} ({by})"


def _end(view: View) -> str:
    if view.run:
        return f"Written as run {view.run}; the earlier results are kept behind the new ones."
    if view.regrading.changes:
        return "Nothing was written: add --apply to write it."
    return "Nothing was written."


def as_json(view: View) -> str:
    """Return the JSON document for programs."""
    regrading = view.regrading
    counts = Counter(change.way for change in regrading.changes)
    document: dict[str, Any] = {
        "version": 1,
        "run": view.run or None,
        "compared": regrading.compared,
        "changed": len(regrading.changes),
        **{way: counts[way] for way in _WAYS},
        "changes": [_change(change) for change in sorted(regrading.changes)],
        "kept": [kept._asdict() for kept in sorted(regrading.kept)],
        "failed": [kept._asdict() for kept in sorted(regrading.failed)],
        "overrides": [
            {"learner": each.learner, "exercise": each.exercise, **each.override._asdict()}
            for each in view.overrides
        ],
    }
    return inert_json(json.dumps(document, indent=2)) + "\n"


def _change(change: Change) -> dict[str, Any]:
    return {
        "learner": change.learner,
        "attempt": change.attempt,
        "exercise": change.exercise,
        "before": change.before._asdict(),
        "after": change.after._asdict(),
        "checks": [
            {
                "code": flip.code,
                "before": flip.before or None,
                "after": flip.after or None,
                "points": list(flip.points),
            }
            for flip in change.flips
        ],
        "files": list(change.files),
    }
