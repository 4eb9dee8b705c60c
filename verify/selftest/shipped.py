"""What the authors of this checkout's course declare about it for its proof."""

from __future__ import annotations

import json
import os
from functools import partial
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable
from verify import catalog
from verify.exercises.expert.ex02_tiers import EXERCISE as TIERS
from verify.selftest.course import Course, Excuse
from verify.selftest.mutants import files_below
from verify.selftest.operators import Fault, replaced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.selftest.operators import Target

_ODD = "fixtures/submissions/expert/04-evidence/broken-odd-history"
PRACTICE_ISSUES = frozenset({"ISSUE-306"})  # a learner may work on it, no exercise grades it

EXCUSES = tuple(
    Excuse(pattern, reason)
    for reason, patterns in {
        "It is for people to read: no check judges the wording.": (
            "*.{description,summary}: {reworded,neighbour,no path}*",
            "expert/01 *.{task,signals*}: {reworded,no path}*",
            "expert/01 *'new abstractions' everywhere: *",
            "expert/01 *.signals*: {neighbour,dropped,twice,one more,reordered}*",
        ),
        "The specification (2.5) asks for an array of texts, without a minimum number.": (
            "expert/01 *.signals: says nothing: empty",
        ),
        "These lists have no order, and an element that is there twice changes nothing.": (
            "*$.{affected_files,files_changed,blockers}*: {twice,reordered}*",
            "expert/01 *.agents*: {twice,reordered}*",
            "expert/01 *: reordered*",
        ),
        "The numbers of the steps ascend; the planner chooses the first one and the distance.": (
            "*.order: renumbered: a fraction",
            "*.steps.0.order: renumbered: {zero,negative}",
        ),
        "Criteria are matched by their numbers: the short names in labels may be reworded.": (
            "*plan.json $.acceptance_mapping.*: key another",
        ),
        "A plan that is sound and maps every criterion may choose its files.": (
            "{foundation/01,practitioner/02,expert/03} *plan.json '*' everywhere: renamed",
            "{foundation/01,practitioner/02} *plan.json folder '*' everywhere: renamed",
            "{foundation/01,practitioner/02,expert/03} *plan.json 'src/*' everywhere: forgotten",
            "{practitioner/02,expert/03} *plan.json 'test/*' everywhere: forgotten",
            "{foundation/01,practitioner/02} *plan.json folder 'src' everywhere: forgotten",
        ),
        "Its form is right, and nothing in the submission contradicts it.": (
            "{foundation/03,expert/02} *$.{branch,commit_message}: reworded: other words",
            "expert/04 solved-{forwarded,merged}: *$.branch: reworded: other words",
            "{foundation/03,expert/02} *$.commit_message: reworded: in another case",
            "*$.commit_message: reworded: with a space after it",
            "*$.commit_sha: reworded: in another case",
            "*$.pr_url: reworded: {another number,in another case,other words}",
        ),
        "Who wrote the plan and whether it covers the issue is graded in the exercise before.": (
            "{foundation/02,practitioner/03} *plan.json $.acceptance_mapping.*: missing",
            "foundation/02 *plan.json $.produced_by: {reworded,no path}*",
        ),
        "Only foundation/03 asks for pr_url; the specification (2.4) leaves it out elsewhere.": (
            "{foundation/04,practitioner/04,expert/02,expert/04} *$.pr_url: {missing,key*}",
        ),
        "expert/02 is about the agents of each tier; exercises on one issue grade the mapping.": (
            "expert/02 *plan.json $.acceptance_mapping.*: missing",
        ),
        "The grader never runs code: its tests and a reviewer say whether it works.": (
            "{foundation/02,practitioner/03} *.js text: cut*",
        ),
        "A trivial task has no plan to compare the files of its worker with.": (
            "expert/02 *ISSUE-301/worker-result.json $.files_changed.*: reworded*",
            "expert/02 *ISSUE-301/worker-result.json $.files_changed: {one more,says nothing*}",
        ),
        "Git is compared where a history was submitted, as advice; only expert/04 asks for one.": (
            "{foundation/04,practitioner/04} *history.bundle file: *",
        ),
        "The end of a pack is a checksum over all of it; each object in it is known by its own.": (
            "*history.bundle text: cut at its end",
        ),
        "What a definition says is the team's, and a name that is left out is the file's.": (
            'practitioner/01 *{description,model}: "other-words"',
            "practitioner/01 *agents/*.md name: {missing,named NAME}",
            "practitioner/01 *{md,mdc} text: cut*",
            "practitioner/01 *SKILL.md with *",
        ),
        "A rule either applies always or is found by its description.": (
            'practitioner/01 *x-planner-first.mdc description: {missing,,""," "}',
            "practitioner/01 *x-tier-routing.mdc alwaysApply: {missing,true}",
        ),
    }.items()
    for pattern in patterns
)

