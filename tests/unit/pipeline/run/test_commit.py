"""The user's hooks, signing, locks and rules have the last word, and what they say is shown."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipeline import git as module
from pipeline.drivers.base import Allowed
from pipeline.jail import missing
from pipeline.run.stages.publish import changed_files
from pipeline.terminal.fault import Fault
from tests.stubs.repositories import UserRepository
from tests.unit.pipeline.run.conftest import Work, publish, run_of

if TYPE_CHECKING:
    from pathlib import Path


BRANCH = "feature/issue-202-page-through-the-list"
# Prints what git expects of gpg (gpg-interface.c): a line of status, and a signature.
SIGNER = """#!/bin/sh
cat > /dev/null
echo "[GNUPG:] SIG_CREATED D 1 8 00 0 0" >&2
printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'
"""


@pytest.fixture(params=[None, Allowed()], ids=["plain", "jail"])
def work(work: Work, request: pytest.FixtureRequest) -> Work:
    """Return the work, with its hooks as they are and in a jail."""
    if request.param and missing():
        pytest.skip(missing())
    return replace(work, allowed=request.param)


def refusal(user: UserRepository, work: Work) -> str:
    with pytest.raises(Fault) as refused:
        publish(user, work)
    assert refused.value.code == 1
    return str(refused.value)


def test_a_hook_that_refuses_is_quoted_and_the_next_run_continues(
    worked: UserRepository, work: Work
) -> None:
    worked.hook(
        "pre-commit", "echo 'src/app.py: x is a bad name'\nprintf '\\033[31mred\\n' >&2\nexit 1\n"
    )

    where = " (hooks run in a jail: see --allow-read, --allow-write and --allow-network)"
    assert refusal(worked, work) == (
        "git could not make the commit: src/app.py: x is a bad name | \\u{1b}[31mred"
        f"{where if work.allowed else ''}; the files "
        "stay staged; fix the cause, then run the same command again"
    )
    assert worked.git("rev-list", "--count", "main..HEAD") == "0"
    (worked.folder / ".git/hooks/pre-commit").unlink()
    assert publish(worked, work).branch == BRANCH
    assert worked.git("rev-list", "--count", "main..HEAD") == "1"


def test_what_a_hook_adds_is_committed(worked: UserRepository, work: Work) -> None:
    worked.hook("pre-commit", "echo 2 > VERSION && git add VERSION\n")

    publish(worked, work)

    assert worked.git("show", "HEAD:VERSION") == "2"
    assert worked.repository.status().changes == {}


def test_the_message_is_the_one_that_a_hook_made_of_it(worked: UserRepository, work: Work) -> None:
    worked.hook("commit-msg", 'echo "Change-Id: I5" >> "$1"\n')

    published = publish(worked, work)

    message = "feat: page through the notes\n\nRefs: ISSUE-202\nChange-Id: I5"
    assert published.message == message
    assert publish(worked, work).sha == published.sha


def test_a_message_that_a_hook_spoiled_is_not_pushed(worked: UserRepository, work: Work) -> None:
    worked.hook("commit-msg", 'sed -i "1s/^/[ISSUE-202] /" "$1"\n')

    said = refusal(worked, work)

    assert said.partition(", ")[2].startswith(
        '"[ISSUE-202] feat: page through the notes\\n\\nRefs: ISSUE-202", does not follow '
    )
    assert not (worked.folder / ".pipeline/forge").exists()
    (worked.folder / ".git/hooks/commit-msg").unlink()
    worked.git("commit", "--quiet", "--amend", "-m", "feat: pages\n\nRefs: ISSUE-202")
    assert publish(worked, work).message.startswith("feat: pages")


def test_a_commit_that_cannot_be_signed_is_not_made_without(
    worked: UserRepository, work: Work
) -> None:
    worked.git("config", "commit.gpgSign", "true")
    worked.git("config", "gpg.program", "false")

    assert refusal(worked, work).startswith(
        "git could not make the commit: error: gpg failed to sign the data"
    )
    assert worked.git("rev-list", "--count", "main..HEAD") == "0"


def test_a_signature_that_git_shows_in_its_log_is_no_part_of_the_message(
    worked: UserRepository, work: Work
) -> None:
    program = worked.write(".git/signer", SIGNER)
    program.chmod(0o755)
    settings = {
        "commit.gpgSign": "true",
        "gpg.program": str(program),
        "log.showSignature": "true",
        "i18n.logOutputEncoding": "latin1",
    }
    for name, value in settings.items():
        worked.git("config", name, value)
    umlaut = replace(work, message="feat: bl\u00e4ttert in den Notizen")

    first = publish(worked, umlaut)
    again = publish(worked, umlaut)

    assert first.message == "feat: bl\u00e4ttert in den Notizen\n\nRefs: ISSUE-202"
    assert (again.sha, again.message) == (first.sha, first.message)


def test_a_lock_that_stays_is_named(
    worked: UserRepository, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = worked.write(".git/index.lock", "")
    monkeypatch.setattr(module, "_PATIENCE", 0.3)

    said = refusal(worked, work)

    assert "the index is locked: if no other git process is running, delete the lock" in said
    assert str(lock) in said
    lock.unlink()
    assert publish(worked, work).branch == BRANCH


def test_a_branch_that_another_work_tree_has_is_left_to_it(
    worked: UserRepository, work: Work, tmp_path: Path
) -> None:
    worked.git("worktree", "add", "--quiet", "-b", BRANCH, str(tmp_path / "linked"))

    with pytest.raises(Fault) as refused:
        publish(worked, work)

    assert str(refused.value) == (
        f'the branch "{BRANCH}" is checked out in another work tree: run the issue there'
        f" ({tmp_path / 'linked'})"
    )


def test_lines_that_look_like_comments_stay_in_the_message(
    worked: UserRepository, work: Work
) -> None:
    worked.git("config", "commit.cleanup", "strip")
    message = "feat: page through the notes\n\n# of notes: 20"

    published = publish(worked, replace(work, message=message))

    assert published.message == f"{message}\n\nRefs: ISSUE-202"


def test_a_lock_that_goes_away_is_waited_for(worked: UserRepository, work: Work) -> None:
    lock = worked.write(".git/index.lock", "")
    timer = threading.Timer(0.4, lock.unlink)
    timer.start()

    assert publish(worked, work).branch == BRANCH
    timer.join()


def test_only_the_files_with_a_change_are_returned_and_the_others_reported(
    worked: UserRepository, work: Work
) -> None:
    output: list[str] = []
    work = replace(work, files=("README.md", "src/page.py", "src/app.py"))

    run = run_of(worked.repository, work, tell=output.append)
    changed = changed_files(run, work.files, worked.repository.status().changes)

    assert changed == ["src/page.py", "src/app.py"]
    assert output == ['not committed because git sees no change: "README.md"']


def test_a_tracked_file_that_a_rule_ignores_and_a_link_are_committed(user: UserRepository) -> None:
    user.write("kept.log")
    user.git("add", "kept.log")
    user.commit(**{".gitignore": "*.log\n"})
    user.write("kept.log", "more\n")
    (user.folder / "link").symlink_to("src")

    changed = changed_files(
        run_of(user.repository, Work()), ("kept.log", "link"), user.repository.status().changes
    )

    assert changed == ["kept.log", "link"]


@pytest.mark.parametrize(
    "name",
    [
        *("src/app.py", ".env.local", ":(glob)*.log", "src/gone.py", "src", "fresh", "../x"),
        *("/etc/passwd", "a/../../x", ".git/config", "link/secret", "inner/a.py"),
    ],
)
def test_a_file_that_git_would_not_commit_is_refused(
    user: UserRepository, tmp_path: Path, name: str
) -> None:
    user.commit(**{".gitignore": "*.log\n.env*\n"})
    for each in (".env.local", ":(glob)*.log", "fresh/a.py", "src/b.py"):
        user.write(each)
    UserRepository(user.folder / "inner").write("a.py")
    (tmp_path / "secret").write_text("x\n")
    (user.folder / "link").symlink_to(tmp_path)

    with pytest.raises(Fault) as refused:
        changed_files(run_of(user.repository, Work()), (name,), user.repository.status().changes)

    said = f'nothing to commit: git sees no change in "{name}"'
    assert (str(refused.value), refused.value.code) == (said, 1)


def test_what_a_hook_adds_goes_through_the_users_filters_and_ignored_files_stay_out(
    worked: UserRepository, work: Work, tmp_path: Path
) -> None:
    (tmp_path / "ignored").write_text("*.secret\n", "utf-8")
    worked.git("config", "core.excludesFile", str(tmp_path / "ignored"))
    worked.git("config", "filter.upper.clean", "tr a-z A-Z")
    worked.git("config", "filter.upper.required", "true")
    worked.write(".git/info/attributes", "src/*.py filter=upper\n")
    worked.write("key.secret")
    worked.hook("pre-commit", "echo 'reformatted' >> src/app.py; git add --all\n")

    publish(worked, work)

    assert worked.git("show", "HEAD:src/app.py").splitlines()[-1] == "REFORMATTED"
    assert "key.secret" not in worked.git("ls-tree", "-r", "--name-only", "HEAD")


def test_hooks_that_a_link_of_the_work_tree_leads_to_are_not_seen(
    worked: UserRepository, work: Work, tmp_path: Path
) -> None:
    if not work.allowed:
        pytest.skip("it is the user's own folder")
    elsewhere = UserRepository(tmp_path / "elsewhere")
    elsewhere.hook("pre-commit", "echo it ran; exit 1\n")
    (worked.folder / ".husky").symlink_to(elsewhere.folder / ".git/hooks")
    worked.git("config", "core.hooksPath", ".husky")

    assert publish(worked, work).branch == BRANCH


def test_a_log_in_beside_the_programs_on_path_is_not_staged_by_a_hook(
    worked: UserRepository, work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not work.allowed:
        pytest.skip("without a jail, a hook reads what the user reads")
    (tmp_path / "tools/bin").mkdir(parents=True)
    (tmp_path / "tools/credentials.toml").write_text("token\n", "utf-8")
    monkeypatch.setenv("PATH", f"{tmp_path}/tools/bin:{os.environ['PATH']}")
    worked.hook("pre-commit", f"cat {tmp_path}/tools/credentials.toml > TOKEN; git add TOKEN\n")
    with suppress(Fault):
        publish(worked, work)

    assert "token" not in worked.git("grep", "-h", "", "HEAD")


def test_a_hook_that_prints_without_end_is_ended(worked: UserRepository, work: Work) -> None:
    if not work.allowed:
        pytest.skip("without a jail, git runs it")
    worked.hook("pre-commit", "yes\n")

    assert "a hook printed more than 64 MiB" in refusal(worked, work)
