"""The markers of the contract's models: open records, bounds, and patterns of texts.

They use pydantic's documented hooks without importing pydantic, which would cost a learner's run
10 ms. Patterns keep to what Rust's, Python's and ECMAScript's regular expressions read alike:
explicit classes, no look-around, anchored by `^` and `$`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pipeline.protocol.json_faults import advice
from pipeline.protocol.problems import KEY_RULE, Path, Problem
from pipeline.terminal.display import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
