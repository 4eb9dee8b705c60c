"""What mutants are made of: a part of a solution, and which check each concern about it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

# Concerns: what an author promises to look at. An operator says which of them its mutants are
# about; an exercise's table says which check answers for it.
THERE = "it is there"
JSON = "it is strict JSON"
FIELDS = "its fields and types"
FILES_AND_STEPS = "files and steps"
ORDER = "order of steps"
MAPPING = "labels and planned files"
CRITERIA = "criteria of the issue"
TESTS = "tests are planned"
DOMAINS = "domains are planned"
ROOTS = "paths begin at the target project"
MARKER = "marker"
COMPLETED = "completed"
BLOCKERS = "blockers"
AGREEMENT = "plan and result agree"
FILES_THERE = "changed files are there"
BRANCH = "branch"
SHA = "commit hash"
MESSAGE = "commit message"
ISSUE_IN_BRANCH = "branch names its issue"
URL = "address of the pull request"
PULL_REQUEST = "pull request is given"
COMMIT_KNOWN = "git has the commit"
ON_BRANCH = "git has it on its branch"
MESSAGE_SAID = "git has its message"
GIT_FILES = "git and the result agree"
GIT_PLAN = "git and the plan agree"
ONLY_WORK = "the commit has no artifacts"
TIMES = "order of commits"
MERGED = "merged by a merge"
RECORDS = "five records"
TIER_VALUES = "tier values"
SCENARIOS = "scenarios"
TRIVIAL_AGENTS = "agents of trivial tasks"
ROUTING = "routing table"
ESTIMATES = "estimates"
CLEAN = "it is clean"
MODEL = "model"
APPLIES = "it always applies"
WRITES = "it may write and is waited for"
VERSION = "version of a program"


def tier_of(scenario: str) -> str:
    """Return the concern that a scenario has its tier."""
    return f"tier of {scenario}"


class Subject(NamedTuple):
    """One thing in an exercise's solution that mutants change.

    `path` is the file's, relative to the submission's root; for the kind `program` it is the
    program's name. `checks` maps concerns to the numbers of the exercise's checks. `agents` are
    the values of the marker that are right, empty where any is.
    """

    path: str
    kind: str
    checks: Mapping[str, int]
    agents: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the short name that the names of its mutants begin with."""
        folder, _, name = self.path.rpartition("/")
        return f"{folder.rpartition('/')[2]}/{name}" if folder else name
