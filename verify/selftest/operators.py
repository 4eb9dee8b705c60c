"""The faults that mutants have. Any file, JSON document, text, folder or program can have them."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pipeline.terminal.host import Version

    Operator = Callable[["Target"], Iterator["Fault"]]

Path = tuple["str | int", ...]

_MOST = 300  # places of one document to change
_ELEMENTS = 6  # of one array to change: the first ones, and the last
_VALUES: dict[str, Any] = {"null": None, "boolean": True, "number": 7, "string": "text"}
_VALUES |= {"array": ["text"], "object": {"key": "text"}}
_TYPES = {type(value): name for name, value in _VALUES.items()}
_NUMBER = re.compile(r"(?<![0-9A-Za-z])[0-9]{1,9}(?![0-9A-Za-z])")
_CHANGES: dict[str, dict[str, Callable[[Any], Any]]] = {
    "string": {
        "says nothing: empty": lambda _: "",
        "says nothing: blank": lambda _: " ",
        "says nothing: an invisible character": lambda _: "\u200b",
        "reworded: other words": lambda text: f"{text}-2",
        "reworded: in another case": str.swapcase,
        "reworded: with a space after it": lambda text: f"{text} ",
        "reworded: another number": lambda t: _NUMBER.sub(lambda m: str(int(m[0]) + 1), t, count=1),
        "no path: above the root": lambda text: f"../{text}",
    },
    "array": {
        "says nothing: empty": lambda _: [],
        "reordered: turned around": lambda array: array[::-1],
        "one more": lambda array: [*array, _more(*array[:1])],
    },
    "object": {
        "says nothing: empty": lambda _: {},
        "a field too many": lambda value: {**value, "x-unheard-of": "text"},
    },
    "boolean": {"the opposite": lambda value: not value},
    "number": {
        "renumbered: zero": lambda _: 0,
        "renumbered: negative": lambda number: -abs(number) - 1,
        "renumbered: a fraction": lambda number: number + 0.5,
    },
    "null": {},
}
_MEMBERS = {  # put before the first member of the first object
    "NaN": '"estimate": NaN,',
    "infinity": '"estimate": Infinity,',
    "a number with a leading zero": '"estimate": 01,',
    "half a character": '"estimate": "\\ud800",',
    "a key without quotes": "estimate: 1,",
    "a comment": "/* by the planner */",
    "a comma too many": ",",
}
_RESTRICTIONS = ("readonly: true", "is_background: true")  # of an agent
_FIELD = re.compile(r"(?m)^([A-Za-z_]+):.*\n")


class Fault(NamedTuple):
    """One fault: which files are different (None: gone), which programs are."""

    label: str
    files: Mapping[str, bytes | None] = {}
    programs: Mapping[str, Version | None] = {}


class Target(NamedTuple):
    """What a fault is put into, and all files of the solution that it is a part of.

    `kind` is document, text, file, folder or program. `path` is relative to the submission's root;
    of a program it is the name.
    """

    path: str
    kind: str
    files: Mapping[str, bytes]

    @property
    def name(self) -> str:
        """Return the short name that the names of its mutants begin with."""
        return "/".join(self.path.split("/")[-2:])

    @property
    def data(self) -> bytes:
        """Return the bytes of its file."""
        return self.files[self.path]

    def faults(self, texts: Mapping[str, str | bytes]) -> Iterator[Fault]:
        """Yield faults with other content for its file, by their labels."""
        for label, text in texts.items():
            data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
            yield Fault(label, {self.path: data})


def _programs(target: Target) -> Iterator[Fault]:
    yield Fault("missing", programs={target.path: None})
    yield Fault("too old", programs={target.path: (0, 99)})


def _folders(target: Target) -> Iterator[Fault]:
    folder = target.path
    inside = {path: data for path, data in target.files.items() if path.startswith(f"{folder}/")}
    gone: dict[str, bytes | None] = dict.fromkeys(inside)
    other = {path.replace(folder, f"{folder}.old", 1): data for path, data in inside.items()}
    yield Fault("folder: removed", gone)
    yield Fault("folder: renamed", {**gone, **other})
    yield Fault("folder: a file in its place", {**gone, folder: b"not a folder\n"})


def _places(target: Target) -> Iterator[Fault]:
    """Remove the file, and move it to where people put it by mistake."""
    path = target.path
    folder, _, name = path.rpartition("/")
    above, _, last = folder.rpartition("/")
    other_root = path.removeprefix("sandbox/") if path.startswith("sandbox/") else f"sandbox/{path}"
    yield Fault("file: removed", {path: None})
    yield Fault("file: a folder in its place", {path: None, f"{path}/README.md": b"a folder\n"})
    for place in (
        *(other_root, name, f"{above}/{name}", f"{folder}/{last}/{name}", f"{folder}0/{name}"),
        *(f"{above}/{last.swapcase()}/{name}", f"{folder}/{name}.txt", f"{folder}/{name.upper()}"),
        *(f"{folder}/{name.rpartition('.')[0]}", f"{folder.replace('.', '')}/{name}"),
        f"{folder}/{name.replace('-', '_').capitalize()}",
    ):
        if place not in target.files:
            yield Fault(f"file: moved to {place}", {path: None, place: target.data})


def _cuts(target: Target) -> Iterator[Fault]:
    whole = target.data.rstrip()
    ends = {"empty": 0, "cut in the middle": len(whole) // 2, "cut at its end": len(whole) - 1}
    return target.faults({f"text: {name}": whole[:end] for name, end in ends.items()})


def _front_matter(target: Target) -> Iterator[Fault]:
    """Break the block between the first two lines of dashes, and each field in it."""
    before, _, rest = target.data.decode("utf-8", "replace").partition("---\n")
    block, fence, body = rest.partition("---\n")
    if before or not fence:
        return
    blocks = {
        "text: an empty front matter": "",
        "text: a line without a field": f"{block}this is prose\n",
        "text: a field twice": f"{block.partition(chr(10))[0]}\n{block}",
        **{f"with {field}": f"{field}\n{block}" for field in _RESTRICTIONS},
    }
    for field in _FIELD.finditer(block):
        head, line, tail, name = block[: field.start()], field[0], block[field.end() :], field[1]
        other = name.swapcase()
        blocks[f"{name}: missing"] = head + tail
        blocks[f"{name}: named {other}"] = head + line.replace(name, other, 1) + tail
        for value in ("", '""', '" "', "[1, 2]", "true", "false", '"other-words"'):
            blocks[f"{name}: {value}"] = f"{head}{name}: {value}\n{tail}"
    yield from target.faults(
        {
            "text: no front matter": body,
            "text: no opening line": f"{block}---\n{body}",
            "text: no closing line": f"---\n{block}\n{body}",
            **{label: f"---\n{other}---\n{body}" for label, other in blocks.items()},
            "text: nothing after it": f"---\n{block}---\n \n",
            "text: not UTF-8": f"---\n# \xe9\n{block}---\n{body}".encode("latin-1", "replace"),
        }
    )


def _no_json(target: Target) -> Iterator[Fault]:
    """Write what people and agents take for JSON, and members that JSON does not have."""
    text = target.data.decode().rstrip()
    before, bracket, after = text.partition("{")
    members = dict(_MEMBERS) if bracket else {}
    document = json.loads(text)
    first = document[0] if isinstance(document, list) and document else document
    if isinstance(first, dict) and first:
        key, value = next(iter(first.items()))
        members["a key twice"] = f"{json.dumps(key)}: {json.dumps(value)},"
        members["a key twice, with null"] = f"{json.dumps(key)}: null,"
    texts: dict[str, str | bytes] = {
        "in a Markdown fence": f"```json\n{text}\n```\n",
        "after a sentence": f"Here it is:\n{text}\n",
        "twice": f"{text}\n{text}\n",
        "in single quotes": text.replace('"', "'"),
        "a comma before the last bracket": f"{text[:-1]},{text[-1]}",
        **{name: f"{before}{bracket}{member}{after}" for name, member in members.items()},
        "in UTF-16": text.encode("utf-16"),
        "not UTF-8": text.encode() + b"\xe9",
    }
    return target.faults({f"text: {name}": each for name, each in texts.items()})


def _documents(target: Target) -> Iterator[Fault]:
    """Change one place of a document, or one text wherever it is."""
    document = json.loads(target.data)
    places = list(islice(_walked(document), _MOST))
    texts = [value for _, value in places if isinstance(value, str)]
    changes = (
        (f"{'.'.join(map(str, ('$', *path)))}: {label}", changed)
        for path, value in places
        for label, changed in _changed(document, path, value)
    )
    for label, changed in chain(changes, _everywhere(document, texts)):
        yield from target.faults({label: json.dumps(changed, ensure_ascii=False)})


def _changed(document: Any, path: Path, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a document with something else at a path: label, document."""
    for label, other in _others(value):
        yield label, with_value(document, path, other)
    if not path:
        return
    *above, last = path
    parent = _value_at(document, above)
    beside = _without_field(parent, last) if isinstance(parent, dict) else _moved(parent, int(last))
    for label, other in beside:
        yield label, with_value(document, tuple(above), other)
    yield from _neighbours(document, path, value)


