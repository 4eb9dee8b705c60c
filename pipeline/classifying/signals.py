"""The signals of a task (specification, section 2.5): what the rules decide by."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Signals(NamedTuple):
    """What is known of a task.

    `file_count` is an estimate where no plan was given. `domains` are the parts of the system that
    have to change, by name. `access_control` is authentication or authorization; it is `security`
    too. `obvious` is an edit that needs no thought, `mechanical` the same edit in many places.
    """

    file_count: int = 1
    domains: tuple[str, ...] = ()
    mechanical: bool = False
    obvious: bool = False
    documentation: bool = False
    security: bool = False
    access_control: bool = False
    new_abstractions: bool = False
    concurrency: bool = False
    tests_wanted: bool = False

    @property
    def domain_scope(self) -> Literal["single", "cross-domain"]:
        """Return what the record says of the domains."""
        return "cross-domain" if len(self.domains) > 1 else "single"


class Evidence(NamedTuple):
    """Why a signal is set: the words that gave it, as written, and where they stand.

    `source` is `task`, `issue`, `criteria`, `plan` or `repository`, and `estimate` for a figure
    that no text gives.
    """

    signal: str
    quote: str
    source: str


class Scope(NamedTuple):
    """How far a task reaches: files, the parts of the system, and the evidence for both."""

    file_count: int
    domains: tuple[str, ...]
    evidence: tuple[Evidence, ...]
