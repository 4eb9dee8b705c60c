"""Faults of the history that came with a trace: what git says is not what the artifacts say."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from verify.selftest.bundles import Bundle, files_of, unbundled
from verify.selftest.mutants import Fault
from verify.selftest.operators.documents import with_value
from verify.selftest.subjects import (
    COMMIT_KNOWN,
    GIT_FILES,
    GIT_PLAN,
    MERGED,
    MESSAGE_SAID,
    ON_BRANCH,
    ONLY_WORK,
    TIMES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.selftest.mutants import Scene

_RESULT = "git-result.json"
_MAIN = "refs/heads/main"
_MADE = re.compile(rb"(?m)^(author|committer) (.*> )([0-9]+) ")
_DAY = 86_400


class _Told(NamedTuple):
    """A scene's git result, its path, and the commit that it names."""

    path: str
    result: dict[str, str]
    commit: str


def damaged(scene: Scene) -> Iterator[Fault]:
    """Hand in a bundle that is none, or not all of one."""
    size = len(scene.data)
    for label, data in (
        ("empty", b""),
        ("a text", b"{}\n"),
        ("half of it", scene.data[: size // 2]),
        ("all but its end", scene.data[: size - 400]),
        ("another kind of bundle", scene.data.replace(b"# v2", b"# v9", 1)),
        ("a part of the history", scene.data.replace(b"\n", b"\n-" + b"a" * 40 + b" x\n", 1)),
    ):
        yield Fault(label, (COMMIT_KNOWN,), {scene.subject.path: data})


def unknown_commits(scene: Scene) -> Iterator[Fault]:
    """Name a commit that git does not have, or something that is no commit."""
    bundle, told = unbundled(scene.data), _told(scene)
    parent, tree = _parent(bundle, told.commit), _tree(bundle, told.commit)
    digits = told.commit[:-1] + ("0" if told.commit[-1] != "0" else "1")
    for label, name in (("one digit off", digits), ("its folder", tree), ("none", "f" * 40)):
        yield Fault(f"commit_sha: {label}", (COMMIT_KNOWN,), _naming(told, name))
    if f"refs/heads/{told.result['branch']}" in bundle.refs:
        yield Fault("commit_sha: the one before", (ON_BRANCH,), _naming(told, parent))
    del bundle.objects[told.commit]
    yield Fault("the commit is lacking", (COMMIT_KNOWN,), {scene.subject.path: bundle.data()})


def other_branches(scene: Scene) -> Iterator[Fault]:
    """Leave the commit on another branch, or on the default one alone."""
    bundle, told = unbundled(scene.data), _told(scene)
    branch = f"refs/heads/{told.result['branch']}"
    refs = dict(bundle.refs)
    before = _parent(bundle, refs[_MAIN])
    another = {"refs/heads/feature/another-try": told.commit}
    for label, ends in (("", {branch: before}), (", the right one is gone", {})):
        bundle.refs = {_MAIN: before, **another, **ends}
        data = {scene.subject.path: bundle.data()}
        yield Fault(f"the commit on another branch{label}", (ON_BRANCH,), data)
    bundle.refs = {**{ref: name for ref, name in refs.items() if ref != _MAIN}, _MAIN: told.commit}
    yield Fault("main moved along", (MERGED,), {scene.subject.path: bundle.data()})


def other_messages(scene: Scene) -> Iterator[Fault]:
    """Have the commit say something else."""
    said = _told(scene).result["commit_message"]
    for text in (f"{said} again", said[:-1], said.upper(), "feat: something else", f"x\n\n{said}"):
        yield _changed(scene, f"says {text!r}", MESSAGE_SAID, message=text)


def other_files(scene: Scene) -> Iterator[Fault]:
    """Have the commit change a file more, a file less, another one, or the artifacts too."""
    bundle, told = unbundled(scene.data), _told(scene)
    files = files_of(bundle, _tree(bundle, told.commit))
    before = files_of(bundle, _tree(bundle, _parent(bundle, told.commit)))
    work = sorted(path for path in files if files[path] != before.get(path))
    more = {**files, "README.md": b"# News\n"}
    yield _changed(scene, "a file more", GIT_FILES, files=more)
    yield _changed(scene, "a new file more", GIT_FILES, files={**files, "src/new.js": b"\n"})
    gone = {path: data for path, data in files.items() if path != "README.md"}
    yield _changed(scene, "a file removed", GIT_FILES, files=gone)
    for path in work:
        fewer = {each: data for each, data in files.items() if each != path}
        if path in before:
            fewer[path] = before[path]
        yield _changed(scene, f"{path}: not changed", GIT_PLAN, files=fewer)
    folder = told.path.rpartition("/")[0]
    for path in (each for each in scene.files if each.startswith(f"{folder}/")):
        with_it = {**files, path: scene.files[path]}
        yield _changed(scene, f"{path}: in the commit", ONLY_WORK, files=with_it)


def other_times(scene: Scene) -> Iterator[Fault]:
    """Have the commit dated before what it builds on, or written after it was made."""
    yield _changed(scene, "dated a day early", TIMES, moved={b"author": -_DAY, b"committer": -_DAY})
    yield _changed(scene, "made a day early", TIMES, moved={b"committer": -_DAY})
    yield _changed(scene, "written a day late", TIMES, moved={b"author": _DAY})


def _told(scene: Scene) -> _Told:
    path = next(each for each in scene.files if each.endswith(f"/{_RESULT}"))
    result: dict[str, str] = json.loads(scene.files[path])
    names = unbundled(scene.data).objects
    return _Told(path, result, next(n for n in names if n.startswith(result["commit_sha"])))


def _naming(told: _Told, commit: str) -> dict[str, bytes | None]:
    return {told.path: json.dumps(with_value(told.result, ("commit_sha",), commit)).encode()}


def _changed(
    scene: Scene,
    label: str,
    concern: str,
    *,
    message: str = "",
    files: dict[str, bytes] | None = None,
    moved: dict[bytes, int] | None = None,
) -> Fault:
    """Return the fault of another commit in the place of the work's, which the result names."""
    bundle, told = unbundled(scene.data), _told(scene)
    head, _, said = bundle.objects.pop(told.commit)[1].partition(b"\n\n")
    if files is not None:
        head = b"tree " + bundle.tree(files).encode() + head[len("tree ") + 40 :]
    for who, seconds in (moved or {}).items():
        head = _MADE.sub(lambda m, w=who, s=seconds: _at(m, w, s), head)  # type: ignore[misc]
    name = bundle.add("commit", head + b"\n\n" + (message.encode() or said))
    _replaced(bundle, told.commit, name)
    return Fault(label, (concern,), {scene.subject.path: bundle.data(), **_naming(told, name)})


def _at(match: re.Match[bytes], who: bytes, seconds: int) -> bytes:
    if match[1] != who:
        return match[0]
    return match[1] + b" " + match[2] + str(int(match[3]) + seconds).encode() + b" "


def _replaced(bundle: Bundle, old: str, new: str) -> None:
    """Put a commit in the place of another one, in branches and in the merge that names it."""
    bundle.refs = {ref: new if name == old else name for ref, name in bundle.refs.items()}
    parent = b"parent " + old.encode()
    for name, (kind, data) in list(bundle.objects.items()):
        if kind == "commit" and parent in data:
            del bundle.objects[name]
            merge = bundle.add(kind, data.replace(parent, b"parent " + new.encode()))
            _replaced(bundle, name, merge)


def _parent(bundle: Bundle, commit: str) -> str:
    return bundle.objects[commit][1].split(b"\n")[1].removeprefix(b"parent ").decode()


def _tree(bundle: Bundle, commit: str) -> str:
    return bundle.objects[commit][1][len("tree ") :][:40].decode()


ALL = (damaged, unknown_commits, other_branches, other_messages, other_files, other_times)
