"""Accepts artifacts that have no problem, at once: in a cohort most have none.

It never refuses: what it does not accept is validated as ever, so that there is one judge of what
is wrong. It needs orjson, which a learner's single run does without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.files import MAX_DEPTH, MAX_ELEMENTS
from pipeline.protocol.validate import Validation, judge_of, validate

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pipeline.protocol.validate import Profile
    from pipeline.schema import Kind

try:
    import orjson
except ImportError:  # the extra `cohort` is not installed: the same verdicts, more slowly
    _HAS_ORJSON = False
else:
    _HAS_ORJSON = True

_SPACE = b" \t\n\r"  # RFC 8259, section 2
_WORTH_IT = 1 << 16  # bytes: a larger document is rare, and each step here takes it whole


def validated(data: bytes, kind: Kind, profile: Profile) -> Validation:
    """Return what `validation.validate` returns, sooner where there is no problem."""
    value = acceptor(kind, profile)(data)
    return validate(data, kind, profile) if value is None else Validation(value)


def acceptor(kind: Kind, profile: Profile) -> Callable[[bytes], Any]:
    """Return what returns the parsed value of an artifact without a problem; None for the rest."""
    is_valid = judge_of(kind, profile)

    def accepted(data: bytes) -> Any:
        value = strictly_parsed(data)
        return value if value is not None and is_valid(value) else None

    return accepted


def strictly_parsed(data: bytes) -> Any:
    """Return what `strict_json.parse` returns; None where that takes a closer look.

    A document that is written again as it was, but for the space between its tokens, has no key
    twice, no number that a double cannot hold, and nothing that may be read in two ways. Space
    within strings is left out of the comparison too: it can neither begin nor end a string.
    """
    if not _HAS_ORJSON or len(data) > _WORTH_IT:
        return None
    brackets = data.count(b"[") + data.count(b"{")
    may_be_many = len(data) > MAX_ELEMENTS  # an element takes a byte
    if brackets > MAX_DEPTH or (may_be_many and brackets + data.count(b",") > MAX_ELEMENTS):
        return None
    try:
        value = orjson.loads(data)
        if orjson.dumps(value, option=orjson.OPT_INDENT_2) == data.rstrip(_SPACE):
            return value  # as agents and `json.dumps(indent=2)` write it
        if orjson.dumps(value).translate(None, _SPACE) != data.translate(None, _SPACE):
            return None
    except ValueError:
        return None
    return value