# The faults that each check answers for. They are written from the description of the exercise and
# not from what a run reports: a fault that another check refuses by chance is then no proof.
_UNSOUND = "{file: removed,file: moved*,text: *,$.*: of another type*}"
_FAULTS = {
    "*plan.json file: {removed,moved*}": "F01.1 P02.1 E03.1",
    "*plan.json text: *": "F01.2 P02.2 E03.2",
    "*plan.json {file: removed,file: moved*,text: *}": "F04.1 P04.1 E04.1",
    "*plan.json {text: *,$.steps.*: dropped}": "F02.5 P03.5",
    "*plan.json $*: of another type*": "F01.3 F04.4 P02.3 P04.4 E03.3 E04.4",
    "*plan.json $.affected_files.*: {dropped,reworded}*": "F01.4 F04.7 P02.4 P04.7 E03.4 E04.7",
    "*plan.json $.steps*: {twice,reordered}*": "F01.5 P02.5 E03.5",
    "*plan.json $.acceptance_mapping.*: reworded*": "F01.6 P02.6 E03.6",
    "*plan.json $.acceptance_mapping.*: missing": "F01.8 P02.7 P04.14 E03.7 E04.14",
    "*plan.json $.produced_by: reworded*": "F01.7 P02.8 P03.9 P04.9 E03.8 E04.9",
    "*plan.json 'test/*' everywhere: forgotten": "F01.9",
    "*plan.json folder 'test' everywhere: forgotten": "P02.9",
    "*plan.json folder '*' everywhere: renamed": "E03.9",
    "*plan.json '*' everywhere: renamed": "F04.17 P04.21 E04.21",
    "*plan.json *: from another root": "F01.10 F04.12 P02.10 P04.16 E03.10 E04.16",
    "*worker-result.json file: {removed,moved*}": "F02.1 P03.1",
    "*worker-result.json text: *": "F02.2 P03.2",
    "*worker-result.json {file: removed,file: moved*,text: *}": "F04.2 P04.2 E04.2",
    "*worker-result.json $*: of another type*": "F02.3 P03.3",
    "*worker-result.json $.{status,files_changed*,summary}: of another type*": "F04.5 P04.5 E04.5",
    "*worker-result.json $.blockers: {of another type,one more}*": "F04.8 P04.8 E04.8",
    "*worker-result.json $.status: reworded*": "F02.4 F04.9 P03.4 P04.12 E04.12",
    "*-result.json $.files_changed.*: {dropped,reworded}*": "F02.6 F04.10 P03.6 P04.13 E04.13",
    "*worker-result.json $.files_changed: one more": "F04.16 P04.20 E04.20",
    "*worker-result.json $.produced_by: reworded*": "F02.8 P03.8 P04.10 E04.10",
    "*.js {file: *,text: empty}": "F02.7 P03.7",
    "*git-result.json file: {removed,moved*}": "F03.1",
    "*git-result.json text: *": "F03.2",
    "*git-result.json {file: removed,file: moved*,text: *}": "F04.3 P04.3 E04.3",
    "*git-result.json $*: of another type*": "F03.3 F04.6 P04.6 E04.6",
    "*git-result.json $.branch: {says nothing,no path}*": "F03.4",
    "*git-result.json $.commit_sha: {says nothing,no path}*": "F03.5",
    "*git-result.json $.commit_message: {says nothing,no path}*": "F03.6",
    "*git-result.json $.produced_by: reworded*": "F03.7 P04.11 E04.11",
    "*git-result.json $.pr_url: {says nothing,no path}*": "F03.9",
    "*git-result.json $.branch: reworded: another number": "F03.8 F04.11 P04.15 E04.15",
    "*git-result.json $.branch: reworded: other words": "F04.14 P04.18 E04.18",
    "*git-result.json $.commit_message: reworded: other words": "F04.15 P04.19 E04.19",
    "*git-result.json with an odd history": "E04.22 E04.23",  # nothing but advice refuses it
    "*history.bundle {text: empty,text: cut in the middle}": "F04.13 P04.17 E04.17",
    "*agents/*.md file: *": "P01.1",
    "*agents/*.md {name: *other*,text: n*}": "P01.2",
    "*agents/*.md model: {missing,true}": "P01.3",
    "*rules/*.mdc file: *": "P01.4",
    "*rules/*.mdc text: n*": "P01.5",
    "*/SKILL.md file: *": "P01.6",
    "*/SKILL.md {name: *,text: n*}": "P01.7",
    "*x-planner-first.mdc alwaysApply: {missing,false}": "P01.8",
    "*python *": "P01.9",
    "*node *": "P01.10",
    "*: git *": "P01.11",
    "*/node_modules *": "P01.12",
    "*agents/*.md with *": "P01.13",
    "*.json file: {removed,moved*}": "E01.1",
    "*.json text: *": "E01.2",
    "*.json $.{0,1,2,3,4}: {dropped,twice,of another type}*": "E01.3",
    "*.json $.*.{task,file_count,signals,agents}: of another type*": "E01.4",
    "*.json $.*.tier: reworded*": "E01.5",
    "*.json $.*.task: neighbour*": "E01.6",
    **{f"solved: *$.{index}.tier: neighbour*": f"E01.{7 + index}" for index in range(5)},
    "*.json 'x-*-fast' everywhere: *": "E01.12",
    "*.json 'x-*' everywhere: *": "E01.13",
    "*.json {$.*.domain_scope: neighbour*,$.*.file_count: renumbered: zero}": "E01.14",
    # of a tier's run: an artifact is there and sound, then its marker
    **{
        f"*{path.partition('.pipeline/')[2]} {fault}": f"E02.{2 * stage + check}"
        for stage, path in enumerate(TIERS.paths)
        for check, fault in enumerate((_UNSOUND, "$.produced_by: reworded*"), start=1)
    },
    "*ISSUE-301/git-result.json $.branch: reworded: another number": "E02.17",
    "*ISSUE-302/worker-result.json $.files_changed.*: {dropped,reworded}*": "E02.18",
    "*ISSUE-302/git-result.json $.branch: reworded: another number": "E02.19",
    "*ISSUE-303/worker-result.json $.files_changed.*: {dropped,reworded}*": "E02.20",
    "*ISSUE-303/git-result.json $.branch: reworded: another number": "E02.21",
}
ATTRIBUTIONS = {code: pattern for pattern, codes in _FAULTS.items() for code in codes.split()}


