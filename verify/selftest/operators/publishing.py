"""Faults of a git agent's result: branch, hash, message, address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from verify.selftest.mutants import Edit
from verify.selftest.operators.documents import with_value
from verify.selftest.subjects import BRANCH, ISSUE_IN_BRANCH, MESSAGE, SHA, URL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.selftest.subjects import Subject


def branches(result: Any, _: Subject) -> Iterator[Edit]:
    """Give the branch another prefix, or a slug that is none."""
    slug = result["branch"].removeprefix("feature/")
    names = (
        *(slug, "main", "feature", "feature/", f"feature//{slug}", f"feature/{slug}/"),
        *(f"bugfix/{slug}", f"feat/{slug}", f"features/{slug}", f"Feature/{slug}"),
        *(f"FEATURE/{slug}", f"feature-{slug}", f"origin/feature/{slug}", f"/feature/{slug}"),
        *(f"refs/heads/feature/{slug}", f"feature/{slug.replace('-', ' ')}", f"feature/{slug} "),
        *(f" feature/{slug}", f"feature/-{slug}", f"feature/{slug}-", f"feature/{slug}.lock"),
        *(f"feature/{slug.replace('-', '--', 1)}", f"feature/{slug}~1", f"feature/{slug}\n"),
        f"feature/{slug}\u00e9",
    )
    yield from _edits(result, "branch", names, BRANCH)


def branches_of_another_issue(result: Any, _: Subject) -> Iterator[Edit]:
    """Name no issue in the branch, or another one."""
    branch = result["branch"]
    number = re.search("[0-9]+", branch)
    if number:
        others = ("", "7", f"{number[0]}0", f"1{number[0]}")
        names = tuple(branch.replace(f"{number[0]}-", f"{n}-" if n else "") for n in others)
        yield from _edits(result, "branch", names, ISSUE_IN_BRANCH)


def hashes(result: Any, _: Subject) -> Iterator[Edit]:
    """Give a hash that git does not print."""
    full = (result["commit_sha"] * 10)[:40]
    own = result["commit_sha"]
    wrong = (
        *(f"g{own[1:]}", f"{own[:-1]}z", own[:6], own[:1], f"{full}a", f"{full}{full}"[:63]),
        *(f"{full}{full}"[:65], f"0x{own}", f"{own} ", f" {own}", f"{own}\n", f"#{own}", "HEAD"),
        *(f"{own[:3]} {own[3:]}", f"{own}...", f"{own[:-1]}\u0661"),  # an Arabic-Indic digit
    )
    yield from _edits(result, "commit_sha", wrong, SHA)


def messages(result: Any, _: Subject) -> Iterator[Edit]:
    """Write a message that is no conventional commit."""
    type_, _colon, text = result["commit_message"].partition(": ")
    wrong = (
        *(text, f"{type_} {text}", f"{type_}:{text}", f"{type_}: ", f"{type_}:", f": {text}"),
        *(f"{type_} : {text}", f"{type_}:\n{text}", f"{type_}\n\n{text}", f" {type_}: {text}"),
        *(f"{type_}(): {text}", f"{type_}(app: {text}", f"{type_} (app): {text}"),
        *(f"{type_}!!: {text}", f"!{type_}: {text}", f"new {type_}: {text}", f"\n{type_}: {text}"),
        *(f"{type_}: {text}\nand a body without an empty line", f"{type_} - {text}"),
        *(f"[{type_}] {text}", f"{type_};{text}", f"1{type_}: {text}"),
    )
    yield from _edits(result, "commit_message", wrong, MESSAGE)


def addresses(result: Any, _: Subject) -> Iterator[Edit]:
    """Give an address that no browser opens as a page of a forge."""
    rest = result.get("pr_url", "").partition("://")[2]
    wrong = (
        *(rest, f"//{rest}", f"ftp://{rest}", f"file:///{rest}", f"ssh://git@{rest}", "pull/7"),
        *("#7", "https://", "https:///pull/7", f"https:/{rest}", f"https//{rest}", f"http:{rest}"),
        *(
            f"https://{rest} and more",
            f" https://{rest}",
            f"https://{rest} ",
            "javascript:alert(7)",
        ),
        *(f"<https://{rest}>", f"[pull request](https://{rest})", f"https://{rest}\n", "n/a"),
        "https://forge.example/<org>/<repo>/pull/1",
        *(f"https://{rest}{sign}" for sign in '<>"{}|\\^`['),
        *("https://{host}/pull/7", "https://[host]/pull/7", f"https://[{rest}", "https://[::1/7"),
    )
    yield from _edits(result, "pr_url", wrong, URL)


def _edits(result: Any, field: str, values: tuple[str, ...], concern: str) -> Iterator[Edit]:
    for value in dict.fromkeys(values if field in result else ()):
        edit = with_value(result, (field,), value)
        yield Edit(f"{field}: {value!a}", (concern,), edit)


ALL = (branches, branches_of_another_issue, hashes, messages, addresses)
