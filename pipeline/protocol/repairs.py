"""Texts of artifacts that are nearly right: what is wrong with each, and what to write instead."""

from __future__ import annotations

import re
from posixpath import normpath
from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.display import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

BLANK = "this text is blank"
_SLUG = 50  # characters of a branch that is proposed
_LONGEST = 300  # characters of a text that is repaired; longer ones get the general advice
_CONTROLS = {"\\": "/", "\t": "/t", "\b": "/b", "\f": "/f", "\n": "/n", "\r": "/r", "\v": "/v"}
_WORDS = re.compile(r"[A-Za-z0-9]+")
_TYPE = re.compile(r"([A-Za-z]+(?:\([^()\r\n]+\))?!?) ?:[ \t]*([^\r\n]*)")
NOTHING = frozenset({"", "-", "n/a", "na", "nil", "no", "none", "null", "tbd", "todo", "undefined"})


class Repair(NamedTuple):
    """What is wrong with a text, and what to do about it."""

    message: str
    action: str


def repair_of(rule: str, text: str) -> Repair:
    """Return what is wrong with a text that does not have the form of a rule."""
    form = _REPAIRS.get(rule)
    if form is None or len(text) > _LONGEST:
        return Repair("wrong form", _GENERAL.get(rule, "Write it in the expected form."))
    return form(text)


def is_nothing(text: str) -> bool:
    """Tell whether a text is one of those that people write for no value."""
    return text.strip().lower() in NOTHING


def _text(text: str) -> Repair:
    del text
    return Repair(BLANK, _GENERAL["text"])


def _line(text: str) -> Repair:
    if text.strip() and len(text.splitlines()) > 1:
        return Repair("this text has several lines", _GENERAL["summary"])
    return Repair(BLANK, _GENERAL["summary"])


_OUTSIDE = 'Write each path as seen from the target project\'s folder, such as "src/app.js".'


def _path(text: str) -> Repair:
    if not text.strip():
        return Repair("this path is blank", 'Write the path of a file, such as "src/app.js".')
    if any(character in _CONTROLS for character in text.replace("\\", "")):
        meant = "".join(_CONTROLS.get(character, character) for character in text)
        return Repair(
            "a backslash made a control character of this path",
            f"Write {quoted(meant)}: with / between the parts.",
        )
    if not text.isprintable():
        return Repair("this path has an invisible character", "Delete the invisible character.")
    known = (repair for pattern, repair in _PATHS if pattern.search(text))
    return next(known, None) or _with_dots(text)


def _with_dots(text: str) -> Repair:
    right = normpath(text)
    if right.startswith("..") or right == ".":
        return Repair("this path leads out of the target project", _OUTSIDE)
    if right == text:
        return Repair("wrong form", _OUTSIDE)
    return Repair("this path has a . or .. part", f"Write {quoted(right)}.")


_ABSOLUTE = Repair("this path does not begin in the project", _OUTSIDE)
_PATHS = (
    (re.compile(r"^(?:/|~|[A-Za-z]:)"), _ABSOLUTE),
    (re.compile(r"\\"), Repair("this path has backslashes", "Write / instead of \\ in each path.")),
    (
        re.compile(r"^\./+[^./]"),
        Repair("this path begins with ./", "Remove ./ at the beginning of each path."),
    ),
    (re.compile(r"/$"), Repair("this path names a folder", "Write the path of each file in it.")),
    (re.compile(r"//"), Repair("this path has an empty part", "Write // as /.")),
)


def _label(text: str) -> Repair:
    number = re.search(r"[1-9][0-9]*", text)
    rest = text[number.end() :] if number else text
    words = _WORDS.findall(rest)[:4]
    name = "_".join(words).lower()
    label = f"AC{number[0] if number else 1}_{name or 'status'}"
    if number and words:
        return Repair("wrong form", f"Write {quoted(label)}.")
    lacks = "a short name" if number else "the criterion's number"
    return Repair(f"this label lacks {lacks}", f"Add {lacks}, such as in {quoted(label)}.")


def _branch(text: str) -> Repair:
    last = re.sub(r"^(?:refs/heads/|refs/remotes/|remotes/|origin/)+", "", text.strip())
    slug = "-".join(_WORDS.findall(re.sub(r"^[A-Za-z]+/", "", last)))
    if slug in ("", "main", "master", "HEAD", "develop", "feature"):
        example = quoted("feature/issue-7-health")
        return Repair("this is not a feature branch", f"Create one, such as {example}.")
    name = f"feature/{slug[:_SLUG]}"
    if name == last:
        return Repair("wrong form", f"Write {quoted(name)}.")
    return Repair("wrong form", f"Rename the branch to {quoted(name)}, and write that name.")


def _sha(text: str) -> Repair:
    if re.fullmatch(r"\s*[0-9a-fA-F]{7,40}\s*", text):
        return Repair("wrong form", f"Write {quoted(text.strip())}.")
    return Repair("wrong form", _GENERAL["commit-sha"])


def _message(text: str) -> Repair:
    header, _, body = text.strip().partition("\n")
    typed = _TYPE.match(header)
    if typed is None:
        example = quoted(f"feat: {header.strip() or 'add a health endpoint'}")
        return Repair("the type is missing", f"Begin with a type, such as {example}.")
    if not typed[2]:
        return Repair("the description is missing", f"Describe the change after {typed[1]}:.")
    right = f"{typed[1]}: {typed[2]}"
    if body and right == header.rstrip("\r"):
        return Repair("the body follows at once", "Put an empty line between header and body.")
    return Repair("wrong form", f"Begin with {quoted(right)}.")


def _url(text: str) -> Repair:
    stripped = text.strip()
    if is_nothing(text):
        return Repair("this is not an address", "Leave pr_url out if there is no pull request.")
    if re.fullmatch(r"(?:[\w-]+\.)+[A-Za-z]{2,}(?::\d+)?/\S*", stripped):
        return Repair("this address has no https://", f"Write {quoted(f'https://{stripped}')}.")
    return Repair("this is not an address", _GENERAL["pr-url"])


_GENERAL = {
    "text": "Write what it has to say.",
    "summary": "Write one line.",
    "path": _OUTSIDE,
    "commit-sha": "Write the hash that git rev-parse HEAD prints on the branch.",
    "pr-url": "Copy the address from the browser: it begins with https://.",
}
_REPAIRS: dict[str, Callable[[str], Repair]] = {
    "text": _text,
    "summary": _line,
    "path": _path,
    "criterion-label": _label,
    "branch": _branch,
    "commit-sha": _sha,
    "commit-message": _message,
    "pr-url": _url,
}