def _other_roots(target: Target) -> Iterator[Fault]:
    """Write the paths of a plan as from the folder above, or as from the sandbox.

    As from the sandbox they show the mistake only where the files are there, so they are added.
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
        yield Fault(f"{name}: from another root", {path: data, **there})


def _odd_history(root: str, target: Target) -> Iterator[Fault]:
    """Put a history and its result in their places that only advice refuses."""
    if "/ISSUE-305/git-result.json" in target.path:
        files = files_below(os.path.join(root, _ODD))
        same = {path: data for path, data in files.items() if path in target.files}
        yield Fault("with an odd history", same)


def the_course(selection: Sequence[tuple[str, str]] = (), root: str = ROOT) -> Course:
    """Return the course, with those of its exercises to prove that (level, number) select.

    Raises:
        UnknownExercise: a selection names none.
        pipeline.terminal.fault.Fault: `root` has no fixtures: the course is an installed copy.
    """
    chosen = [catalog.find(level, number).name for level, number in selection]
    course = Course(
        root=root,
        exercises=tuple(e for level in catalog.LEVELS for e in catalog.level(level)),
        attributions=ATTRIBUTIONS,
        operators=(_other_roots, partial(_odd_history, root)),
        excuses=EXCUSES,
        practice_issues=PRACTICE_ISSUES,
        only=frozenset(chosen),
    )
    if not os.path.isdir(os.path.join(root, course.fixtures)):
        raise unusable(f"no fixtures in {visible(root)}: run it in a checkout of the course")
    return course
