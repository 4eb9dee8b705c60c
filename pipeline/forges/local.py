"""A forge without a server: a bare repository, and a page for each pull request."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from typing import TYPE_CHECKING

from pipeline.files import Unreadable, read_file, write_whole
from pipeline.forges.base import ForgeFault, PullRequest
from pipeline.forges.local_folder import refuse_foreign, refuse_links
from pipeline.forges.markdown import code, code_span, plain, quotation
from pipeline.git import GitFault

if TYPE_CHECKING:
    from pipeline.forges.base import Change
    from pipeline.git import Repository

FOLDER = ".pipeline/forge"
_ORIGIN = f"{FOLDER}/origin.git"
_PULLS = f"{FOLDER}/pulls"
_PAGE = re.compile(r"([1-9][0-9]{0,8})-(.+)\.md")
_TAKEN = re.compile(r"\.([1-9][0-9]{0,8})")
_SHA256 = 64  # hexadecimal digits


class Local:
    """Pull requests under `.pipeline/forge/`, which git ignores; the repository gets no remote."""

    name = "local"

    def __init__(self, *, remote: str = "") -> None:
        self._remote = remote  # of no use here, where the place is fixed

    def check(self, repository: Repository) -> None:
        """Make the folder, as a pull request needs it.

        Raises:
            ForgeFault: it cannot be written, or is a link.
        """
        refuse_links(repository.root, FOLDER, _ORIGIN, _PULLS)
        try:
            ignore = os.path.join(repository.root, FOLDER, ".gitignore")
            if not os.path.exists(ignore):
                write_whole(ignore, b"*\n")
            os.makedirs(os.path.join(repository.root, _PULLS), exist_ok=True)
        except OSError as error:
            raise ForgeFault(
                f"{FOLDER}: {error.strerror}: it must be writable", usage=True
            ) from None

    def open(self, change: Change) -> PullRequest:
        """Push base and branch to the bare repository and write the page, if it is not there.

        Raises:
            ForgeFault: a push was refused, or a file cannot be written.
            GitFault: git failed.
        """
        self.check(change.repository)
        try:
            _push(change)
            return _page(change)
        except OSError as error:
            raise ForgeFault(f"{FOLDER}: {error.strerror}: it must be writable") from None


def _push(change: Change) -> None:
    """Fetch the base into the bare repository, and push the branch, as the user's hooks allow.

    The base is fetched, since git cannot push two branches of a shallow clone at once.
    """
    repository = change.repository
    origin = os.path.join(repository.root, _ORIGIN)
    if not os.path.exists(os.path.join(origin, "HEAD")):
        _make_bare(change, origin)
    refuse_foreign(repository, _ORIGIN)
    base = f"+{_start(change)}:refs/heads/{change.base}"
    words = ("fetch", "--quiet", "--update-shallow", "--no-tags", "--", repository.root, base)
    repository.run(*words, more={"GIT_DIR": origin})
    try:
        repository.push(origin, f"refs/heads/{change.branch}:refs/heads/{change.branch}")
    except GitFault as fault:
        if "non-fast-forward" not in str(fault) and "fetch first" not in str(fault):
            raise
        raise ForgeFault(
            f"the local forge has another {change.branch}, of an earlier run: remove {FOLDER} "
            "(its pull requests too), or name another branch (--branch)"
        ) from None


def _make_bare(change: Change, origin: str) -> None:
    """Put a bare repository in place whole: another run may make the same one."""
    repository = change.repository
    hashes = f"--object-format={'sha256' if len(change.sha) == _SHA256 else 'sha1'}"
    with tempfile.TemporaryDirectory(prefix=".", dir=os.path.dirname(origin)) as folder:
        made = os.path.join(folder, "origin.git")
        repository.run("init", "--quiet", "--bare", "--template=", hashes, made)
        repository.run("symbolic-ref", "HEAD", f"refs/heads/{change.base}", more={"GIT_DIR": made})
        try:
            os.rename(made, origin)
        except OSError:
            if not os.path.exists(os.path.join(origin, "HEAD")):
                raise


def _page(change: Change) -> PullRequest:
    """Find or write the page; one of the same commit stays, with all that its reader ticked."""
    folder = os.path.join(change.repository.root, _PULLS)
    slug = change.branch.removeprefix("feature/").replace("/", "-")
    names = os.listdir(folder)
    pages = [match for match in map(_PAGE.fullmatch, names) if match]
    found = next((match for match in pages if match[2] == slug), None)
    number = int(found[1]) if found else _next_number(folder, names)
    page = f"{_PULLS}/{number}-{slug}.md"
    path = os.path.join(change.repository.root, page)
    if not found or not _is_of(path, change.sha):
        write_whole(path, _text(change, number).encode("utf-8", "backslashreplace"))
    return PullRequest(page=page, reused=found is not None)


def _next_number(folder: str, names: list[str]) -> int:
    """Take the next number: a file is made for it that only one run can make."""
    matches = (match for name in names for match in (_PAGE.fullmatch(name), _TAKEN.fullmatch(name)))
    number = max((int(match[1]) for match in matches if match), default=0) + 1
    while not _taken(os.path.join(folder, f".{number}")):
        number += 1
    return number


def _taken(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return False
    return True


def _is_of(path: str, sha: str) -> bool:
    try:
        data = read_file(path)
    except Unreadable:  # no page: it is written again
        return False
    return sha in data.decode(errors="replace").split("\n## ", 1)[0]


def _text(change: Change, number: int) -> str:
    branch, base = code_span(change.branch), code_span(change.base)
    request = f"Pull request {number} for {plain(change.issue)}"
    parts = [
        f"# {plain(change.title)}",
        f"{request}: {branch} into {base}, commit {code_span(change.sha)}.",
    ]
    if change.criteria:
        items = (f"- [ ] {code_span(label)}: {plain(said)}" for label, said in change.criteria)
        parts += ["## Review checklist", "\n".join(items)]
    if change.body.strip():
        parts += ["## Description", quotation(change.body)]
    start = _start(change)
    stat = change.repository.diffstat(start, change.sha)
    parts += ["## Changes", code(stat), "## Look at it, merge it", _commands(change, start)]
    return "\n\n".join(parts) + "\n"


def _start(change: Change) -> str:
    """Return the base's full name: origin's, where the user has no branch of that name."""
    here = f"refs/heads/{change.base}"
    return here if change.repository.commit(here) else f"refs/remotes/origin/{change.base}"


def _commands(change: Change, start: str) -> str:
    base, branch = shlex.quote(change.base), shlex.quote(change.branch)
    short = shlex.quote(start.split("/", 2)[2])
    lines = (
        f"git diff {short}...{branch}",
        f"git switch {base}",
        f"git merge --no-ff {branch}",
        f"git branch -d {branch}",
    )
    return code("\n".join(lines))
