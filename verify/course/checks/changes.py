"""A list of changed files compared with what git shows: what differs, and the one cause of it."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from posixpath import commonpath
from stat import S_ISREG
from typing import TYPE_CHECKING, NamedTuple

from pipeline.files import DENIED, Unreadable
from pipeline.protocol.layout import composed, in_target
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import listed, named
from verify.submissions.history.faults import SUBMODULE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verify.submissions.history.history import FileChange, History

_SPARE = 100  # files more than twice those listed: a base with so many changes is not the right one
_STATUS = re.compile(r" ?(?:[MADRCTU?!]{1,2}|R[0-9]+|modified:|new file:|deleted:)\s+(?=\S)")
_EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # what git compares a first commit with
_DIFF = "git -c core.quotePath=off diff --no-renames --name-only {} {}"
_COMPARE = (
    "Compare the list with what `{}` prints. If the work is complete, have the agent that wrote"
    " this artifact write it again; if not, commit the rest and publish again."
)
_ONE = "a change to a file that is"
_STAGE = "Commit the files of the work by name (git add FILE, not git add -A), and publish again."
_BEGIN = (
    "Commit the project as it was before the work on main, have the work committed on a branch that"
    " is created from there, and publish again."
)
_LEAVE_OUT = (
    "If these are not files of the work, take them out of the commit (git rm -r --cached {0}; git"
    " commit --amend), and publish again."
)
_INNER = (
    "Move the .git of {0} out of the project (mv {0}/.git ../inner.git), run git rm --cached {0}"
    " and git add {0}, commit, and publish again."
)


def paths_of(written: Sequence[str], target: str) -> dict[str, int]:
    """Return the paths of a list as they are read from the submission's root, with their places."""
    return {composed(in_target(target, path)): at for at, path in enumerate(written)}


