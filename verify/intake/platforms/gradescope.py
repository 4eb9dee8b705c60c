"""Gradescope: *Export Submissions* of an assignment.

Its source is not public. The form of `submission_metadata.yml`, at the top of an export, is the one
that public tools read: a mapping of each entry's name (`submission_123`) to `:submitters:` (a list
of `:name:`, `:sid:`, `:email:`), `:created_at:` and more. Only a learner's newest submission is in
an export. A group's submission has several submitters: it is the submission of each.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from verify.intake.platforms.base import EMAILS, Name, ParsedName, Platform, RosterExport
from verify.intake.table import Unusable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.intake.platforms.base import Surroundings

_MAX_DEPTH = 60
_NONE = frozenset({"", "~", "null"})
_TIME = re.compile(r"([0-9-]{10})[ T]([0-9:]{8})(?:\.[0-9]{1,9})? ?(Z|[+-][0-9]{2}:?[0-9]{2})?")
_AGAIN = "export the submissions from Gradescope again"


class Gradescope(Platform):
    """Reads the entries that the metadata of a collection name.

    On *Review Grades*, choose *Export Submissions*. As the roster, use Gradescope's roster. The
    file `submission_metadata.yml` lists the learner, the submission time and the lateness for each
    folder, such as `submission_123`. A group's submission counts for each member.
    """

    name = "gradescope"
    title = "Gradescope"
    roster = RosterExport(
        "roster",
        "`SID`",
        "`SID`; `Email` is the login",
        lambda columns: "sid" in columns,
        numbers=("sid",),
        logins=EMAILS,
        logins_anywhere=EMAILS,
        logins_are_addresses=True,
    )
    metadata = "submission_metadata.yml"
    reads_whole_names = True
    has_campus_identities = True

    def __init__(self, surroundings: Surroundings) -> None:
        data = surroundings.metadata(self.metadata)
        self._metadata = {} if data is None else read_metadata(data)

    def read(self, name: Name) -> ParsedName | None:
        """Return the first submitter's SID, address and name; the others are in `also`."""
        return self._metadata.get(name.text)


def read_metadata(data: bytes) -> dict[str, ParsedName]:
    """Return what `submission_metadata.yml` says of each entry, by the entry's name.

    Every value is text as it is written: a SID `0012` keeps its zeros. Tags mean nothing. An entry
    without submitters is left out. Raises `Unusable`: not YAML, too deep, or without submissions.
    """
    import yaml  # type: ignore[import-untyped]  # few calls; and few collections need it

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    depth = 0
    try:
        for event in yaml.parse(data, Loader=loader):  # no recursion, as loading has it
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                raise yaml.MarkedYAMLError(problem_mark=event.start_mark)
        document = yaml.load(data, Loader=loader)  # noqa: S506  # texts, lists and mappings
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise Unusable(f"{Gradescope.metadata}{line}: the YAML is damaged: {_AGAIN}") from None
    entries = document.items() if isinstance(document, dict) else ()
    metadata = {name: parsed for name, entry in entries if (parsed := _parsed(name, entry))}
    if not metadata:
        raise Unusable(f"{Gradescope.metadata} has no submission with :submitters: ({_AGAIN})")
    return metadata


def _parsed(name: str, entry: Any) -> ParsedName | None:
    people = entry.get(":submitters") if isinstance(entry, dict) else None
    people = (
        [person for person in people if isinstance(person, dict)]
        if isinstance(people, list)
        else []
    )
    if not people:
        return None
    time = _TIME.fullmatch(_text(entry, ":created_at"))
    at = f"{time[1]}T{time[2]}{(time[3] or '').replace('Z', '+00:00')}" if time else ""
    late = _text(entry, ":late") == "true"
    same = ParsedName(Gradescope.name, name, submitted=at, late=late)
    hints = (
        (_text(person, ":sid"), _text(person, ":email"), _text(person, ":name"))
        for person in people
    )
    first, *further = (
        same._replace(number=sid, login=email, person=who, learner=sid or email or who or name)
        for sid, email, who in hints
    )
    return first._replace(also=tuple(further))


def _text(fields: Mapping[str, object], key: str) -> str:
    value = fields.get(key, "")
    return value if isinstance(value, str) and value not in _NONE else ""
