"""The user's repository: whether there is one, who commits, and where it can be pushed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.doctor.finding import MISSING, NOTE, OK, Finding
from pipeline.terminal.display import listed, visible

if TYPE_CHECKING:
    from pipeline.git import Repository

_BEGIN = 'git init, then a first commit: git commit --allow-empty -m "chore: begin"'
_COMMIT = 'make a first commit: git commit --allow-empty -m "chore: begin"'
_WHO = 'git config --global user.name "…" and git config --global user.email …'
_TRUST = "if you trust it: git config --global --add safe.directory {}"


def work_tree(project: str, *, has_git: bool) -> list[Finding]:
    """Return what was found of the repository that the target project stands in.

    Without git nothing is asked: what is needed is then not known, which is a note.
    """
    if not has_git:
        return [
            _not_asked(*each)
            for each in (("repository", "repository"), ("identity", "name for commits"))
        ]
    from pipeline.git import GitFault, Repository

    repository = Repository(project)
    try:
        return [_repository(repository), _identity(repository), _remote(repository)]
    except GitFault as fault:
        return [
            Finding(
                code="repository",
                name="repository",
                standing=MISSING,
                found=visible(str(fault), 300),
                advice="see to it that git answers, then ask again",
            )
        ]


def _not_asked(code: str, name: str) -> Finding:
    return Finding(code=code, name=name, standing=NOTE, found="not asked: that takes git")


def _repository(repository: Repository) -> Finding:
    code = name = "repository"
    done = repository.attempt("rev-parse", "--show-toplevel")
    if done.returncode:
        return Finding(
            code=code, name=name, standing=MISSING, **_no_work_tree(repository, done.stderr)
        )
    top = visible(done.stdout.removesuffix("\n"), 300)
    if not repository.commit("HEAD"):
        found = f"{top}, without a commit"
        return Finding(code=code, name=name, standing=MISSING, found=found, advice=_COMMIT)
    return Finding(code=code, name=name, standing=OK, found=top)


def _no_work_tree(repository: Repository, said: str) -> dict[str, str]:
    if "not a git repository" in said:
        return {"found": "the project is in no git repository", "advice": _BEGIN}
    if "must be run in a work tree" in said:
        return {"found": "a bare repository, without files", "advice": "work in a clone of it"}
    if "dubious ownership" in said:
        place = visible(repository.root, 200)
        return {"found": "git does not trust the folder's owner", "advice": _TRUST.format(place)}
    return {"found": visible(" ".join(said.split()), 300), "advice": "fix what git says"}


def _identity(repository: Repository) -> Finding:
    """Ask as `git commit` does: variables of the environment count, what git guesses does not."""
    code, name = "identity", "name for commits"
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        if repository.attempt("var", who).returncode:
            found = "git has no user.name or no user.email"
            return Finding(code=code, name=name, standing=MISSING, found=found, advice=_WHO)
    told = repository.run("var", "GIT_AUTHOR_IDENT").rpartition(">")[0]
    return Finding(code=code, name=name, standing=OK, found=visible(f"{told}>", 120))


def _remote(repository: Repository) -> Finding:
    """Name the remotes only: an address may hold a password."""
    done = repository.attempt("remote")
    names = done.stdout.split() if done.returncode == 0 else []
    if names:
        return Finding(code="remote", name="remote", standing=OK, found=listed(names))
    return Finding(
        code="remote",
        name="remote",
        standing=NOTE,
        found="none",
        advice="the forge local needs none; for the others: git remote add origin ADDRESS",
    )
