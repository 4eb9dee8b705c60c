"""The form of a file of acceptance criteria: what is sent, and what is expected of the answers.

The classes are the source of the published JSON Schema. Texts may contain `{name}`, a value that
was drawn or saved, and `{name:upper}`, the same in capitals.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, JsonValue


def _is(description: str, **bounds: Any) -> Any:
    return Field(description=description, **bounds)


_STEP = r"\.[A-Za-z_][A-Za-z0-9_-]*|\[[0-9]+\]"
_KIND = r"^(words?|(letters|digits|hex) [1-9][0-9]{0,6}|integer -?[0-9]{1,15}\.\.-?[0-9]{1,15})$"
_KINDS = "word, words, letters 30, digits 4, hex 24 or integer 1..999"
_START = (
    "the command, run in the folder of the service, which answers on the listening socket that it "
    "inherits as descriptor 3. {listen} is a module for `node --import` that makes a server listen "
    "there"
)
Label = Annotated[str, Field(pattern="^AC[0-9]+_[a-z0-9_]+$")]
Status = Annotated[int, Field(ge=100, le=599, strict=True)]
Statuses = Status | Annotated[list[Status], Field(min_length=1)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Header = Annotated[str, Field(pattern="^[A-Za-z0-9-]+$")]
Headers = Annotated[
    dict[Header, str], _is("headers; in what is expected, an empty text for one that is absent")
]
Place = Annotated[str, Field(pattern=rf"^\$({_STEP}|\[\*\])*$")]
Places = Annotated[
    dict[Place, JsonValue], _is('places in the body, such as "$[*].title", and their values')
]
Schema = Annotated[dict[str, JsonValue], _is("a JSON Schema of the body")]
Source = Annotated[str, _is("text, or a place such as $.id", pattern=rf"^(text|\$({_STEP})*)$")]
Saved = Annotated[dict[Name, Source], _is("names for parts of the answer")]
Reason = Annotated[str, _is("a reason on one line", pattern=r"^[^\n]*\S[^\n]*$", max_length=200)]
Kind = Annotated[str, _is(_KINDS, pattern=_KIND)]
Draws = Annotated[dict[Name, Kind], _is("names and kinds of values drawn at random")]
Variable = Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$")]
Variables = Annotated[dict[Variable, str], _is("environment variables of the service")]


class _Closed:
    """Other keys are refused."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


@dataclass(frozen=True, kw_only=True)
class Expectation(_Closed):
    """What an answer must be; what is not named is free.

    A text that begins with `~ ` is a pattern: `*` is any text, `?` any character, `[0-9]` one of
    these, `|` is between alternatives; upper and lower case make no difference. The parameters of a
    content type, such as its charset, are free.
    """

    status: Annotated[Statuses, _is("the status, or an array of those that are right")]
    headers: Headers = field(default_factory=dict)
    json: Annotated[JsonValue, _is("the whole body")] = None  # TOML has no null
    at: Places = field(default_factory=dict)
    schema: Schema = field(default_factory=dict)
    text: Annotated[str | None, _is("the whole body, as text")] = None
    lines: Annotated[
        bool, _is("the body is lines of JSON, each with a line feed, and read as their array")
    ] = False


@dataclass(frozen=True, kw_only=True)
class Exchange(_Closed):
    """A request, what is expected of its answer, and what is kept of it."""

    request: Annotated[
        str, _is('a method and a path, such as "GET /health"', pattern="^[A-Z]{3,7} /[!-~]*$")
    ]
    expect: Expectation
    headers: Headers = field(default_factory=dict)
    json: Annotated[JsonValue, _is("the body of the request")] = None
    text: Annotated[str, _is("the body of the request, as text")] = ""
    save: Saved = field(default_factory=dict)
    repeat: Annotated[
        int, _is("how often the request is sent; {i} counts from 1", ge=1, le=1000, strict=True)
    ] = 1
    fresh: Annotated[bool, _is("whether the service is started anew before it")] = False
    env: Annotated[Variables | None, _is("the service is started anew with these variables")] = None


@dataclass(frozen=True, kw_only=True)
class Criterion(_Closed):
    """One criterion: exchanges that show it, with a service of their own, or why none can."""

    exchanges: Annotated[tuple[Exchange, ...], _is("what shows it, in order")] = ()
    not_over_http: Annotated[Reason, _is("why no exchange can show it")] = ""
    draw: Draws = field(default_factory=dict)
    env: Annotated[Variables | None, _is("variables instead of those of the file")] = None


@dataclass(frozen=True, kw_only=True)
class Acceptance(_Closed):
    """The acceptance criteria of an issue, by label, and how the service is started."""

    criteria: Annotated[dict[Label, Criterion], _is("a table for each criterion", min_length=1)]
    start: Annotated[tuple[str, ...], _is(_START)] = ()
    draw: Draws = field(default_factory=dict)
    env: Variables = field(default_factory=dict)
