"""The form of a file of acceptance criteria: what is sent, and what is expected of the answers.

The classes are the source of the published JSON Schema. Texts may contain `{name}`, a value that
was drawn or saved, and `{name:upper}`, the same in capitals.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, JsonValue

_STEP = r"\.[A-Za-z_][A-Za-z0-9_-]*|\[[0-9]+\]"
_NAME = r"^[a-z][a-z0-9_]*$"
_KIND = r"^(words?|(letters|digits|hex) [1-9][0-9]{0,6}|integer -?[0-9]{1,15}\.\.-?[0-9]{1,15})$"
_LINE = r"^[^\n]*\S[^\n]*$"
_CLOSED = ConfigDict(extra="forbid", allow_inf_nan=False)


def _says(text: str, **bounds: Any) -> Any:
    return Field(description=text, **bounds)


Status = Annotated[int, Field(ge=100, le=599, strict=True)]
Name = Annotated[str, Field(pattern=_NAME)]
Header = Annotated[str, Field(pattern="^[A-Za-z0-9-]+$")]
Place = Annotated[str, Field(pattern=rf"^\$({_STEP}|\[\*\])*$")]
Kind = Annotated[
    str, _says("word, words, letters 30, digits 4, hex 24 or integer 1..999", pattern=_KIND)
]
Source = Annotated[str, _says("text, or a place such as $.id", pattern=rf"^(text|\$({_STEP})*)$")]
Reason = Annotated[str, _says("a reason on one line", pattern=_LINE, max_length=200)]
Variables = dict[Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$")], str]


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """What an answer must be; what is not named is free.

    A text that begins with `~ ` is a pattern: `*` is any text, `?` any character, `[0-9]` one of
    these, `|` is between alternatives; upper and lower case make no difference. A text in `at` may
    be one, too.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    status: Annotated[
        Status | Annotated[list[Status], Field(min_length=1)],
        _says("the status, or an array of those that are right"),
    ]
    headers: Annotated[
        dict[Header, str],
        _says("headers and their values; empty for one that must be absent. A charset is free"),
    ] = field(default_factory=dict)
    json: Annotated[JsonValue, _says("the whole body")] = None  # TOML has no null
    at: Annotated[
        dict[Place, JsonValue], _says('places in the body, such as "$[*].title", and their values')
    ] = field(default_factory=dict)
    schema: Annotated[dict[str, JsonValue], _says("a JSON Schema of the body")] = field(
        default_factory=dict
    )
    text: Annotated[str | None, _says("the whole body, as text")] = None
    lines: Annotated[
        bool, _says("the body is lines of JSON, each with a line feed, and read as their array")
    ] = False


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A request, what is expected of its answer, and what is kept of it."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    request: Annotated[
        str, _says('a method and a path, such as "GET /health"', pattern="^[A-Z]{3,7} /[!-~]*$")
    ]
    expect: Expectation
    headers: Annotated[dict[Header, str], _says("headers of the request")] = field(
        default_factory=dict
    )
    json: Annotated[JsonValue, _says("the body of the request")] = None
    text: Annotated[str, _says("the body of the request, as text")] = ""
    save: Annotated[dict[Name, Source], _says("names for parts of the answer")] = field(
        default_factory=dict
    )
    repeat: Annotated[
        int, _says("how often the request is sent; {i} counts from 1", ge=1, le=1000, strict=True)
    ] = 1
    fresh: Annotated[bool, _says("whether the service is started anew before it")] = False
    env: Annotated[
        Variables | None, _says("the service is started anew with these environment variables")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """One criterion: exchanges that show it, with a service of their own, or why none can."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    exchanges: Annotated[tuple[Exchange, ...], _says("what shows it, in order")] = ()
    not_over_http: Annotated[Reason, _says("why no exchange can show it")] = ""
    not_shown: Annotated[Reason, _says("what of it the exchanges leave open")] = ""
    draw: Annotated[dict[Name, Kind], _says("names of values drawn at random")] = field(
        default_factory=dict
    )
    env: Annotated[
        Variables | None, _says("environment variables, instead of those of the file")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Acceptance:
    """The acceptance criteria of an issue, by label, and how the service is started."""

    __pydantic_config__: ClassVar[ConfigDict] = _CLOSED

    criteria: Annotated[
        dict[Annotated[str, Field(pattern="^AC[0-9]+_[a-z0-9_]+$")], Criterion],
        _says("a table for each criterion, such as [criteria.AC1_status]", min_length=1),
    ]
    start: Annotated[
        tuple[str, ...],
        _says(
            "the command, run in the folder of the service, which answers on the listening socket "
            "that it inherits as descriptor 3. {listen} is a module for `node --import` that makes "
            "a server listen there"
        ),
    ] = ()
    draw: Annotated[dict[Name, Kind], _says("values drawn for every criterion")] = field(
        default_factory=dict
    )
    env: Annotated[Variables, _says("environment variables of the service")] = field(
        default_factory=dict
    )
