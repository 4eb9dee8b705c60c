"""A reader who does what a finding's first action says, to the letter, and thinks about nothing."""

from __future__ import annotations

import json
import re
from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.protocol.conventions import is_test_path
from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.protocol.layout import loose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.grading.model import Finding

Path = tuple[Any, ...]
PATH_FIELDS = ("affected_files", "files_changed")

# How an edit begins, and how what only a person can do; every other action is for a person, too.
EDITS = ("Write ", "Remove ", "Rename ", "Keep ", "Delete ", "Number ", "Begin each ")
JUDGEMENTS = (
    *("Fetch all", "Write a reason"),
    *(
        "Add ",
        "Change ",
        "Compare ",
        "Copy ",
        "Correct ",
        "Decide ",
        "Find out ",
        "Go through ",
        "Have ",
    ),
    *("If ", "In your clone", "Leave pr_url out if", "Leave the step out if", "Map this "),
    *(
        "Open a ",
        "Plan a test",
        "Rename the branch",
        "Put the whole",
        "Put the work",
        "Reduce ",
        "Resolve ",
        "Run ",
    ),
    *("Save it as", "Save what", "Shorten ", "Undo ", "Begin with a type", "Keep one "),
    *("Write a different", "Write a name such", "Write a step for", "Write the "),
    *(
        "Write AC, ",
        "Write _ and a",
        "Write [] if",
        "Write an array",
        "Write an object",
        "Write it",
    ),
    *("Write each path", "Write elements", "Write keys", "Write one line", "Write only the path"),
    *("Write several", "Write your", "Write true, ", "Write : and", "Write what", "Write at least"),
    *('Write "completed" if', "Write one record", "Create ", "Make ", "Move the files"),
    *("Copy the URL", "Write one object", "Write the complete", "Write a status", "Use "),
)


class Place(NamedTuple):
    """Where a finding is: the text of its file, an offset in it, and the parsed path."""

    text: str
    at: int
    path: Path
    merged: bool  # one finding for several places

    @property
    def value(self) -> Any:
        """Return the document."""
        return json.loads(self.text.removeprefix("\ufeff"))


def followed(finding: Finding, data: bytes) -> bytes | None:
    """Return a file as it is once a finding's first action is done; None if only a person can."""
    action = finding.action
    if not action:  # then the hint of the check applies
        return None
    if action.startswith("Save the file again with UTF-8"):
        encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "latin-1"
        return data.decode(encoding).encode()
    text = data.decode("utf-8", "surrogateescape")
    lines = text.removeprefix("\ufeff").split("\n")
    at = sum(len(line) + 1 for line in lines[: finding.line - 1]) + finding.column - 1
    place = Place(
        text.removeprefix("\ufeff"),
        max(at, 0),
        _path_of(finding.path),
        " places" in finding.message,
    )
    edits = _ON_VALUES if _is_json(data) else _ON_TEXT
    for pattern, edit in edits:
        match = re.fullmatch(pattern, action, re.DOTALL)
        done = edit(place, *match.groups()) if match else None
        if done is not None:
            written = json.dumps(done) if edits is _ON_VALUES else done
            return str(written).encode("utf-8", "surrogateescape")
    if (
        action.startswith(EDITS)
        and not action.startswith(JUDGEMENTS)
        and not re.match(r'Write ".*", ', action)
    ):
        raise LookupError(f"neither an edit nor a judgement: {action} {finding}")
    return None


def moved(finding: Finding) -> tuple[str, str] | None:
    """Return where a file is and where it is to be, if the action is to move it."""
    match = re.fullmatch(r"(?:Move|Rename) ([^\"\s]+) to ([^\"\s]+)\.", finding.action)
    return (match[1], match[2]) if match else None


def _is_json(data: bytes) -> bool:
    try:
        parse(data)
    except NotStrictJson:
        return False
    return True


def _path_of(shown: str) -> Path:
    shown = re.sub(r"\\u\{([0-9a-f]+)\}", lambda match: chr(int(match[1], 16)), shown)
    steps = re.findall(r'\.([\w-]+)|\[([0-9]+)\]|\[("(?:[^"\\]|\\.)*")\]', shown)
    return tuple(name or (int(index) if index else json.loads(key)) for name, index, key in steps)


