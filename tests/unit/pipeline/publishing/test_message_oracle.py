"""Our rule for commit messages against `conventional-pre-commit --strict`, case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from conventional_pre_commit.hook import main  # type: ignore[import-untyped]  # ships no types

from pipeline.publishing.message import TYPES, is_message

if TYPE_CHECKING:
    from pathlib import Path

OTHER_TYPES = ("deps", "feat2", "my-type", "release_note", "wip")

VALID = [
    *("feat: a", "Feat: a", "FEAT: a", "feat(x): a", "feat(x)!: a", "feat!: a", "feat( ): a"),
    *("feat(a b): c", "feat(a/b): c", "feat(a,b): c", "feat(a.b): c", "feat(a:b): c"),
    *("feat(ä): c", "feat(a): b (c)", "feat: ä", "feat: #1 is first", "feat: a\n"),
    *("feat: a\n\nb", "feat: a\n\n\nb", "feat: a\r\n\r\nb", "feat: a\n\n# no comment"),
    *("feat: a\n\nBREAKING CHANGE: x", "feat: a\n\nb\n\nRefs: #1\nReviewed-by: Z"),
    *("chore(release): 1.0.0 [skip ci]", "docs: a: b: c", "build(deps-dev): bump x"),
    *("revert: feat: a\n\nRefs: 676104e", "deps: a", "my-type: a", "release_note: a", "wip: a"),
]
INVALID = [
    *("", "a", "feat", "feat:", "feat: ", "feat:a", "feat : a", "feat; a", "feat:\ta"),
    *(" feat: a", "\nfeat: a", "feat(): a", "feat(a)b: c", "feat(a) : c", "feat (a): c"),
    *("feat(a)(b): c", "feat(a\nb): c", "feat!(x): a", "feat!!: a", "fëat: a", "#1 feat: a"),
    *("feat: a\nb", "feat: a\r\nb", "feat: a\n \nb", "fixup! feat: a", "squash! feat: a"),
    *("amend! feat: a", "Merge branch 'x'", "Merge pull request #1 from a/b", 'Revert "feat: a"'),
    "feat：a",  # noqa: RUF001  # a full-width colon, as an input method writes it
]
# What we say, where the oracle says the opposite, with the rule of the specification.
DIFFERENCES = {
    "feat:  a": False,  # rule 5: the description follows the colon and space immediately
    "feat2: a": True,  # rule 14: any type; the oracle's alternation stops at its type `feat`
    "feat(@scope/pkg): c": True,  # rule 4: a scope is a noun in parentheses, of any characters
    "feat(a!): b": True,  # rule 4
    "feat(*): a": True,  # rule 4
    "feat: a\x1b[31m": False,  # ours: a message must not drive the terminal that shows the log
}


def oracle(message: str, folder: Path) -> bool:
    file = folder / "COMMIT_EDITMSG"
    file.write_bytes(message.encode())
    code: int = main(["--strict", "--no-color", *TYPES, *OTHER_TYPES, str(file)])
    return code == 0


@pytest.mark.parametrize("message", [*VALID, *INVALID])
def test_both_take_what_follows_the_specification_and_refuse_what_breaks_it(
    message: str, tmp_path: Path
) -> None:
    taken = message in VALID

    assert (is_message(message), oracle(message, tmp_path)) == (taken, taken)


@pytest.mark.parametrize("message", DIFFERENCES)
def test_the_known_differences_are_those_and_no_others(message: str, tmp_path: Path) -> None:
    ours = DIFFERENCES[message]

    assert (is_message(message), oracle(message, tmp_path)) == (ours, not ours)
