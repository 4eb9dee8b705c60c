"""A forge without a server: a bare repository, and a page for each pull request."""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING

from pipeline.files import Unreadable, read_file, system_path, write_whole
from pipeline.forges.base import Forge, PullRequest
from pipeline.git import GitFault
from pipeline.terminal.display import listed
from pipeline.terminal.fault import Fault, unusable
from pipeline.terminal.markdown import code, code_span, plain, quotation

if TYPE_CHECKING:
    from pipeline.forges.base import Change
    from pipeline.git import Repository

FOLDER = ".pipeline/forge"
_ORIGIN = f"{FOLDER}/origin.git"
_PULLS = f"{FOLDER}/pulls"
_PAGE = re.compile(r"([1-9][0-9]{0,8})-(.+)\.md")
_SHA256 = 64  # hexadecimal digits
# What `git init --bare` sets. Other settings, and hooks, could have a push run programs.
_SETTINGS = {
    *("core.bare", "core.filemode", "core.ignorecase", "core.precomposeunicode", "core.symlinks"),
    *("core.repositoryformatversion", "extensions.objectformat", "extensions.refstorage"),
    *("core.sharedrepository", "receive.denynonfastforwards"),  # where core.sharedRepository is set
}
_FOREIGN = ("commondir", "config.worktree")


class Local(Forge):
    """Pull requests under `.pipeline/forge/`, which git ignores; the repository gets no remote."""

    name = "local"
    takes = ("draft", "labels", "reviewers")

    def __init__(self, home: str = "") -> None:
        """Keep them in `home`, an absolute path, or in the repository's own root."""
        self._home = home
        self.remote = system_path(home, _ORIGIN) if home else _ORIGIN

    def check(self, repository: Repository) -> None:
        """Make the folder for pull requests, and refuse one that is not the forge's own."""
        root = os.path.realpath(self._home or repository.root)
        for folder in (FOLDER, _ORIGIN, _PULLS):
            path = system_path(root, folder)
            if os.path.realpath(path) != path:
                raise unusable(f"{folder} is a link or is reached through one: remove the link")
        ignore = os.path.join(root, FOLDER, ".gitignore")
        if not os.path.exists(ignore):
            write_whole(ignore, b"*\n")
        os.makedirs(os.path.join(root, _PULLS), exist_ok=True)
        if os.path.lexists(os.path.join(root, _ORIGIN)):
            _refuse_foreign(repository, root)

    def has_page(self, repository: Repository, branch: str) -> bool:
        """Return whether the page of a branch is there."""
        return _slug(branch) in _numbers(self._home or repository.root)

    def open(self, change: Change) -> PullRequest:
        """Push base and branch to the bare repository and write the page if it is missing."""
        self.check(change.repository)
        root = self._home or change.repository.root
        _push(change, root)
        return _page(change, root)


def _numbers(root: str) -> dict[str, int]:
    """Return the numbers of the pages that there are, by the slugs of their branches."""
    try:
        names = os.listdir(os.path.join(root, _PULLS))
    except FileNotFoundError:
        return {}
    return {found[2]: int(found[1]) for found in map(_PAGE.fullmatch, names) if found}


def _slug(branch: str) -> str:
    return branch.removeprefix("feature/").replace("/", "-")


def _refuse_foreign(repository: Repository, root: str) -> None:
    """Refuse a bare repository with hooks or settings that an agent or a clone may have left."""
    path = system_path(root, _ORIGIN)
    words = ("--file", os.path.join(path, "config"), "--no-includes", "--name-only", "--list")
    settings = repository.attempt("config", *words).stdout.splitlines()
    hooks = os.path.join(path, "hooks")
    found = [
        *(f"hooks/{name}" for name in (os.listdir(hooks) if os.path.lexists(hooks) else ())),
        *(name for name in _FOREIGN if os.path.lexists(os.path.join(path, name))),
        *(name for name in settings if name not in _SETTINGS),
    ]
    if found:
        raise unusable(
            f"{_ORIGIN} contains files or settings that the local forge did not create: "
            f"{listed(sorted(found))}; remove that folder (the forge creates it again)"
        )


def _push(change: Change, root: str) -> None:
    """Fetch the base into the bare repository, and push the branch, as the user's hooks allow.

    The base is fetched, since git cannot push two branches of a shallow clone at once.
    """
    repository = change.repository
    origin = os.path.join(root, _ORIGIN)
    hashes = f"--object-format={'sha256' if len(change.sha) == _SHA256 else 'sha1'}"
    branch = f"--initial-branch={change.base}"
    repository.run("init", "--quiet", "--bare", "--template=", hashes, branch, origin)
    base = f"+{change.base_ref}:refs/heads/{change.base}"
    words = ("fetch", "--quiet", "--update-shallow", "--no-tags", "--", repository.root, base)
    repository.run(*words, more={"GIT_DIR": origin})
    try:
        repository.push(origin, f"refs/heads/{change.branch}:refs/heads/{change.branch}")
    except GitFault as fault:
        if "non-fast-forward" not in str(fault) and "fetch first" not in str(fault):
            raise
        raise Fault(
            f"in the local forge, an earlier run left different commits on {change.branch}: remove "
            f"{FOLDER} (this also removes its pull requests), or choose another branch (--branch)"
        ) from None


def _page(change: Change, root: str) -> PullRequest:
    """Find or write the page; a page of the same commit stays, with what its reader ticked."""
    slug, numbers = _slug(change.branch), _numbers(root)
    number = numbers.get(slug) or max(numbers.values(), default=0) + 1
    page = f"{_PULLS}/{number}-{slug}.md"
    path = os.path.join(root, page)
    if slug not in numbers or not _is_of(path, change.sha):
        write_whole(path, _text(change, number).encode("utf-8", "backslashreplace"))
    return PullRequest(page=page, reused=slug in numbers)


def _is_of(path: str, sha: str) -> bool:
    try:
        head = read_file(path).partition(b"\n## ")[0]
    except Unreadable:  # no page: it is written again
        return False
    return sha.encode() in head


def _text(change: Change, number: int) -> str:
    branch, base = code_span(change.branch), code_span(change.base)
    request = f"Pull request {number} for {plain(change.issue)}"
    parts = [
        f"# {'Draft: ' * change.draft}{plain(change.title)}",
        f"{request}: {branch} into {base}, commit {code_span(change.sha)}.",
    ]
    for what, names in (("Labels", change.labels), ("Reviewers", change.reviewers)):
        parts += [f"{what}: {', '.join(map(code_span, names))}"] * bool(names)
    if change.criteria:
        items = (f"- [ ] {code_span(label)}: {plain(text)}" for label, text in change.criteria)
        parts += ["## Review checklist", "\n".join(items)]
    if change.body.strip():
        parts += ["## Description", quotation(change.body)]
    span = f"{change.base_ref}...{change.sha}"
    stat = change.repository.run("diff", "--stat=100", "--no-color", span, "--").rstrip("\n")
    parts += ["## Changes", code(stat), "## Review and merge", code(_commands(change))]
    return "\n\n".join(parts) + "\n"


def _commands(change: Change) -> str:
    base, branch = shlex.quote(change.base), shlex.quote(change.branch)
    start = shlex.quote(change.base_ref.split("/", 2)[2])
    return (
        f"git diff {start}...{branch}\n"
        f"git switch {base}\n"
        f"git merge --no-ff {branch}\n"
        f"git branch -d {branch}"
    )
