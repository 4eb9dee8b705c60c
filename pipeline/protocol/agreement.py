"""What the runner and the grader both ask of artifacts: who wrote them, what they cover and do.

Each rule is here once; the two say in their own words where an artifact breaks it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pipeline.protocol.conventions import locks_of
from pipeline.protocol.layout import composed
from pipeline.protocol.patterns import TEXT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

COMPLETED = "completed"
# Of a worker that cannot do it, though another may; `blocked` waits for a person.
GIVEN_UP = ("escalate", "failed")
# The roles that may write an artifact, by the name of its kind (specification, 2.2 to 2.5; ours).
WRITERS = {
    "plan": ("x-subplanner", "x-planner"),
    "worker-result": ("x-worker", "x-worker-fast"),
    "git-result": ("x-git",),
    "review-result": ("x-reviewer", "x-reviewer-fast"),
    "test-result": ("runner",),  # no agent: the runner itself
}
_JUDGED = ("passed", "failed")  # the counts of tests that ran, without those that were skipped
_FEWEST = 3  # letters of a text that says something
_BEGINNING = 60  # characters of a text that is looked at
_SIGNS = "\u2e80"  # the first of the scripts of East Asia
_PLACEHOLDERS = frozenset({"todo", "tbd", "fixme", "none", "null", "description"})
_NUMBER = re.compile(r"AC([0-9]+)_")


def is_by(artifact: Mapping[str, Any], agents: Collection[str]) -> bool:
    """Return whether the marker of an artifact names one of some agents, exactly."""
    return artifact.get("produced_by") in agents


def unmapped(criteria: Iterable[str], plan: Mapping[str, Any]) -> list[str]:
    """Return the labels of an issue's criteria whose numbers a plan does not map."""
    mapped = set(map(_number, plan.get("acceptance_mapping", ())))
    return [label for label in criteria if _number(label) not in mapped]


def _number(label: str) -> str:
    match = _NUMBER.match(label)
    return match[1] if match else label


def planned(files: Iterable[str], affected: Collection[str]) -> list[str]:
    """Return a plan's files, with those lock files of `files` whose manifest the plan has.

    The lock file is beside its manifest, or in a folder above it: a workspace has one for all.
    """
    manifests = [path.rpartition("/")[::2] for path in affected]
    locks = [(f"{folder}/", locks_of(name)) for folder, name in manifests]
    written = [
        path
        for path in files
        if path not in affected
        and any(
            path.rpartition("/")[2] in names and folder.startswith(_folder(path))
            for folder, names in locks
        )
    ]
    return [*affected, *written]


def _folder(path: str) -> str:
    folder = path.rpartition("/")[0]
    return f"{folder}/" if folder else ""


def differences(names: Iterable[str], others: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the names that are not among others, and the others that are not among the names.

    A plan, a report, git and the disk may write one name in different forms of Unicode.
    """
    mine = {composed(name): name for name in names}
    theirs = {composed(name): name for name in others}
    return (
        [name for form, name in mine.items() if form not in theirs],
        [name for form, name in theirs.items() if form not in mine],
    )


def spelt_as(names: Iterable[str], others: Collection[str]) -> list[str]:
    """Return names in the spelling of others that differ only in their form of Unicode."""
    known = {composed(spelling): spelling for spelling in others}
    return [name if name in others else known.get(composed(name), name) for name in names]


def is_unexplained(result: Mapping[str, Any]) -> bool:
    """Return whether a worker's result is not completed, and no blocker says why."""
    reasons = (str(blocker or "").strip() for blocker in result["blockers"])
    return result["status"] != COMPLETED and not any(reasons)


def fails_anew(result: Mapping[str, Any]) -> bool:
    """Return whether tests fail that, as far as both runs show, did not fail before the work.

    A failure is not new if a package was missing before the work, too, and explains it. Tests that
    are gone count as failures.
    """
    before = result.get("before", {})
    if is_gone(result):
        return True
    if result["verdict"] != "failed" or before.get("verdict") != "failed":
        return bool(result["verdict"] == "failed")
    shown = ("failures", "counts")
    if [bool(result.get(field)) for field in shown] != [bool(before.get(field)) for field in shown]:
        return True  # what failed cannot be compared
    lacking, lacked = result.get("missing", {}), before.get("missing", {})
    is_known = lacking.keys() <= lacked.keys()
    if not any(result.get(field) for field in shown):
        return bool(result.get("exit_code") != before.get("exit_code")) or not is_known
    explained = 0
    if is_known and _more(result, before, "passed") >= 0:
        explained = max(0, sum(lacking.values()) - sum(lacked.values()))
    return max(len(new_failures(result)), _more(result, before, "failed")) > explained


def _more(result: Mapping[str, Any], before: Mapping[str, Any], word: str) -> int:
    now, then = (run.get("counts", {}).get(word, 0) for run in (result, before))
    return int(now - then)


def is_gone(result: Mapping[str, Any]) -> bool:
    """Return whether tests ran before the work and, as far as their output shows, none run now."""
    before = result.get("before", {})
    if result["verdict"] == "failed" or before.get("verdict", "not run") == "not run":
        return False
    now, then = (run.get("counts", {}) for run in (result, before))
    if not sum(map(then.get, _JUDGED, (0, 0))):  # its output does not show how many they are
        return bool(result["verdict"] == "not run")
    return not sum(map(now.get, _JUDGED, (0, 0)))


def new_failures(result: Mapping[str, Any]) -> list[str]:
    """Return the names of the tests that fail and did not fail before the work."""
    before = result.get("before", {}).get("failures", ())
    return [name for name in result.get("failures", ()) if name not in before]


def is_blank(data: bytes) -> bool:
    """Return whether a file has nothing to see: only white space, NUL, marks of encodings."""
    text = data.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff").decode("utf-8", "replace")
    return re.search(TEXT.pattern, text) is None


def says_nothing(text: str) -> bool:
    """Return whether a text is a letter or two, one letter again and again, or a placeholder.

    A sign of a script that writes whole words with it, such as a Chinese one, is not a letter.
    """
    letters = "".join(filter(str.isalnum, text.strip()[:_BEGINNING].casefold()))
    is_little = len(letters) < _FEWEST or len(set(letters)) == 1 or letters in _PLACEHOLDERS
    return is_little and max(letters, default="") < _SIGNS
