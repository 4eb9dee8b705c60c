"""A run that was stopped asks for nothing twice, and says what else a pull request will contain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs.agents import Scripted
from tests.stubs.repositories import write_hook

if TYPE_CHECKING:
    from pipeline.drivers.base import Turn
    from tests.unit.pipeline.run.conftest import Bench

FILE = "app/src/health.js"


def stops(_: Turn) -> str:
    raise KeyboardInterrupt


def notices(bench: Bench) -> list[str]:
    return [event.text for event in bench.events if event.what == "notice"]


def stages(driver: Scripted) -> list[str]:
    return [turn.stage for turn in driver.turns]


def test_p6_a_completed_review_is_not_paid_again_after_a_stop(bench: Bench) -> None:
    with pytest.raises(KeyboardInterrupt):
        bench.run(Scripted(publish=stops))
    again = Scripted()

    code = bench.run(again)

    assert (code, stages(again)) == (0, ["publish"])
    assert ("kept", "review") in bench.history


def test_p6_a_commit_message_is_not_paid_again_after_a_hook_that_failed(bench: Bench) -> None:
    write_hook(bench.root / ".git", "pre-commit", "exit 1\n")
    first = bench.run(Scripted(publish=lambda _: "feat: the first message"))
    write_hook(bench.root / ".git", "pre-commit", "exit 0\n")
    again = Scripted(publish=lambda _: "feat: another message")

    code = bench.run(again)

    assert (first, code, stages(again)) == (1, 0, [])
    assert bench.git("log", "-1", "--format=%s") == "feat: the first message"


@pytest.mark.parametrize("publish", [stops, lambda _: "feat: a"])
def test_p6_work_that_changed_after_its_review_is_reviewed_again(
    bench: Bench, publish: object
) -> None:
    write_hook(bench.root / ".git", "pre-commit", "exit 1\n")
    if publish is stops:
        with pytest.raises(KeyboardInterrupt):
            bench.run(Scripted(publish=stops))
    else:
        bench.run(Scripted(publish=lambda _: "feat: a"))
    write_hook(bench.root / ".git", "pre-commit", "exit 0\n")
    (bench.root / FILE).write_text("// changed by hand\n")
    again = Scripted()

    bench.run(again)

    assert stages(again) == ["review", "publish"]


def test_p8_what_a_hook_changed_after_the_review_is_said_and_asked(bench: Bench) -> None:
    script = f"echo '// formatted' >> {FILE}; git add {FILE}\n"
    write_hook(bench.root / ".git", "pre-commit", script)

    refused = bench.run(Scripted(), ask=lambda _: False)
    sha = bench.git("rev-parse", "HEAD")
    last, opened = bench.stop, len(bench.forge.opened)
    again = Scripted()
    code = bench.run(again)

    said = f'the commit {sha[:10]} differs from what was reviewed: "{FILE}" (did a hook change it?)'
    look = f"Look at it (git show {sha[:10]}), then run the same command again."
    assert notices(bench) == [said, said]
    assert (refused, last, opened) == (2, ["stopped as you asked", look], 0)
    assert (code, stages(again), len(bench.forge.opened)) == (0, [], 1)
    assert bench.git("rev-parse", "HEAD") == sha


def test_a_hook_that_changes_nothing_is_not_mentioned(bench: Bench) -> None:
    write_hook(bench.root / ".git", "pre-commit", "exit 0\n")

    code = bench.run(Scripted())

    assert (code, notices(bench)) == (0, [])


def with_origin(bench: Bench) -> None:
    bare = str(bench.root.parent / "origin.git")
    bench.git("init", "--quiet", "--bare", bare)
    bench.git("remote", "add", "origin", bare)
    bench.git("push", "--quiet", "origin", "main")
    bench.forge.remote = "origin"


def test_p8_commits_that_are_not_pushed_are_said_before_an_agent_works(bench: Bench) -> None:
    with_origin(bench)
    bench.git("commit", "--quiet", "--allow-empty", "-m", "wip: not yet")
    driver = Scripted()

    code = bench.run(driver, ask=lambda _: False)

    assert notices(bench) == [
        'the pull request will also contain what is on main and not on origin/main: "wip: not yet"'
    ]
    assert (code, driver.turns) == (2, [])
    assert bench.stop == [
        "stopped as you asked",
        (
            "Push these commits first (git push origin main), or begin at origin/main "
            "(git switch --detach origin/main) and add --base origin/main."
        ),
    ]


def test_p8_the_base_of_origin_leaves_them_out_as_the_advice_says(bench: Bench) -> None:
    with_origin(bench)
    bench.git("commit", "--quiet", "--allow-empty", "-m", "wip: not yet")
    wrong = bench.run(Scripted(), base="origin/main")
    stop = bench.stop
    bench.git("switch", "--quiet", "--detach", "origin/main")

    code = bench.run(Scripted(), base="origin/main")

    assert (wrong, stop) == (
        2,
        [
            (
                'the commit that is checked out is not the base "main": switch to the base first '
                "(git switch --detach origin/main)"
            )
        ],
    )
    (change,) = bench.forge.opened.values()
    assert (code, notices(bench), change.base) == (0, [], "main")
    assert bench.git("log", "--format=%s", "origin/main..HEAD") == "feat: add a health endpoint"
    assert bench.run(Scripted()) == 0  # the branch remembers its base


def test_p8_a_base_behind_its_remote_is_said(bench: Bench) -> None:
    with_origin(bench)
    bench.git("commit", "--quiet", "--allow-empty", "-m", "chore: newer")
    bench.git("push", "--quiet", "origin", "main")
    bench.git("reset", "--quiet", "--hard", "HEAD~1")

    code = bench.run(Scripted())

    assert notices(bench) == ["main is behind origin/main: the work will begin at an older commit"]
    assert code == 0
