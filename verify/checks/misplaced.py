"""Where an artifact stands that is missing from its place: in another folder, or misspelt."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from pipeline.reading import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.attempt import Attempt, Source

_ALIKE = 0.8  # of difflib's ratio: plans.json for plan.json, not git-result.json for it


def found_instead(attempt: Attempt, source: Source) -> str:
    """Return the path at which a missing artifact seems to stand, empty where none does."""
    expected = source.located(attempt.exercise)
    places = _tails(source.path) if source.path else _folders(attempt, source)
    elsewhere = (p for p in places if p != expected and attempt.submission.is_file(p))
    return next(chain(elsewhere, _misspelt(attempt, expected)), "")


def _tails(path: str) -> list[str]:
    """Return the ends of a path, longest first: a file put one or more folders too high."""
    parts = path.split("/")
    return ["/".join(parts[start:]) for start in range(1, len(parts))]


def _folders(attempt: Attempt, source: Source) -> list[str]:
    issue = source.issue_in(attempt.exercise)
    if not issue:
        return []
    own = (f".pipeline/{issue}", f".pipeline/{issue.lower()}", f"pipeline/{issue}", issue)
    folders = (*own, ".pipeline", "")
    return [
        "/".join(part for part in (target, folder, source.name) if part)
        for target in ("", "sandbox")
        for folder in folders
    ]


def _misspelt(attempt: Attempt, path: str) -> Iterator[str]:
    """Yield files whose name is almost the right one, or whose folder's is written otherwise.

    A folder that is almost the right one is another issue's: its artifacts are in their place.
    """
    folder, _, name = path.rpartition("/")
    above, _, last = folder.rpartition("/")
    places = [f"{folder}/{near}" for near in _near(name, _others(attempt, folder, name))]
    others = _others(attempt, above, last)
    places += [f"{above}/{each}/{name}" for each in others if _bare(each) == _bare(last)]
    yield from (place for place in places if attempt.submission.is_file(place))


def _others(attempt: Attempt, folder: str, name: str) -> list[str]:
    """Return the names in a folder apart from one, none where it cannot be listed."""
    try:
        return [each for each in attempt.submission.names(folder) if each != name]
    except Unreadable:
        return []


def _near(name: str, names: list[str]) -> list[str]:
    """Return the names that are almost the given one, the likeliest first."""
    same = [each for each in names if _bare(each) == _bare(name)]
    suffixed = [each for each in names if each.casefold().startswith(f"{name.casefold()}.")]
    import difflib  # only where something is missing

    alike = difflib.get_close_matches(name, names, n=3, cutoff=_ALIKE)
    return list(dict.fromkeys([*same, *suffixed, *alike]))


def _bare(name: str) -> str:
    return name.casefold().replace("_", "-").replace(" ", "-")
