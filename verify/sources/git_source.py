"""Git repositories and bundles: one a learner, graded by a commit; no git program is started."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.display import visible
from pipeline.reading import Unreadable
from verify.history.bundles import SIGNATURES
from verify.history.deltas import DamagedObject
from verify.history.packs import TooLargeObject
from verify.history.refs import NoSuchRef
from verify.sources.base import Entry, Near, UnusableSource
from verify.sources.git_naming import learners, stem
from verify.sources.git_opening import opened
from verify.sources.git_tree import CommitTree
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from verify.submission import Submission

KIND = "git"
_BUNDLE = ".bundle"
_COHORT = 3  # repositories: of fewer, one without the ref may be the learner's fault
_ASKED = 200  # the most that are asked for the ref; the first that has it settles it
_REF_END = ":"  # no ref has a colon in its name


def is_git_place(path: str) -> bool:
    """Tell whether a path is a bundle, a bare repository, or a folder of nothing but those.

    Normal clones are folders of submissions like any other, unless a ref is asked for.
    """
    if _is_bundle(path) or _is_bare(path):
        return True
    holds = False
    try:
        for name in _named(path):  # the first that is neither decides
            if not (name.endswith(_BUNDLE) or _is_bare(os.path.join(path, name))):
                return False
            holds = True
    except OSError:
        return False
    return holds


def is_repository(path: str) -> bool:
    """Tell whether a path is one repository or bundle, not a folder of them."""
    return _is_bundle(path) or _is_bare(path) or os.path.isdir(os.path.join(path, ".git"))


class GitSource:
    """The bundles, bare repositories and clones in a folder, or a single one of them.

    `ref` names the branch or tag that is graded, by default what HEAD says. `inner` is `NAME`, or
    `REF:NAME`.

    Raises:
        UnusableSource: the path is missing, or neither a folder nor a bundle.
    """

    kind = KIND

    def __init__(self, path: str, ref: str | None = None) -> None:
        self.container = os.path.abspath(path)
        self._ref = ref
        self._only = ""
        if ref is not None and not _may_name(ref):
            raise UnusableSource(
                f"--ref {visible(ref, 60)} cannot be the name of a branch or a tag"
            )
        if is_repository(self.container):
            self.container, self._only = os.path.split(os.path.realpath(path))
        elif not os.path.isdir(self.container):
            told = f"{visible(path, 300)} is neither a folder nor a git bundle"
            raise UnusableSource(told if os.path.lexists(path) else f"{told}: it does not exist")

    def entries(self) -> Iterator[Entry]:
        """Yield one entry a folder and a bundle, sorted by name.

        A folder that turns out to be no repository is that learner's outcome, not a gap.

        Raises:
            UnusableSource: the folder cannot be listed.
        """
        if self._only:
            of = os.path.basename(self.container) if self._only == ".git" else self._only
            yield Entry(stem(of), self._inner(self._only))
            return
        try:
            names = _names(self.container)
        except OSError as error:
            told = f"{visible(self.container, 300)} cannot be listed"
            raise UnusableSource(f"{told}: {(error.strerror or 'unknown').lower()}") from None
        for name in names:
            if not name.isprintable() and any("\ud800" <= c <= "\udfff" for c in name):
                told = "has a name that is no UTF-8 text: rename it"
                raise UnusableSource(f"{visible(os.path.join(self.container, name), 300)} {told}")
        self._refuse_unknown_ref(names)
        found = learners(self.container, names)
        for name, (learner, aliases) in zip(names, found, strict=True):
            yield Entry(learner, self._inner(name), aliases=aliases)

    def payload(self, inner: str) -> str:
        """Return the ref and the name."""
        return inner

    def close(self) -> None:
        """Hold nothing."""

    def _refuse_unknown_ref(self, names: list[str]) -> None:
        """Refuse a ref that no learner has: it is misspelt, which is nobody's zero."""
        if self._ref is None or len(names) < _COHORT:
            return
        for name in names[:_ASKED]:
            try:
                repository = opened(os.path.join(self.container, name), self._ref)
            except NoSuchRef:
                continue
            except (NoSubmission, Unreadable, DamagedObject, TooLargeObject):
                return
            repository.objects.close()
            return
        told = f"no repository in {visible(self.container, 300)} has a branch or tag"
        raise UnusableSource(f"{told} {visible(self._ref, 60)}: is --ref misspelt?")

    def _inner(self, name: str) -> str:
        return name if self._ref is None and _REF_END not in name else f"{self._ref or ''}:{name}"


class GitBackend(Near):
    """The folder of repositories as a worker opens it."""

    def __init__(self, container: str) -> None:
        self._container = container

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Hold nothing."""

    def submission(self, payload: str) -> Submission:
        """Return the door to the commit of one repository.

        Raises:
            NoSubmission: it is missing, damaged, too large, or has no such ref.
        """
        ref, colon, name = payload.partition(_REF_END)
        if not colon:
            ref, name = "", payload
        path = os.path.join(self._container, name)
        try:
            repository = opened(path, ref or None)
        except (Unreadable, DamagedObject) as error:
            raise NoSubmission(f"cannot be read as a git repository: {error}") from None
        except TooLargeObject:
            told = "holds more than a grader reads through: hand in a bundle of one branch"
            raise NoSubmission(told) from None
        try:
            return CommitTree(name, repository)
        except BaseException as error:
            repository.objects.close()
            if isinstance(error, Unreadable):
                raise NoSubmission(str(error)) from None
            raise


def _names(path: str) -> list[str]:
    """Return the sorted names of the folders and bundles in a folder."""
    return sorted(_named(path))


def _named(path: str) -> Iterator[str]:
    """Yield the same, in the order of the disk."""
    with os.scandir(path) as found:
        for entry in found:
            bundle = entry.name.endswith(_BUNDLE) and entry.is_file(follow_symlinks=False)
            if entry.name[0] != "." and (bundle or entry.is_dir(follow_symlinks=False)):
                yield entry.name


def _is_bare(path: str) -> bool:
    has = all(os.path.isdir(os.path.join(path, name)) for name in ("objects", "refs"))
    return has and os.path.isfile(os.path.join(path, "HEAD"))


def _is_bundle(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(SIGNATURES[0])) in SIGNATURES
    except OSError:
        return False


def _may_name(ref: str) -> bool:
    """Tell whether a text may be a ref's name, by the rules of git that a path depends on."""
    steps = ref.split("/")
    return (
        ref.isprintable() and not set(ref) & set(" ~^:?*[\\") and not set(steps) & {"", ".", ".."}
    )
