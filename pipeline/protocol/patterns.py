"""The markers of the contract's models: open records, bounds, and patterns of texts and paths.

They use pydantic's documented hooks without importing pydantic, which would cost a learner's run
10 ms. Patterns keep to what Rust's, Python's and ECMAScript's regular expressions read alike:
explicit classes, no look-around, anchored by `^` and `$`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pipeline.protocol.json_faults import advice
from pipeline.protocol.layout import composed, is_artifact_path
from pipeline.protocol.problems import KEY_RULE, Path, Problem
from pipeline.terminal.display import named, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pipeline.protocol.problems import Wrong

    Handler = Callable[[object], Any]

_Record = TypeVar("_Record")


def open_fields(record: type[_Record]) -> type[_Record]:
    """Let a typed dictionary have more fields than it lists; types are never coerced."""
    # What pydantic's own decorator `with_config` does.
    setattr(record, "__pydantic_config__", {"extra": "allow", "strict": True})  # noqa: B010  # no such attribute for mypy
    return record


class Bound(NamedTuple):
    """A marker for `Annotated[list[…], Bound(…)]`: what is added to the two generated schemas."""

    core: Mapping[str, int]
    published: Mapping[str, int] = {}

    def __get_pydantic_core_schema__(self, source: object, handler: Handler) -> dict[str, Any]:
        """Add the bound to the validator."""
        return {**handler(source), **self.core}

    def __get_pydantic_json_schema__(self, core_schema: object, handler: Handler) -> dict[str, Any]:
        """Add the bound to the published JSON Schema."""
        return {**handler(core_schema), **self.published}


NOT_EMPTY = Bound({"min_length": 1})
NOT_NEGATIVE = Bound({"ge": 0})


class Pattern(NamedTuple):
    """A marker for `Annotated[str, Pattern(…)]`: the form of a text."""

    rule: str  #: its name, and that of its words in `advice.json`
    pattern: str

    @property
    def expected(self) -> str:
        """The form in words."""
        return str(advice()["forms"][self.rule][0])

    def __get_pydantic_core_schema__(self, source: object, handler: Handler) -> dict[str, Any]:
        """Add the pattern to the validator."""
        return {**handler(source), "pattern": self.pattern}

    def __get_pydantic_json_schema__(self, core_schema: object, handler: Handler) -> dict[str, Any]:
        """Describe the form in the published JSON Schema."""
        return {**handler(core_schema), "description": self.expected}

    def problem(self, path: Path, found: str) -> Problem:
        """Return the problem of a text that does not have the form."""
        expected, message, action = advice()["forms"][self.rule]
        return Problem(self.rule, path, message, expected, quoted(found), action=action)


_SPACES = r"\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
_BLANK = rf"\x00-\x20\x7f-\xa0{_SPACES}"
_BREAK = r"\n\x0b\x0c\r\x1c-\x1e\x85\u2028\u2029"
_NAME = r"[^/\\\x00-\x1f\x7f]"  # a character of a file name
# A path segment, neither `.` nor `..` nor blank; the first does not look like a drive, either.
_DOTTED = rf"\.[^./\\\x00-\x1f\x7f]{_NAME}*|\.\.{_NAME}+"
_INDENTED = rf"[\x20\x80-\xa0{_SPACES}]+[^/\\{_BLANK}]{_NAME}*"
_SEGMENT = rf"(?:[^./\\{_BLANK}]{_NAME}*|{_INDENTED}|{_DOTTED})"
_FIRST = (
    rf"(?:[A-Za-z](?:[^:/\\\x00-\x1f\x7f]{_NAME}*)?|[^A-Za-z./\\{_BLANK}]{_NAME}*"
    rf"|{_INDENTED}|{_DOTTED})"
)
# RFC 3986, section 2: no address has these; a bracket opens only with the one that closes it.
_PART = rf"[^{_BLANK}<>\x22{{}}|\\^`\[\]"  # of an address, to be closed by a bracket
_HOST = rf"(?:[A-Za-z0-9]{_PART}/?#]*|\[[0-9A-Fa-f:.]+\](?::[0-9]*)?)"  # a name or an IPv6 address

# A part of a branch's name; as in git-check-ref-format, rule 1, it does not end with .lock.
_L = "[A-Za-z0-9]"
_NOT_LOCK = (
    rf"(?:[A-Za-km-z0-9]{_L}*|l(?:[A-Za-np-z0-9]{_L}*"
    rf"|o(?:[A-Zabd-z0-9]{_L}*|c(?:[A-Za-jl-z0-9]{_L}*|k{_L}+)?)?)?)"
)
_REF = rf"{_L}+(?:(?:[._-]{_L}+)*(?:[_-]{_L}+|\.{_NOT_LOCK}))?"
_SCOPE = rf"\([^()\r\n]*[^(){_BLANK}][^()\r\n]*\)"  # of a commit

# Rule 14 of Conventional Commits allows any type; these are those of Angular and of commitlint.
COMMIT_TYPES = (
    *("feat", "fix", "build", "chore", "ci", "docs", "perf", "refactor", "revert", "style"),
    "test",
)

TEXT = Pattern("text", rf"[^{_BLANK}]")
LINE = Pattern("summary", rf"^[^{_BREAK}]*[^{_BLANK}][^{_BREAK}]*$")
PATH = Pattern("path", rf"^{_FIRST}(?:/{_SEGMENT})*$")
CRITERION = Pattern(KEY_RULE, r"^AC[1-9][0-9]*_[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$")
BRANCH = Pattern("branch", rf"^feature(?:/{_REF})+$")
COMMIT_SHA = Pattern("commit-sha", r"^(?:[0-9a-fA-F]{7,40}|[0-9a-fA-F]{64})$")
# Conventional Commits 1.0.0, rules 1 to 6 and 13: type, (scope), !, colon and space, description.
# A type is a word: the id of an issue, such as ISSUE-7, is not one.
COMMIT_MESSAGE = Pattern(
    "commit-message",
    rf"^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z][A-Za-z0-9]*)*(?:{_SCOPE})?!?: [^{_BLANK}][^\r\n]*"
    r"(?:\r?\n(?:\r?\n[\s\S]*)?)?$",
)
URL = Pattern("pr-url", rf"^[Hh][Tt][Tt][Pp][Ss]?://{_HOST}(?:[/?#](?:{_PART}]|\[{_PART}]*\])*)?$")
FORMS = (TEXT, LINE, PATH, CRITERION, BRANCH, COMMIT_SHA, COMMIT_MESSAGE, URL)
PATTERNS = {form.pattern: form for form in FORMS}

# What is not seen at the ends of a text.
_UNSEEN = (range(33), range(0x7F, 0xA1), range(0x2000, 0x2010), range(0x2028, 0x2030))
UNSEEN = "\xad\u1680\u3000\ufeff" + "".join(
    chr(code) for codes in (*_UNSEEN, range(0x205F, 0x2070)) for code in codes
)
_PULL = re.compile(r"[^/]+//[^/]+/[^/]+/[^/]+/pull/[1-9][0-9]*")  # the most usual form


def is_usual_type(message: str) -> bool:
    """Return whether a conventional commit has one of the usual types, in any case."""
    return re.split(r"[(!:]", message)[0].lower() in COMMIT_TYPES


def is_another_page(url: str) -> bool:
    """Return whether a URL surely shows no pull request, in the forms that forges have.

    It shows a repository, an issue or a branch, opens a request, or has no number of one.
    """
    return not _PULL.fullmatch(url) and any(re.match(form, url) for form in advice()["pages"])


# A path of plain words with an ending: nothing else looks like it.
_PLAIN = re.compile(r"(?:\w[\w-]*(?:\.[\w-]+)*/)*\w[\w-]*(?:\.[\w-]+)*\.[A-Za-z]\w*", re.ASCII)


def no_path(text: str) -> tuple[str, str] | None:
    """Return why a text in the form of a path is not one, and what to do; None if it may be one.

    Names may have blanks, brackets and most other characters, so only what is surely something
    else is found: a placeholder, a URL, a glob, line numbers, an arrow, a note behind the path.
    """
    if _PLAIN.fullmatch(text):
        return None
    if (bare := text.strip(UNSEEN)) != text:
        return "this path has a blank or an invisible character at an end", f"Write {named(bare)}."
    faults = (fault for form, *fault in advice()["paths"] if re.search(form, text))
    return next(((message, action) for message, action in faults), None)


def not_of_the_work(found: Iterable[tuple[Path, str]]) -> Iterator[Wrong]:
    """Yield the places of paths that are surely not those of one file, or are of an artifact."""
    places: dict[str, list[Path]] = {}  # a plan names a file up to three times
    for place, file in found:
        places.setdefault(file, []).append(place)
    for file, at in places.items():
        if fault := no_path(file):
            (message, action), expected = fault, "the path of one file, such as src/app.js"
        elif is_artifact_path(file):
            message, expected = "this is an artifact of the pipeline", "a file of the work"
            action = f"Remove every entry for {named(file)}."
        else:
            continue
        yield from ((place, message, expected, named(file), action) for place in at)


def named_twice(field: str, files: list[str], *, in_any_case: bool = False) -> Iterator[Wrong]:
    """Yield the paths that a list has again; if wanted, also those in a different letter case."""
    first: dict[str, str] = {}
    for index, file in enumerate(files):
        form = composed(file)
        before = first.get(form.casefold())
        if before is None:
            first[form.casefold()] = file
        elif composed(before) == form:
            message, action = (
                "this file is already in the list",
                f"Remove this entry for {named(file)}.",
            )
            yield (field, index), message, "each file once", named(file), action
        elif in_any_case:  # on many systems one file
            message = "this path differs from another path only in letter case"
            action = "Write the path everywhere as the file is called."
            yield (field, index), message, f"one spelling of {named(before)}", named(file), action