def _others(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield other values for one: of another type, empty, blank, other words, another number."""
    own = _TYPES.get(type(value), "number")
    for name, other in _VALUES.items():
        if name != own:
            yield f"of another type: {name}", other
    changed = ((label, change(value)) for label, change in _CHANGES[own].items())
    yield from ((label, other) for label, other in changed if other != value)


def _more(first: Any = "text") -> Any:
    """Return one more element for an array, of the type of its first."""
    return f"other/{first}" if isinstance(first, str) else first


def _without_field(parent: dict[str, Any], key: Any) -> Iterator[tuple[str, Any]]:
    without = {other: value for other, value in parent.items() if other != key}
    yield "missing", without
    yield "key in another case", {**without, key.swapcase(): parent[key]}
    yield "key another", {**without, f"{key}-2": parent[key]}


def _moved(array: list[Any], index: int) -> Iterator[tuple[str, Any]]:
    yield "dropped", [*array[:index], *array[index + 1 :]]
    yield "twice", [*array[: index + 1], *array[index:]]
    if index:
        one, other = array[index - 1 : index + 1]
        before = [*array[: index - 1], other, one, *array[index + 1 :]]
        yield "reordered: before the one before it", before


def _neighbours(document: Any, path: Path, own: Any) -> Iterator[tuple[str, Any]]:
    """Yield a document with the texts that other elements of an array have in the same field."""
    element = path[-2] if path[1:] else ""
    if not isinstance(own, (str, list)) or not isinstance(element, int):
        return
    seen = [own]
    for index, other in enumerate(_value_at(document, path[:-2])[:_ELEMENTS]):
        value = other.get(path[-1], own) if isinstance(other, dict) else own
        if value not in seen:
            seen.append(value)
            yield f"neighbour: as in {index}", with_value(document, path, value)


def _everywhere(document: Any, texts: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield a document with one thing replaced or forgotten wherever it is: a text, a folder."""
    paths = [text for text in texts if " " not in text and "://" not in text]
    for text, count in Counter(texts).items():
        if count > 1:
            yield f"{text!r} everywhere: renamed", replaced(document, {text: f"{text}-2"})
            yield f"{text!r} everywhere: forgotten", _without(document, {text}, paths)
    for folder in dict.fromkeys(part for text in paths for part in text.split("/")[:-1]):
        others = {text: text.replace(f"{folder}/", f"{folder}-2/") for text in paths}
        yield f"folder {folder!r} everywhere: renamed", replaced(document, others)
        gone = {text for text in paths if f"/{folder}/" in f"/{text}"}
        yield f"folder {folder!r} everywhere: forgotten", _without(document, gone, paths)


def _without(value: Any, texts: set[str], paths: Sequence[str]) -> Any:
    """Return a document without some texts, and without the objects of an array that have one.

    In other objects the first of the other paths takes their place: nothing else is wrong there.
    """

    def has_one(element: Any) -> bool:
        own = element.values() if isinstance(element, dict) else (element,)
        return any(isinstance(each, str) and each in texts for each in own)

    if isinstance(value, list):
        return [_without(each, texts, paths) for each in value if not has_one(each)]
    if isinstance(value, dict):
        return {key: _without(each, texts, paths) for key, each in value.items()}
    return next((path for path in paths if path not in texts), "") if has_one(value) else value


def _walked(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield a document's values with their paths, itself first."""
    yield path, value
    if isinstance(value, dict):
        for key in value:
            yield from _walked(value[key], (*path, key))
    elif isinstance(value, list):
        indices = range(len(value))
        for index in dict.fromkeys((*indices[: _ELEMENTS - 1], *indices[-1:])):
            yield from _walked(value[index], (*path, index))


def _value_at(document: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        document = document[step]
    return document


def with_value(document: Any, path: Path, value: Any) -> Any:
    """Return a copy of the document with another value at a path."""
    if not path:
        return value
    copy: Any = document.copy()
    copy[path[0]] = with_value(document[path[0]], path[1:], value)
    return copy


def replaced(document: Any, texts: Mapping[str, str]) -> Any:
    """Return a copy of the document with other texts wherever these are whole values."""
    if isinstance(document, dict):
        return {key: replaced(value, texts) for key, value in document.items()}
    if isinstance(document, list):
        return [replaced(value, texts) for value in document]
    return texts.get(document, document) if isinstance(document, str) else document


OPERATORS: dict[str, tuple[Operator, ...]] = {
    "document": (_places, _cuts, _no_json, _documents),
    "text": (_places, _cuts, _front_matter),
    "file": (_places,),
    "folder": (_folders,),
    "program": (_programs,),
}
