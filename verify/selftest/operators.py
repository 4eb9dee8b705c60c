"""The faults of mutants: of any file, JSON document, text, folder or program."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import reduce
from itertools import chain, islice
from operator import getitem
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pipeline.terminal.programs import Version

    Operator = Callable[["Target"], Iterator["Mutation"]]

_MOST = 300  # places of one document to change
_ELEMENTS = 6  # of one array to change: the first ones, and the last
_VALUES: dict[str, Any] = {"null": None, "boolean": True, "number": 7, "string": "text"}
_VALUES |= {"array": ["text"], "object": {"key": "text"}}
_TYPES = {type(value): name for name, value in _VALUES.items()}
_NUMBER = re.compile(r"(?<![0-9A-Za-z])[0-9]{1,9}(?![0-9A-Za-z])")

# What replaces a value, by its type. A replacement that changes nothing is not a fault.
_OF_A_VALUE: dict[str, dict[str, Callable[[Any], Any]]] = {
    "string": {
        "says nothing: empty": lambda _: "",
        "says nothing: blank": lambda _: " ",
        "says nothing: an invisible character": lambda _: "\u200b",
        "reworded: other words": lambda text: f"{text}-2",
        "reworded: in a different case": str.swapcase,
        "reworded: with a space after it": lambda text: f"{text} ",
        "reworded: a different number": lambda t: _NUMBER.sub(
            lambda m: str(int(m[0]) + 1), t, count=1
        ),
        "no path: above the root": lambda text: f"../{text}",
    },
    "array": {
        "says nothing: empty": lambda _: [],
        "reordered: turned around": lambda array: array[::-1],
        "one more": lambda array: [*array, _like(*array[:1])],
    },
    "object": {"says nothing: empty": lambda _: {}},
    "boolean": {"the opposite": lambda value: not value},
    "number": {
        "renumbered: zero": lambda _: 0,
        "renumbered: negative": lambda number: -abs(number) - 1,
        "renumbered: a fraction": lambda number: number + 0.5,
    },
    "null": {},
}
# What replaces an object, by one of its keys.
_OF_A_FIELD: dict[str, Callable[[dict[str, Any], str], dict[str, Any]]] = {
    "missing": lambda object_, key: {k: v for k, v in object_.items() if k != key},
    "key in a different case": lambda object_, key: _renamed(object_, key, key.swapcase()),
    "key renamed": lambda object_, key: _renamed(object_, key, f"{key}-2"),
}
# What replaces an array, by one of its indices.
_OF_AN_ELEMENT: dict[str, Callable[[list[Any], int], list[Any]]] = {
    "dropped": lambda array, at: [*array[:at], *array[at + 1 :]],
    "twice": lambda array, at: [*array[: at + 1], *array[at:]],
    "reordered: before its predecessor": lambda array, at: (
        [*array[: at - 1], array[at], array[at - 1], *array[at + 1 :]] if at else array
    ),
}
_RESTRICTIONS = ("readonly: true", "is_background: true")  # of an agent
_FIELD = re.compile(r"(?m)^([A-Za-z_]+):.*\n")


class Mutation(NamedTuple):
    """One fault that is put into a solution."""

    label: str  #: what is wrong, the end of its name
    files: Mapping[str, bytes | None] = {}  #: which are different; None for one that is gone
    programs: Mapping[str, Version | None] = {}  #: which have other versions; None for missing


class Target(NamedTuple):
    """What a fault is put into."""

    path: str  #: relative to the submission's root; of a program its name
    kind: str  #: document, text, file, folder or program
    files: Mapping[str, bytes]  #: all of the solution that it is a part of

    @property
    def name(self) -> str:
        """Return the short name that the names of its mutants begin with."""
        return "/".join(self.path.split("/")[-2:])

    @property
    def data(self) -> bytes:
        """Return the bytes of its file."""
        return self.files[self.path]

    def faults(self, texts: Mapping[str, str | bytes]) -> Iterator[Mutation]:
        """Yield faults with other content for its file, by their labels."""
        for label, text in texts.items():
            data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
            yield Mutation(label, {self.path: data})


def _programs(target: Target) -> Iterator[Mutation]:
    yield Mutation("missing", programs={target.path: None})
    yield Mutation("too old", programs={target.path: (0, 99)})


def _folders(target: Target) -> Iterator[Mutation]:
    folder = target.path
    inside = {path: data for path, data in target.files.items() if path.startswith(f"{folder}/")}
    gone: dict[str, bytes | None] = dict.fromkeys(inside)
    moved = {path.replace(folder, f"{folder}.old", 1): data for path, data in inside.items()}
    yield Mutation("folder: removed", gone)
    yield Mutation("folder: renamed", {**gone, **moved})
    yield Mutation("folder: a file in its place", {**gone, folder: b"not a folder\n"})


def _places(target: Target) -> Iterator[Mutation]:
    """Remove the file, and move it to where people put it by mistake."""
    path = target.path
    folder, _, name = path.rpartition("/")
    above, _, last = folder.rpartition("/")
    other_root = path.removeprefix("sandbox/") if path.startswith("sandbox/") else f"sandbox/{path}"
    yield Mutation("file: removed", {path: None})
    yield Mutation("file: a folder in its place", {path: None, f"{path}/README.md": b"a folder\n"})
    for place in (
        *(other_root, name, f"{above}/{name}", f"{folder}/{last}/{name}", f"{folder}0/{name}"),
        *(f"{above}/{last.swapcase()}/{name}", f"{folder}/{name}.txt", f"{folder}/{name.upper()}"),
        *(f"{folder}/{name.rpartition('.')[0]}", f"{folder.replace('.', '')}/{name}"),
        f"{folder}/{name.replace('-', '_').capitalize()}",
    ):
        if place not in target.files:
            yield Mutation(f"file: moved to {place}", {path: None, place: target.data})


def _cuts(target: Target) -> Iterator[Mutation]:
    whole = target.data.rstrip()
    ends = {"empty": 0, "cut in the middle": len(whole) // 2, "cut at its end": len(whole) - 1}
    return target.faults({f"text: {name}": whole[:end] for name, end in ends.items()})


def _front_matter(target: Target) -> Iterator[Mutation]:
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
        swapped = name.swapcase()
        blocks[f"{name}: missing"] = head + tail
        blocks[f"{name}: named {swapped}"] = head + line.replace(name, swapped, 1) + tail
        for value in ("", '""', '" "', "[1, 2]", "true", "false", '"other-words"'):
            blocks[f"{name}: {value}"] = f"{head}{name}: {value}\n{tail}"
    yield from target.faults(
        {
            "text: no front matter": body,
            "text: no opening line": f"{block}---\n{body}",
            "text: no closing line": f"---\n{block}\n{body}",
            **{label: f"---\n{block}---\n{body}" for label, block in blocks.items()},
            "text: nothing after it": f"---\n{block}---\n \n",
            "text: not UTF-8": f"---\n# \xe9\n{block}---\n{body}".encode("latin-1", "replace"),
        }
    )


def _no_json(target: Target) -> Iterator[Mutation]:
    """Write what people and agents take for JSON; the parser's own tests have many more faults."""
    text = target.data.decode().rstrip()
    before, bracket, after = text.partition("{")
    texts: dict[str, str | bytes] = {
        "in a Markdown fence": f"```json\n{text}\n```\n",
        "in single quotes": text.replace('"', "'"),
        "a comma before the last bracket": f"{text[:-1]},{text[-1]}",
        "a key twice": f'{before}{bracket}"estimate": 1, "estimate": 1, {after}',
        "not a number": f'{before}{bracket}"estimate": NaN, {after}',
        "not UTF-8": text.encode() + b"\xe9",
    }
    return target.faults({f"text: {name}": broken for name, broken in texts.items()})


