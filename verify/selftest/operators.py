"""The faults that mutants have. Any file, JSON document, text, folder or program can have them."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pipeline.terminal.host import Version

Path = tuple["str | int", ...]

_MOST = 300  # places of one document to change
_ELEMENTS = 6  # of one array to change: the first ones, and the last
_VALUES: dict[str, Any] = {
    "null": None,
    "boolean": True,
    "number": 7,
    "string": "text",
    "array": ["text"],
    "object": {"key": "text"},
}
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
_MEMBERS = (  # put before the first member of the first object
    ("NaN", '"estimate": NaN,'),
    ("a number with a leading zero", '"estimate": 01,'),
    ("half a character", '"estimate": "\\ud800",'),
    ("a key without quotes", "estimate: 1,"),
    ("a comment", "/* by the planner */"),
    ("a comma too many", ","),
)
_FIELD = re.compile(r"(?m)^([A-Za-z_]+):.*\n")


class Fault(NamedTuple):
    """One fault: which files are different (None: gone), which programs are."""

    label: str
    files: Mapping[str, bytes | None] = {}
    programs: Mapping[str, Version | None] = {}


class Target(NamedTuple):
    """What a fault is put into. `kind` is document, text, file, folder or program.

    `path` is relative to the submission's root; of a program it is the name.
    """

    path: str
    kind: str

    @property
    def name(self) -> str:
        """Return the short name that the names of its mutants begin with."""
        folder, _, name = self.path.rpartition("/")
        return f"{folder.rpartition('/')[2]}/{name}" if folder else name


class Scene(NamedTuple):
    """All files of a solution, and the one thing in it to change."""

    files: Mapping[str, bytes]
    target: Target

    @property
    def data(self) -> bytes:
        """Return the bytes of the target's file."""
        return self.files[self.target.path]


if TYPE_CHECKING:
    Operator = Callable[[Scene], Iterator[Fault]]


def _programs(scene: Scene) -> Iterator[Fault]:
    program = scene.target.path
    yield Fault("missing", programs={program: None})
    yield Fault("too old", programs={program: (0, 99)})


def _folders(scene: Scene) -> Iterator[Fault]:
    folder = scene.target.path
    inside = {path: data for path, data in scene.files.items() if path.startswith(f"{folder}/")}
    gone: dict[str, bytes | None] = dict.fromkeys(inside)
    other = {path.replace(folder, f"{folder}.old", 1): data for path, data in inside.items()}
    yield Fault("folder: removed", gone)
    yield Fault("folder: renamed", {**gone, **other})
    yield Fault("folder: a file in its place", {**gone, folder: b"not a folder\n"})


def _places(scene: Scene) -> Iterator[Fault]:
    """Remove the file, and move it to where people put it by mistake."""
    path = scene.target.path
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
        if place not in scene.files:
            yield Fault(f"file: moved to {place}", {path: None, place: scene.data})


