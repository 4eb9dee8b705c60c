"""Real git repositories for tests, the same whatever the user's own settings are."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from pipeline.git import Repository

_TEMPORARY = tempfile.gettempdir()  # of the system, whatever a test sets
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")  # of a hook that runs the tests
_SETTINGS = {
    "user.name": "A Tester",
    "user.email": "tester@example.org",
    "commit.gpgSign": "false",
    "core.autocrlf": "false",
    "core.excludesFile": "",
    "push.gpgSign": "false",
}


def git(folder: Path, *words: str, text: str = "") -> str:
    """Run git in a folder and return what it printed; it must succeed."""
    kept = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    done = subprocess.run(
        ["git", "-C", str(folder), *words],
        input=text,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        env={**kept, "LC_ALL": "C", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        check=False,
    )
    assert done.returncode == 0, f"git {words}: {done.stdout}{done.stderr}"
    return done.stdout.strip()


@cache
def _new_repository() -> str:
    """Return what git makes of an empty folder on this system: it is asked once, not for each."""
    folder = tempfile.mkdtemp(prefix="repository-", dir=_TEMPORARY)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    git(Path(folder), "init", "--quiet", "--template=", "--initial-branch=main")
    return os.path.join(folder, ".git")


class UserRepository:
    """A user's repository with a work tree in `folder`, on branch `main`, without a commit."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.repository = Repository(str(folder))
        shutil.copytree(_new_repository(), folder / ".git", dirs_exist_ok=True)
        hooks = str(folder / ".git" / "hooks")
        with open(folder / ".git" / "config", "a", encoding="utf-8") as file:
            for name, value in {**_SETTINGS, "core.hooksPath": hooks}.items():
                section, _, key = name.partition(".")
                file.write(f"[{section}]\n\t{key} = {json.dumps(value)}\n")

    def git(self, *words: str, text: str = "") -> str:
        """Run git in the work tree."""
        return git(self.folder, *words, text=text)

    def write(self, path: str, text: str = "a line\n") -> Path:
        """Write a file of the work tree."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def commit(self, message: str = "chore: begin", **files: str) -> str:
        """Commit all there is, after writing `files`, and return the hash."""
        for path, text in files.items():
            self.write(path, text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)
        head = (self.folder / ".git" / "HEAD").read_text("ascii").strip()
        _, is_branch, name = head.rpartition("ref: ")  # which has just been written
        return (self.folder / ".git" / name).read_text("ascii").strip() if is_branch else head

    def hook(self, name: str, script: str) -> None:
        """Install a hook of the work tree's repository, a shell script."""
        write_hook(self.folder / ".git", name, script)

    def branches(self) -> list[str]:
        """Return the names of the local branches."""
        return self.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split()


def user_repository(folder: Path) -> UserRepository:
    """Return a repository with one commit of `README.md` and `src/app.py` on `main`."""
    made = UserRepository(folder)
    made.write("README.md", "# A project\n")
    made.write("src/app.py", "x = 1\n")
    made.commit()
    return made


def remote_for(user: UserRepository, folder: Path, name: str = "origin") -> Path:
    """Make a bare repository that takes push options, push `main` to it and return its folder."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--bare", "--template=", "--initial-branch=main")
    git(folder, "config", "receive.advertisePushOptions", "true")
    git(folder, "config", "core.hooksPath", str(folder / "hooks"))
    user.git("remote", "add", name, folder.as_uri())
    user.git("push", "--quiet", name, "main")
    user.git("remote", "set-head", name, "main")
    return folder


def write_hook(git_folder: Path, name: str, script: str) -> None:
    """Install a hook, a shell script, in a repository by its `.git` or bare folder."""
    hook = git_folder / "hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{script}", encoding="utf-8")
    hook.chmod(0o755)