# --- edits of a text ----------------------------------------------------------------------------


def _replaced(place: Place, length: int, new: str) -> str:
    return place.text[: place.at] + new + place.text[place.at + length :]


def _token(place: Place, new: str) -> str | None:
    match = re.compile(r'[^\s,\[\]{}:"]+"?').match(place.text, place.at)
    return _replaced(place, len(match[0]), new) if match else None


def _before(place: Place, bracket: str, line: str = "1") -> str:
    start = 0
    for _ in range(int(line) - 1):
        start = place.text.index("\n", start) + 1
    return place.text[place.text.index(bracket, start) :]


def _straight(place: Place) -> str:
    text = re.sub("[“”„«»]", '"', place.text)
    single = "['`\u2018\u2019]"  # between letters it is an apostrophe
    changed = re.sub(rf"(?<!\w){single}|{single}(?!\w)", '"', text)
    return text if text != place.text else changed


def _comment(place: Place) -> str:
    rest = place.text[place.at :]
    form = next(
        pattern
        for start, pattern in (("/*", r"/\*.*?\*/"), ("<!--", "<!--.*?-->"), ("", "[^\n]*"))
        if rest.startswith(start)
    )
    match = re.match(form, rest, re.DOTALL)
    return place.text[: place.at] + rest[match.end() if match else 0 :]


def _at_line_end(place: Place, new: str) -> str:
    end = re.compile(r",?[ \t\r]*(?=\n|\Z)").search(place.text, place.at)
    assert end is not None
    return place.text[: end.start()] + new + place.text[end.start() :]


def _escaped_quote(place: Place) -> str:
    quote = place.text.rindex('"', 0, place.at)
    return f"{place.text[:quote]}\\{place.text[quote:]}"


def _line_break(place: Place) -> str:
    end = place.text.index("\n", place.at)
    return f"{place.text[:end].rstrip()}\\n{place.text[end + 1 :]}"


def _colon(place: Place) -> str:
    colon = place.text.index(":", place.at)
    return f'{place.text[:colon]}"{place.text[colon:]}'


def _tab(place: Place) -> str | None:
    return _replaced(place, 1, "\\t") if place.text[place.at] == "\t" else None


_QUOTED = r'("(?:[^"\\]|\\.)*")'
_ON_TEXT: tuple[tuple[str, Callable[..., str | None]], ...] = (
    (r"Write \{ at the start of the file\.", lambda p: "{" + p.text),
    (r"Write ([\]}]) at the end of the file\.", lambda p, mark: p.text + mark),
    (
        r"Remove the line number, .*",
        lambda p: re.sub(r"(?m)^[ \t]*[0-9]+[ \t]*[→|:.)]?", "", p.text),
    ),
    (
        r"Remove the (\S) at the start of each line\.",
        lambda p, mark: re.sub(rf"(?m)^[ \t]*{re.escape(mark)}", "", p.text),
    ),
    (r"Remove everything before the first ([\[{])\.", _before),
    (r"Remove everything before the ([\[{]) in line ([0-9]+)\.", _before),
    (r"Remove everything from here on\.", lambda p: p.text[: p.at]),
    (r"Remove this [\]}]\.|Remove (?:the|this) comma\.", lambda p: _replaced(p, 1, "")),
    (r"Remove this backslash\.|Delete this character\.", lambda p: _replaced(p, 1, "")),
    (
        r"Remove the lines that begin with (```|~~~)\.",
        lambda p, mark: re.sub(rf"(?m)^[ \t]*{mark}.*\n?", "", p.text),
    ),
    (r"Remove the comment\.", _comment),
    (r'Write " at the beginning and the end of each string\.', _straight),
    (r"Write ([\]}]) before this [\]}]\.", lambda p, mark: _replaced(p, 0, mark)),
    (r"Write ([\]}]) in place of this [\]}]\.", lambda p, mark: _replaced(p, 1, mark)),
    (r"Write (\w+) in place of (\w+)\.", lambda p, new, old: _replaced(p, len(old), new)),
    (r"Write : in place of (\S+)\.", lambda p, old: _replaced(p, len(old), ":")),
    (r"Write a comma in place of (\S+)\.", lambda p, old: _replaced(p, len(old), ",")),
    (r"Write : here\.", lambda p: _replaced(p, 0, ":")),
    (r"Write a comma here\.", lambda p: _replaced(p, 0, ",")),
    (r'Write \\" for a quote within a string\.', _escaped_quote),
    (r"Write \\n in place of the line break at the end of this line\.", _line_break),
    (r'Write " at the end of the string\.', lambda p: _at_line_end(p, '"')),
    (r'Write " before the colon\.', _colon),
    (r"Write \\\\ for a backslash, .*", lambda p: _replaced(p, 0, "\\")),
    (r"Write \\t for a tab, .*", _tab),
    (rf"Write ({_QUOTED}|[0-9]+)\.", lambda p, new, *_: _token(p, new)),
)


