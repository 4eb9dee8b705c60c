"""What the authors of this checkout's course declare for its proof."""

from __future__ import annotations

import json
import os
from functools import partial
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable
from verify import catalog
from verify.selftest.course import Course, Excuse
from verify.selftest.mutants import files_below
from verify.selftest.operators import Fault, replaced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.selftest.operators import Target

_ODD = "fixtures/submissions/expert/04-evidence/broken-odd-history"
PRACTICE_ISSUES = frozenset({"ISSUE-306"})  # learners may work on it, but no exercise grades it

EXCUSES = tuple(
    Excuse(pattern, reason)
    for reason, patterns in {
        "People read these texts: no check judges their wording.": (
            "*.{description,summary}: {reworded,neighbour,no path}*",
            "expert/01 *.{task,signals*}: {reworded,no path}*",
            "expert/01 *'new abstractions' everywhere: *",
            "expert/01 *.signals*: {dropped,twice,one more,reordered}*",
            *(  # records whose signals fit each other's tiers
                f"expert/01 {fixture}: *$.{record}.signals: neighbour: as in {{{others}}}"
                for fixture, records in (
                    ("solved", ("1,3", "2,4", "1,4", "0,1", "1,2")),
                    ("solved-reworded", ("2,3", "3,4", "0,3", "0,2", "1,3")),
                )
                for record, others in enumerate(records)
            ),
        ),
        "These lists have no order, and a repeated element changes nothing.": (
            "*$.{affected_files,files_changed}*: reordered*",
            "expert/01 *.agents*: {twice,reordered}*",
            "expert/01 *: reordered*",
        ),
        "The numbers of the steps ascend; the planner chooses the first number and the gaps.": (
            "*.order: renumbered: a fraction",
            "*.steps.0.order: renumbered: {zero,negative}",
        ),
        "Criteria are matched by their numbers: the short names in labels may be reworded.": (
            "*plan.json $.acceptance_mapping.*: key renamed",
        ),
        "The planner chooses the files of a plan that is valid and maps every criterion.": (
            "{practitioner/02,expert/03} *plan.json '*' everywhere: renamed",
            "foundation/01 *plan.json 'src*' everywhere: renamed",
            "{foundation/01,practitioner/02} *plan.json folder '*' everywhere: renamed",
            "{foundation/01,practitioner/02,expert/03} *plan.json 'src/*' everywhere: forgotten",
            "{practitioner/02,expert/03} *plan.json 'test/*' everywhere: forgotten",
            "{foundation/01,practitioner/02} *plan.json folder 'src' everywhere: forgotten",
        ),
        "The value has the right form, and nothing in the submission contradicts it.": (
            "{foundation/03,expert/02} *$.{branch,commit_message}: reworded: other words",
            "expert/04 solved-{forwarded,merged}: *$.branch: reworded: other words",
            "{foundation/03,expert/02} *$.commit_message: reworded: in a different case",
            "expert/02 *$.commit_message: an unusual type",
            "*$.commit_message: reworded: with a space after it",
            "*$.commit_sha: reworded: in a different case",
            "*$.pr_url: reworded: {a different number,in a different case,other words}",
        ),
        "The previous exercise grades who wrote the plan and whether it covers the issue.": (
            "{foundation/02,practitioner/03} *plan.json $.acceptance_mapping.*: missing",
            "foundation/02 *plan.json $.produced_by: {reworded,no path}*",
        ),
        "Only foundation/03 asks for pr_url; the protocol makes the field optional.": (
            "{foundation/04,practitioner/04,expert/02,expert/04} *$.pr_url: {missing,key*}",
        ),
        "expert/02 grades the agents of each tier; other exercises grade the mapping.": (
            "expert/02 *plan.json $.acceptance_mapping.*: missing",
        ),
        "The grader never runs code: tests and a reviewer decide whether the code works.": (
            "{foundation/02,practitioner/03} *.js text: cut*",
        ),
        "No check compares the files of a trivial task with its plan.": (
            "expert/02 *ISSUE-301/worker-result.json $.files_changed.*: reworded*",
            "expert/02 *ISSUE-301/worker-result.json $.files_changed: {one more,says nothing*}",
        ),
        "Results are compared with git only if there is a history; only expert/04 needs one.": (
            "{foundation/04,practitioner/04} *history.bundle file: *",
        ),
        "The grader checks the hash of each object in a pack, not the pack's own checksum.": (
            "*history.bundle text: cut at its end",
        ),
        "The team decides what a definition says; without a name, the file's name counts.": (
            'practitioner/01 *{description,model}: "other-words"',
            "practitioner/01 *agents/*.md name: missing",
            "practitioner/01 *{md,mdc} text: cut*",
            "practitioner/01 *SKILL.md with *",
        ),
        "A rule either always applies or is found by its description.": (
            'practitioner/01 *x-planner-first.mdc description: {missing,,""," "}',
            "practitioner/01 *x-tier-routing.mdc alwaysApply: {missing,true}",
        ),
    }.items()
    for pattern in patterns
)


def _unusual_type(target: Target) -> Iterator[Fault]:
    """Give a commit a type that the usual tools do not know."""
    message = json.loads(target.data)["commit_message"] if "/git-result" in target.path else ""
    if message and target.path.endswith(".json"):
        data = target.data.replace(message.encode(), b"wip: the work")
        yield Fault("$.commit_message: an unusual type", {target.path: data})


def _other_roots(target: Target) -> Iterator[Fault]:
    """Write the paths of a plan as from the folder above, or as from the sandbox.

    As from the sandbox they show the mistake only if the files exist, so they are added.
    """
    path = target.path
    if not path.endswith("/plan.json"):
        return
    plan = json.loads(target.data)
    files = plan["affected_files"]
    inside = path.startswith("sandbox/")
    others = {f: f"sandbox/{f}" if inside else f.removeprefix("sandbox/") for f in files}
    there = {} if inside else {file: target.files.get(file, b"// a file\n") for file in files}
    for name, changed in (*((f, {f: others[f]}) for f in files), ("all files", others)):
        data = json.dumps(replaced(plan, changed)).encode()
        yield Fault(f"{name}: from a different root", {path: data, **there})


def _odd_history(root: str, target: Target) -> Iterator[Fault]:
    """Put a history and its result in their places that only advice refuses."""
    if "/ISSUE-305/git-result.json" in target.path:
        files = files_below(os.path.join(root, _ODD))
        same = {path: data for path, data in files.items() if path in target.files}
        yield Fault("with an odd history", same)


def the_course(selection: Sequence[tuple[str, str]] = (), root: str = ROOT) -> Course:
    """Return this checkout's course; `selection` has the exercises to prove, if not all."""
    chosen = [catalog.find(level, number).name for level, number in selection]
    course = Course(
        root=root,
        exercises=tuple(e for level in catalog.LEVELS for e in catalog.level(level)),
        operators=(_other_roots, _unusual_type, partial(_odd_history, root)),
        excuses=EXCUSES,
        practice_issues=PRACTICE_ISSUES,
        only=frozenset(chosen),
    )
    if not os.path.isdir(os.path.join(root, course.fixtures)):
        raise unusable(
            f"no fixtures in {visible(root)}: run the self-test in a checkout of the course"
        )
    return course