def _cuts(scene: Scene) -> Iterator[Fault]:
    whole = scene.data.rstrip()
    ends = {"empty": 0, "cut in the middle": len(whole) // 2, "cut at its end": len(whole) - 1}
    for name, end in ends.items():
        yield Fault(f"text: {name}", {scene.target.path: whole[:end]})


def _front_matter(scene: Scene) -> Iterator[Fault]:
    """Break the block between the first two lines of dashes, and each field in it."""
    _before, fence, rest = scene.data.partition(b"---\n")
    if _before or not fence or b"---\n" not in rest:
        return
    block, _, body = (part.decode("utf-8", "replace") for part in rest.partition(b"---\n"))
    texts = {
        "text: no front matter": body,
        "text: no opening line": f"{block}---\n{body}",
        "text: no closing line": f"---\n{block}\n{body}",
        "text: an empty front matter": f"---\n---\n{body}",
        "text: a line that is no field": f"---\n{block}this is prose\n---\n{body}",
        "text: a field twice": f"---\n{block.partition(chr(10))[0]}\n{block}---\n{body}",
        "text: nothing after it": f"---\n{block}---\n \n",
        "text: not UTF-8": f"---\n# \xe9\n{block}---\n{body}",
    }
    for field in _FIELD.finditer(block):
        head, tail, name = block[: field.start()], block[field.end() :], field[1]
        texts[f"{name}: missing"] = f"---\n{head}{tail}---\n{body}"
        texts[f"{name}: named {name.swapcase()}"] = (
            f"---\n{head}{field[0].replace(name, name.swapcase(), 1)}{tail}---\n{body}"
        )
        for value in ("", '""', '" "', "[1, 2]", "true", "false", '"other-words"'):
            texts[f"{name}: {value}"] = f"---\n{head}{name}: {value}\n{tail}---\n{body}"
    for label, text in texts.items():
        encoding = "latin-1" if label == "text: not UTF-8" else "utf-8"
        yield Fault(label, {scene.target.path: text.encode(encoding, "replace")})


def _no_json(scene: Scene) -> Iterator[Fault]:
    """Write what people and agents take for JSON, and members that JSON does not have."""
    text = scene.data.decode().rstrip()
    before, bracket, after = text.partition("{")
    texts = {
        "in a Markdown fence": f"```json\n{text}\n```\n",
        "after a sentence": f"Here it is:\n{text}\n",
        "twice": f"{text}\n{text}\n",
        "in single quotes": text.replace('"', "'"),
        "a comma before the last bracket": f"{text[:-1]},{text[-1]}",
        **{name: f"{before}{bracket}{member}{after}" for name, member in _MEMBERS if bracket},
    }
    document = json.loads(scene.data)
    first = document[0] if isinstance(document, list) and document else document
    if isinstance(first, dict) and first:
        key, value = next(iter(first.items()))
        for name, again in (("a key twice", value), ("a key twice, with null", None)):
            member = f"{json.dumps(key)}: {json.dumps(again)},"
            texts[name] = f"{before}{bracket}{member}{after}"
    odd = {"in UTF-16": text.encode("utf-16"), "not UTF-8": text.encode() + b"\xe9"}
    for name, data in {**{name: each.encode() for name, each in texts.items()}, **odd}.items():
        yield Fault(f"text: {name}", {scene.target.path: data})


def _documents(scene: Scene) -> Iterator[Fault]:
    """Change one place of a document, or one text wherever it is."""
    document = json.loads(scene.data)
    places = list(islice(_walked(document, ()), _MOST))
    for path in places:
        place = ".".join(map(str, ("$", *path)))
        for label, changed in _changed(document, path):
            yield _written(scene, f"{place}: {label}", changed)
    texts = [each for each in map(partial(value_at, document), places) if isinstance(each, str)]
    for label, changed in _everywhere(document, texts):
        yield _written(scene, label, changed)


def _changed(document: Any, path: Path) -> Iterator[tuple[str, Any]]:
    """Yield a document with something else at a path: label, document."""
    value = value_at(document, path)
    for label, other in _others(value):
        yield label, with_value(document, path, other)
    if not path:
        return
    parent, last = value_at(document, path[:-1]), path[-1]
    if isinstance(parent, dict):
        without = {key: each for key, each in parent.items() if key != last}
        yield "missing", with_value(document, path[:-1], without)
        for label, name in (("in another case", str(last).swapcase()), ("another", f"{last}-2")):
            yield f"key {label}", with_value(document, path[:-1], {**without, name: value})
    else:
        index = int(last)
        fewer = [*parent[:index], *parent[index + 1 :]]
        yield "dropped", with_value(document, path[:-1], fewer)
        yield "twice", with_value(document, path[:-1], [*parent[: index + 1], *parent[index:]])
        if index:
            before = [*parent[: index - 1], value, parent[index - 1], *parent[index + 1 :]]
            yield "reordered: before the one before it", with_value(document, path[:-1], before)
    yield from _neighbours(document, path)


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


def _neighbours(document: Any, path: Path) -> Iterator[tuple[str, Any]]:
    """Yield a document with the texts that other elements of an array have in the same field."""
    own, element = value_at(document, path), path[-2] if path[1:] else ""
    if not isinstance(own, (str, list)) or not isinstance(element, int):
        return
    seen = [own]
    for index, other in enumerate(value_at(document, path[:-2])[:_ELEMENTS]):
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
    if isinstance(value, list):
        held = ((each, each.values() if isinstance(each, dict) else (each,)) for each in value)
        return [_without(each, texts, paths) for each, own in held if not _any_of(own, texts)]
    if isinstance(value, dict):
        return {key: _without(each, texts, paths) for key, each in value.items()}
    return next((p for p in paths if p not in texts), "") if _any_of((value,), texts) else value


def _any_of(values: Iterable[Any], texts: set[str]) -> bool:
    return any(isinstance(each, str) and each in texts for each in values)


def _walked(value: Any, path: Path) -> Iterator[Path]:
    """Yield the paths of a document's values, itself first."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from _walked(value[key], (*path, key))
    elif isinstance(value, list):
        indices = range(len(value))
        for index in dict.fromkeys((*indices[: _ELEMENTS - 1], *indices[-1:])):
            yield from _walked(value[index], (*path, index))


def value_at(document: Any, path: Path) -> Any:
    """Return the value at a path."""
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


def _written(scene: Scene, label: str, document: Any) -> Fault:
    data = json.dumps(document, ensure_ascii=False).encode()
    return Fault(label, {scene.target.path: data})


OPERATORS: dict[str, tuple[Operator, ...]] = {
    "document": (_places, _cuts, _no_json, _documents),
    "text": (_places, _cuts, _front_matter),
    "file": (_places,),
    "folder": (_folders,),
    "program": (_programs,),
}
