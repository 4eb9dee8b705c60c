"""Where artifacts live (specification, section 2.1), what issue ids are, how names are compared.

File names are compared in Unicode's form NFC; a different letter case is only suggested.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from pipeline.terminal.display import listed, named

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

PLAN, WORKER_RESULT, GIT_RESULT = "plan.json", "worker-result.json", "git-result.json"
ARTIFACTS = (PLAN, WORKER_RESULT, GIT_RESULT)
TEST_RESULT, REVIEW_RESULT = "test-result.json", "review-result.json"  # of our own
SETTINGS = "pipeline.toml"  # at the root of a repository: options of its runs

_ISSUE_ID = re.compile(r"(?=.{1,64}\Z)[A-Z][A-Z0-9]*-[0-9]+")
_LONGEST = 3 * 255  # characters: of the longest name that a file can have, a Korean one in NFD
_MOST, _LONG, _TRIES = 20, 80, 10  # names, characters, times of a search: it takes long
_ALIKE = 0.8  # of difflib's ratio: src/health.js and src/healt.js, not src/users.js


def is_issue_id(text: str) -> bool:
    """Return whether a text is `<PROJECT>-<NN>` or `ISSUE-<N>`; nothing else reaches a path."""
    return _ISSUE_ID.fullmatch(text) is not None


def is_artifact_path(path: str) -> bool:
    """Return whether a path is in the folder of an issue's artifacts."""
    _, _, inside = f"/{path}".partition("/.pipeline/")
    return bool(inside) and is_issue_id(inside.partition("/")[0])


def artifact_folder(target: str, issue: str) -> str:
    """Return the folder from the submission's root; raises `ValueError` if the id is wrong."""
    if not is_issue_id(issue):
        raise ValueError(f"not an issue id: {issue!r}")
    return in_target(target, f".pipeline/{issue}")


def in_target(target: str, path: str) -> str:
    """Return a path of the target project relative to the submission root."""
    return path if target == "." else f"{target}/{path}"


def from_target(target: str, paths: Iterable[str]) -> list[str]:
    """Return those of some paths that are in the target project, relative to it."""
    prefix = in_target(target, "")
    return [path[len(prefix) :] for path in paths if path.startswith(prefix)]


def composed(path: str) -> str:
    """Return a name or path in the form for comparisons (NFC); macOS writes a different one (NFD).

    A name that no file can have stays as it is: marks are sorted in quadratic time.
    """
    if path.isascii():
        return path
    from unicodedata import normalize  # rarely needed, so not part of every start

    names = path.split("/")
    return "/".join(normalize("NFC", n) if len(n) <= _LONGEST else n for n in names)


def loose(path: str) -> str:
    """Return a name or path without what a typing slip changes: case, unseen letters, blanks."""
    return re.sub("[\u00ad\u200b-\u200f\u2060\ufeff]", "", composed(path)).strip().casefold()


def compared(names: Iterable[str], others: Collection[str]) -> tuple[dict[str, str], set[str]]:
    """Compare names with others.

    Return the names that are not among the others, each with the other that it probably means
    (empty for none), and the others that are neither named nor meant. A name means an other that
    differs in letter case or unseen letters, lacks its first folder, or is spelt almost the same.
    """
    known = {composed(known): known for known in reversed([*others])}  # the first of two alike
    there = {composed(name): name for name in names}
    lonely = {form: name for form, name in known.items() if form not in there}
    folded = {loose(form): name for form, name in lonely.items()}
    meant: dict[str, str] = {}
    tries = _TRIES
    for form, name in there.items():
        if form in known:
            continue
        meant[name] = folded.get(loose(form), "") or lonely.get(form.partition("/")[2], "")
        if not meant[name] and tries:
            tries -= 1
            meant[name] = similar(name, reversed(lonely.values()), _ALIKE)
    return meant, set(lonely.values()).difference(meant.values())


def instead(near: str, names: Collection[str]) -> str:
    """Say what is expected instead of an unknown name: the one near it, or one of all."""
    return named(near) if near else f"one of {listed(names)}"


def similar(word: str, words: Iterable[str], least: float = 0.7) -> str:
    """Return the word that is almost the given one, empty where none of the first few is."""
    from difflib import get_close_matches  # only where something is wrong

    few = [known for known in islice(words, _MOST) if len(known) <= _LONG]
    near = get_close_matches(word, few, n=1, cutoff=least) if len(word) <= _LONG else []
    return near[0] if near else ""