class Claim(NamedTuple):
    """The paths that a field lists, compared with what git shows.

    Of a renamed file one name is enough.
    """

    history: History
    field: str  #: of the artifact, such as `files_changed`
    listed: Mapping[str, int]  #: the paths, each with its place in the field
    tip: str  #: the commit that the work ends with
    base: str = ""  #: the commit that the work begins after
    changes: Mapping[str, FileChange] = {}  #: what git shows between the two
    extra: Sequence[str] = ()  #: listed, but not changed
    unlisted: Sequence[str] = ()  #: changed, but not listed

    @property
    def most(self) -> int:
        """Return how many files may differ at a commit for it to be the beginning."""
        return 2 * len(self.listed) + _SPARE

    @property
    def size(self) -> int:
        """Return in how many files the list differs from git."""
        return len(self.extra) + len(self.unlisted)

    def since(self, base: str, changes: Mapping[str, FileChange]) -> Claim:
        """Return the claim compared with the changes since a commit."""
        real = {composed(path): change for path, change in changes.items()}
        extra = [path for path in self.listed if path not in real]
        unlisted = [path for path in real if path not in self.listed]
        if unlisted and not extra and len(unlisted) <= len(self.listed):
            unlisted = self._without_renamed(base, unlisted)
        return self._replace(base=base, changes=real, extra=extra, unlisted=unlisted)

    def _without_renamed(self, base: str, unlisted: list[str]) -> list[str]:
        """Return the paths that are not the other name of a listed file."""
        left = dict.fromkeys(unlisted)
        with suppress(Unreadable):
            for names in self.history.renamed(base, self.tip) if base else ():
                pair = {composed(name) for name in names}
                if len(pair & left.keys()) == 1:
                    left.pop(*(pair & left.keys()))
        return list(left)

    def is_true(self) -> bool:
        """Return whether git shows just these files, and content in one of them."""
        return not (self.extra or self.unlisted or self._hollow())

    def problems(self) -> list[Problem]:
        """Return the cause of what is wrong, else what differs."""
        changed = f"git: {listed(self.changes) or 'no file'}"
        diff = _DIFF.format(self.base[:10] or _EMPTY_TREE, self.tip[:10])
        compare = _COMPARE.format(diff)
        if not (self.changes or self.history.commit(self.tip).parents):
            what = "the work is in the first commit, so git cannot show what it changes"
            first = f"{self.tip[:10]}, which has no parent"
            return [self._problem(what, "a commit of the project before the work", first, _BEGIN)]
        if not self.changes:
            what = "the work changes no file"
            return [self._problem(what, f"git: {listed(self.listed)}", changed, _STAGE)]
        cause = self._misspelt() or self._in_submodule()
        if cause:
            path, message, action = cause
            return [self._problem(message, changed, named(path), action, path)]
        found = [self._left_unlisted(compare)] if self.unlisted else []
        if self.extra:
            these = "these files" if len(self.extra) > 1 else "this file"
            message = f"git shows no change to {these}"
            path = self.extra[0]
            found.append(self._problem(message, changed, listed(self.extra), compare, path))
        if not found and (hollow := self._hollow()):
            found.append(self._problem(hollow, "content in a listed file", changed, _STAGE))
        return found

    def _left_unlisted(self, compare: str) -> Problem:
        count, folder = len(self.unlisted), f"{commonpath(self.unlisted)}/"
        message = (
            f"git shows {f'changes to {count:,} files that are' if count > 1 else _ONE} not listed"
        )
        place, action = "FILE", compare
        if count > 1 and len(folder) > 1 and not any(p.startswith(folder) for p in self.listed):
            message += f", all in {named(folder)}"
            place = shlex.quote(folder) if folder.isprintable() else place
        if not self.extra and all(not self.changes[path].old[1] for path in self.unlisted):
            action = f"{_LEAVE_OUT.format(place)} {compare}"
        lists = listed(self.listed) or "no file"
        return self._problem(message, f"git: {listed(self.unlisted)}", lists, action)

    def _problem(self, what: str, expected: str, found: str, action: str, at: str = "") -> Problem:
        place = (self.field, self.listed[at]) if at else (self.field,)
        return Problem("evidence", place, what, expected, found, action=action)

    def _hollow(self) -> str:
        """Return why no listed file gets content, empty if one does."""
        files = [self.changes[path] for path in self.listed if path in self.changes]
        new = [c.new[1] for c in files if S_ISREG(c.new[0]) and c.new[1] != c.old[1]]
        if any(not self.history.stores(name) for name in new):
            if self.history.cut:
                raise Unreadable(
                    DENIED, f"it lacks the files of the work, because {self.history.cut}"
                )
            return "git has the names of listed files, but not the files"
        if any(self._has_content(name) for name in new):
            return ""
        return "no listed file gets content: there are only empty files, links, deletions or modes"

    def _has_content(self, name: str) -> bool:
        try:
            text = self.history.blob(name).decode("utf-8", "replace")
        except Unreadable as error:
            return error.reason != DENIED  # too large for us is not empty
        return any(letter.isprintable() and not letter.isspace() for letter in text)

    def _misspelt(self) -> tuple[str, str, str] | None:
        """Return a path, what is wrong with all of them, and what to do; None if something else."""
        if not self.extra:
            return None
        plain = [_STATUS.sub("", path, count=1) for path in self.extra]
        first = plain[0]
        longer = (p.removesuffix(first) for p in self.changes if p.endswith(f"/{first}"))
        shorter = (first.removesuffix(p) for p in self.changes if first.endswith(f"/{p}"))
        lacks, has = next(longer, ""), next(shorter, "")
        right = [lacks + path.removeprefix(has) for path in plain]
        if not self.changes.keys() >= set(right):
            return None
        message = "these are lines of `git status`, not paths"
        if lacks or has:
            what = f"lack {named(lacks)}" if lacks else f"have {named(has)}"
            message = f"the paths {what} at the beginning"
        return self.extra[0], message, f"Write each path as git has it, such as {named(right[0])}."

    def _in_submodule(self) -> tuple[str, str, str] | None:
        for path in self.extra:
            parts = path.split("/")
            for end in range(1, len(parts) + 1):
                place = "/".join(parts[:end])
                if self.history.entry_at(self.tip, place)[0] == SUBMODULE:
                    is_it = end == len(parts)
                    what = "this is a submodule, not a file" if is_it else "this is in a submodule"
                    return path, what, _INNER.format(shlex.quote(place))
        return None