# --- edits of values ----------------------------------------------------------------------------


def _put(document: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    reduce(getitem, path[:-1], document)[path[-1]] = value
    return document


def _alike(document: Any, path: Path, *, merged: bool) -> Iterator[Path]:
    """Yield the path, and those of the same field with an equal value, which one finding shows."""
    here = reduce(getitem, path, document)
    for other in _paths(document) if merged else ():
        same = len(other) == len(path) and all(
            ours == theirs or (isinstance(ours, int) and isinstance(theirs, int))
            for ours, theirs in zip(path, other, strict=True)
        )
        there = reduce(getitem, other, document)
        if other != path and same and type(there) is type(here) and not isinstance(here, dict):
            yield other
    yield path


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    items: Any = value.items() if isinstance(value, dict) else ()
    for key, inner in enumerate(value) if isinstance(value, list) else items:
        yield from _paths(inner, (*path, key))


def _each_alike(change: Callable[[Any], Any]) -> Callable[..., Any]:
    def edit(place: Place, *_: str) -> Any:
        document = place.value
        for path in list(_alike(document, place.path, merged=place.merged)):
            was = reduce(getitem, path, document)
            try:
                document = _put(document, path, change(was))
            except (ValueError, IndexError, TypeError):
                if path == place.path:
                    raise
        return document

    return edit


def _written(place: Place, shown: str) -> Any:
    new, document = json.loads(shown), place.value
    *above, last = place.path
    holder = reduce(getitem, above, document)
    if isinstance(holder, dict) and last not in holder:
        return _put(document, place.path, new)
    here = json.dumps(holder[last])
    for path in list(_alike(document, place.path, merged=place.merged)):
        if json.dumps(reduce(getitem, path, document)) == here:
            document = _put(document, path, new)
    return document


def _renamed(place: Place, old: str, new: str) -> Any:
    before, after = json.loads(old), json.loads(new)
    document = place.value
    for holder in [document, *(reduce(getitem, path, document) for path in _paths(document))]:
        if isinstance(holder, dict) and before in holder and after not in holder:
            items = [(after if key == before else key, value) for key, value in holder.items()]
            holder.clear()
            holder.update(items)
    return document


def _on_paths(change: Callable[..., str]) -> Callable[..., Any]:
    """Return an edit of each path of an artifact."""

    def edit(place: Place, *given: str) -> Any:
        document = place.value
        for field in PATH_FIELDS:
            if isinstance(document.get(field), list):
                document[field] = [
                    change(path, *given) if isinstance(path, str) else path
                    for path in document[field]
                ]
        for step in document.get("steps", []):
            if isinstance(step, dict) and isinstance(step.get("file"), str):
                step["file"] = change(step["file"], *given)
        mapping = document.get("acceptance_mapping")
        for label, path in mapping.items() if isinstance(mapping, dict) else ():
            mapping[label] = change(path, *given) if isinstance(path, str) else path
        return document

    return edit


def _everywhere(path: str, shown: str) -> str:
    right: str = json.loads(shown)
    return right if loose(path) == loose(right) else path


def _without(place: Place, shown: str) -> Any:
    gone, document = json.loads(shown), place.value
    for field in PATH_FIELDS:
        if field in document:
            document[field] = [path for path in document[field] if path != gone]
    if "steps" in document:
        document["steps"] = [step for step in document["steps"] if step["file"] != gone]
    mapping = document.get("acceptance_mapping", {})
    for label in [label for label, path in mapping.items() if path == gone]:
        del mapping[label]
    return document


def _dropped(place: Place, *_: str) -> Any:
    document = place.value
    del reduce(getitem, place.path[:-1], document)[place.path[-1]]
    return document


def _numbered(place: Place) -> Any:
    document = place.value
    for number, step in enumerate(document["steps"], start=1):
        step["order"] = number
    return document


def _tests_last(place: Place) -> Any:
    document = place.value
    document["steps"].sort(key=lambda step: is_test_path(step["file"]))
    return document


def _kept(place: Place, shown: str) -> Any:
    path = _path_of(shown) if shown.startswith("$") else (json.loads(shown),)
    value = place.value
    for step in path:
        value = (json.loads(value) if isinstance(value, str) else value)[step]
    return json.loads(value) if isinstance(value, str) else value


def _record_removed(place: Place, index: str) -> Any:
    document = place.value
    del document[int(index)]
    return document


_ON_VALUES: tuple[tuple[str, Callable[..., Any]], ...] = (
    (rf"Rename {_QUOTED} to {_QUOTED}\.", _renamed),
    (rf"Write {_QUOTED} everywhere\.", _on_paths(_everywhere)),
    (rf"Write ({_QUOTED}|-?[0-9]+|\[.*\])\.", lambda p, shown, *_: _written(p, shown)),
    (r"Remove the \[ \] around this value\.", _each_alike(lambda value: value[0])),
    (r"Remove the quotes around this number\.", _each_alike(json.loads)),
    (r"Write \[ and \] around this value\.", _each_alike(lambda value: [value])),
    (r"Write the number in double quotes\.", _each_alike(str)),
    (
        r"Remove (\S+) from the start of each path\..*",
        _on_paths(lambda path, prefix: path.removeprefix(prefix)),
    ),
    (
        r"Begin each path with (\S+): .*",
        _on_paths(lambda path, prefix: path if path.startswith(prefix) else prefix + path),
    ),
    (r"Write / in place of each \\ in the paths\.", _on_paths(lambda p: p.replace("\\", "/"))),
    (
        r"Write only one / between two names\.",
        _each_alike(lambda path: re.sub("(?<=[^/])/+(?=[^/])", "/", path)),
    ),
    (r"Remove the /\. from the path\.", _each_alike(lambda path: path.replace("/.", "", 1))),
    (
        r"Remove (\S+) from the start of the name\.",
        lambda p, prefix: _put(
            p.value, p.path, reduce(getitem, p.path, p.value).removeprefix(prefix)
        ),
    ),
    (r"Write one space behind the first colon\.", _each_alike(lambda t: t.replace(":", ": ", 1))),
    (r"Write an empty line before the body\.", _each_alike(lambda t: t.replace("\n", "\n\n", 1))),
    (r"Number the steps 1, 2, 3 and so on, in the order of the list\.", _numbered),
    (r"Move the test steps to the end\.", _tests_last),
    (r"Remove this entry for .*", _dropped),
    (rf"Remove every entry for {_QUOTED}\.", _without),
    (r"Keep only what is in (\S+)\.", _kept),
    (r"Remove the \[ \] around the document\.", lambda p: p.value[0]),
    (r"Remove the quotes around the document, .*", lambda p: json.loads(p.value)),
    (r"Keep one record for each scenario: remove \$\[([0-9]+)\]\.", _record_removed),
    (
        rf"Copy the text of the scenario into \"task\": {_QUOTED}",
        lambda p, text: _put(p.value, p.path, json.loads(text)),
    ),
    (
        r'Add ("x-[a-z-]+"(?:, "x-[a-z-]+")*)\.',
        lambda p, names: _put(
            p.value, p.path, [*reduce(getitem, p.path, p.value), *json.loads(f"[{names}]")]
        ),
    ),
)
