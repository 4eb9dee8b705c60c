"""The project's programs run in a jail, over a git directory that is thrown away.

They may run what an agent wrote: scripts of the project, its tests, hooks in the work tree.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.drivers.base import Allowed
from pipeline.drivers.environment import chosen
from pipeline.drivers.git_copy import ScratchFolder, copied_git, setting
from pipeline.drivers.mounts import seen_tools
from pipeline.files import is_inside
from pipeline.git import OURS, SECONDS, GitFault
from pipeline.jail import Jail
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.run.context import Run

_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
_IDENTITY = re.compile(r"(?P<name>.*) <(?P<email>.*)>")


def after_hooks(run: Run, message: str) -> str:
    """Run the hooks of a commit of what is staged, and return its message as they leave it.

    What they stage is staged afterwards; what they change in the work tree is changed.

    Raises:
        GitFault: a hook refused the commit; `printed` is what it printed.
    """
    repository = run.repository
    folder = repository.hooks_folder
    if not any(os.access(os.path.join(folder, name), os.X_OK) for name in _HOOKS):
        return message
    staged = repository.run("write-tree").strip()
    with ScratchFolder() as copies:
        jail = _jail(run, folder, copies)
        commit = ("commit", "--quiet", "--allow-empty", "--cleanup=whitespace", "--file=-")
        _git(jail, *commit, given=message.encode("utf-8", "surrogateescape"))
        tree = _git(jail, "rev-parse", "HEAD^{tree}").decode("ascii", "replace").strip()
        left = _git(jail, "log", "-1", "--format=%B", "--encoding=UTF-8")
        if tree != staged:
            made = _git(
                jail, "pack-objects", "--revs", "--stdout", given=f"{tree}\n^{staged}\n".encode()
            )
            text = made.decode("utf-8", "surrogateescape")  # bytes again in git's input
            repository.run("unpack-objects", "-q", "--strict", text=text)
            repository.run("read-tree", "--end-of-options", tree)
            repository.attempt("update-index", "-q", "--refresh")
    return left.decode("utf-8", "surrogateescape").rstrip("\n") + "\n"


def _jail(run: Run, hooks: str, copies: str) -> Jail:
    root = run.repository.root
    variables = dict(OURS)
    if match := _IDENTITY.match(run.repository.identity()):
        for who in ("AUTHOR", "COMMITTER"):
            variables |= {f"GIT_{who}_NAME": match["name"], f"GIT_{who}_EMAIL": match["email"]}
    jail = project_jail(run, copies, root, variables)
    with open(os.path.join(copies, "git", "config"), "a", encoding="utf-8") as file:
        file.write(setting("core.hooksPath", hooks) + setting("commit.gpgSign", "false"))
    # A link of the work tree must not show what is elsewhere.
    is_led_out = is_inside(hooks, root) and not is_inside(hooks, run.repository.git_folder)
    if is_led_out and not is_inside(os.path.realpath(hooks), os.path.realpath(root)):
        return jail
    return replace(jail, reads=[*jail.reads, hooks])


def project_jail(run: Run, copies: str, folder: str, variables: Mapping[str, str]) -> Jail:
    """Return the jail in which programs of the project run in a folder, for hooks and for tests.

    They may change the work tree, but nothing below `.pipeline/`; `copies` is an empty folder.
    """
    root, allowed = run.repository.root, run.driver.allowed or Allowed()
    reads_at, writes_at = copied_git(root, copies, filters=True)
    environment = {**chosen(None, ()), **variables}
    places = [f"{at}/{name}/bin/python" for at in {folder, root} for name in (".venv", "venv")]
    pythons = list(filter(os.path.exists, places))
    programs, hidden = seen_tools(os.path.realpath(root), environment, copies, pythons)
    artifacts = {os.path.dirname(run.about.folder_on_disk), os.path.join(root, ".pipeline")}
    return Jail(
        reads=[*programs, *filter(os.path.isdir, artifacts), *allowed.reads],
        writes=[root, *allowed.writes],
        reads_at={**hidden, **reads_at},
        writes_at=writes_at,
        home=environment.get("HOME", "/home/agent"),
        folder=folder,
        network=allowed.hooks_online,
        environment=environment,
    )


def _git(jail: Jail, *words: str, given: bytes = b"") -> bytes:
    """Run git in the jail, and return what it printed."""
    try:
        done = jail.run(["git", *words], given, seconds=SECONDS)
    except TimeoutError as error:
        raise GitFault(f"a hook {error}", f"a hook {error}") from None
    if done.returncode:
        printed = b"\n".join(part[-4000:] for part in (done.stdout, done.stderr))
        lines = [line.strip() for line in printed.decode(errors="replace").splitlines()]
        shown = visible(" | ".join(list(filter(None, lines))[-12:]), 600)
        raise GitFault(f"git {words[0]} failed: {shown}", shown)
    return done.stdout
