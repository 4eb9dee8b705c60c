"""Finds an artifact that is missing from its place: in another folder, or misspelt."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from pipeline.files import Unreadable
from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.protocol.layout import PLAN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.attempt import Attempt, Source

_MOST = 20  # folders of other issues
_ALIKE = 0.8  # of difflib's ratio: plans.json for plan.json, not git-result.json for it


def found_instead(attempt: Attempt, source: Source) -> str:
    """Return the path at which a missing artifact seems to be, empty where there is none."""
    expected = source.located(attempt.exercise)
    places = _tails(source.path) if source.path else _folders(attempt, source)
    elsewhere = (p for p in places if p != expected and attempt.submission.is_file(p))
    others = (_misspelt(attempt, expected), _under_another_issue(attempt, source, expected))
    return next(chain(elsewhere, *others), "")


def _tails(path: str) -> list[str]:
    """Return the places of a file that was put some folders too high, in the end or the start."""
    parts = path.split("/")
    ends = ["/".join(parts[start:]) for start in range(1, len(parts))]
    return [*ends, *("/".join([*parts[:end], parts[-1]]) for end in range(len(parts) - 2, 0, -1))]


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


def _under_another_issue(attempt: Attempt, source: Source, path: str) -> Iterator[str]:
    """Yield the artifact in another issue's folder whose plan has the criteria of this issue.

    What else is in such a folder is that issue's, and in its place.
    """
    folder = path.rpartition("/")[0]
    above, _, own = folder.rpartition("/")
    criteria = attempt.issue.criteria.keys() if attempt.issue and not source.path else set()
    for other in _others(attempt, above, own)[:_MOST] if criteria else ():
        try:
            plan = parse(attempt.submission.read(f"{above}/{other}/{PLAN}"))
        except (Unreadable, NotStrictJson):
            continue
        mapping = plan.get("acceptance_mapping") if isinstance(plan, dict) else None
        if isinstance(mapping, dict) and criteria <= mapping.keys():
            place = f"{above}/{other}/{source.name}"
            yield from [place] if attempt.submission.is_file(place) else []


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