def _places_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield each place of a document and its value, of a long array the first ones and the last."""
    yield path, value
    keys: Iterable[Any] = value if isinstance(value, dict) else ()
    if isinstance(value, list):
        indices = range(len(value))
        keys = dict.fromkeys((*indices[: _ELEMENTS - 1], *indices[-1:]))
    for key in keys:
        yield from _places_in(value[key], (*path, key))


def _put(document: Any, path: Sequence[Any], value: Any) -> Any:
    """Return a document with a different value at a place."""
    if not path:
        return value
    copy = document.copy()
    copy[path[0]] = _put(copy[path[0]], path[1:], value)
    return copy


def _changed(document: Any, path: tuple[Any, ...], value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a label and the document with one change at a place."""
    type_ = _TYPES.get(type(value), "number")
    for name, replacement in _VALUES.items():
        if name != type_:
            yield f"of a different type: {name}", _put(document, path, replacement)
    for label, change in _OF_A_VALUE[type_].items():
        yield label, _put(document, path, change(value))
    if path:
        *above, key = path
        parent = reduce(getitem, above, document)
        changes: Any = _OF_A_FIELD if isinstance(parent, dict) else _OF_AN_ELEMENT
        for label, change in changes.items():
            yield label, _put(document, above, change(parent, key))


