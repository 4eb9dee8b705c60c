"""The name of an issue's branch: `feature/<slug>` of its id and a short title (section 2.4)."""

from __future__ import annotations

import re
import unicodedata

from pipeline.protocol.patterns import BRANCH

_WORDS = 5  # of the title
_LETTERS = 40  # of the title's part of the slug
_WORD = re.compile(r"[a-z0-9]+")
_APOSTROPHE = re.compile(r"['’]")  # noqa: RUF001  # as typographers and phones write it
_SMALL = {"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}
_OF_AN_ISSUE = re.compile(r"feature/([A-Za-z][A-Za-z0-9]*-[0-9]+)(?![A-Za-z0-9])")


def branch_for(issue: str, title: str) -> str:
    """Return the branch of an issue, the same for the same words, always of the schema's shape.

    The title's part is its first five words, 40 characters at most, without a small word at its
    end. Letters lose their accents; what has no ASCII letter then is left out, so that the slug is
    the id alone where nothing of the title remains.
    """
    plain = unicodedata.normalize("NFKD", _APOSTROPHE.sub("", title))
    words = _WORD.findall(plain.encode("ascii", "ignore").decode().lower())[:_WORDS]
    while words and (words[-1] in _SMALL or len("-".join(words)) > _LETTERS > len(words[0])):
        words.pop()
    return "/".join(("feature", "-".join((issue.lower(), *words))))[: _limit(issue)].rstrip("-")


def _limit(issue: str) -> int:
    return len("feature/") + len(issue) + 1 + _LETTERS


def issue_of(branch: str) -> str:
    """Return the id of the issue whose branch this is by its name, empty if it is none's."""
    match = _OF_AN_ISSUE.match(branch)
    return match[1].upper() if match and re.match(BRANCH.pattern, branch) else ""