def _neighbours(document: Any, path: tuple[Any, ...], value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the document with the values that other elements of an array have in the same field."""
    array = reduce(getitem, path[:-2], document) if path[1:] else None
    if isinstance(value, (str, list)) and isinstance(array, list):
        for index, neighbour in enumerate(array[:_ELEMENTS]):
            if isinstance(neighbour, dict) and path[-1] in neighbour:
                yield f"neighbour: as in {index}", _put(document, path, neighbour[path[-1]])


def _documents(target: Target) -> Iterator[Mutation]:
    """Change one place of a document, or one text wherever it is."""
    document = json.loads(target.data)
    places = list(islice(_places_in(document), _MOST))
    texts = [value for _, value in places if isinstance(value, str)]
    changes = (
        (f"{'.'.join(map(str, ('$', *path)))}: {label}", changed)
        for path, value in places
        for operator in (_changed, _neighbours)
        for label, changed in operator(document, path, value)
    )
    whole = json.dumps(document, ensure_ascii=False)
    for label, changed in chain(changes, _everywhere(document, texts)):
        text = json.dumps(changed, ensure_ascii=False)
        if text != whole:
            yield from target.faults({label: text})


def _like(first: Any = "text") -> Any:
    """Return one more element for an array, of the type of its first."""
    return f"other/{first}" if isinstance(first, str) else first


def _renamed(object_: dict[str, Any], key: str, name: str) -> dict[str, Any]:
    return {**_OF_A_FIELD["missing"](object_, key), name: object_[key]}


def _everywhere(document: Any, texts: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield a document with one text or folder renamed or forgotten wherever it is."""
    paths = [text for text in texts if " " not in text and "://" not in text]
    for text, count in Counter(texts).items():
        if count > 1:
            yield f"{text!r} everywhere: renamed", replaced(document, {text: f"{text}-2"})
            yield f"{text!r} everywhere: forgotten", _without(document, {text}, paths)
    for folder in dict.fromkeys(part for text in paths for part in text.split("/")[:-1]):
        renamed = {text: text.replace(f"{folder}/", f"{folder}-2/") for text in paths}
        yield f"folder {folder!r} everywhere: renamed", replaced(document, renamed)
        gone = {text for text in paths if f"/{folder}/" in f"/{text}"}
        yield f"folder {folder!r} everywhere: forgotten", _without(document, gone, paths)


def _without(value: Any, texts: set[str], paths: Sequence[str]) -> Any:
    """Return a document without these texts, and without the objects of an array that have one.

    In other objects the first of the other paths takes their place: nothing else is wrong there.
    """

    def has_one(element: Any) -> bool:
        values = element.values() if isinstance(element, dict) else (element,)
        return any(isinstance(text, str) and text in texts for text in values)

    if isinstance(value, list):
        return [_without(element, texts, paths) for element in value if not has_one(element)]
    if isinstance(value, dict):
        return {key: _without(element, texts, paths) for key, element in value.items()}
    return next((path for path in paths if path not in texts), "") if has_one(value) else value


def replaced(value: Any, texts: Mapping[str, str]) -> Any:
    """Return a copy of a document with other texts wherever these are whole values."""
    if isinstance(value, dict):
        return {key: replaced(element, texts) for key, element in value.items()}
    if isinstance(value, list):
        return [replaced(element, texts) for element in value]
    return texts.get(value, value) if isinstance(value, str) else value


OPERATORS: dict[str, tuple[Operator, ...]] = {
    "document": (_places, _cuts, _no_json, _documents),
    "text": (_places, _cuts, _front_matter),
    "file": (_places,),
    "folder": (_folders,),
    "program": (_programs,),
}
