"""Every criterion holds for the course's solutions and for honest ones of other hands.

The honest solutions in fixtures/acceptance/honest/ were written from the issues' texts, before
their author had seen the course's own or the criteria's files run.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.services import Node, laid_over
from verify.acceptance.evaluation import hold
from verify.acceptance.reading import ENDING, load
from verify.course.catalog import ISSUES
from verify.grading.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.acceptance.model import Acceptance

    Solved = Callable[[str, str], Path]

SANDBOX = Path(ROOT, "sandbox")
HONEST = Path(ROOT, "fixtures", "acceptance", "honest")
OURS, SHIPPED = "ours", "shipped"
PATCHES = Path(ROOT, "fixtures", "solutions")
WORKERS = 2


def acceptance_of(issue: str) -> Acceptance:
    path = Path(ISSUES, f"{issue}{ENDING}")
    return load(path.read_text(encoding="utf-8"), path.name)


ASKED = [
    path.name.removesuffix(ENDING)
    for path in sorted(Path(ISSUES).glob(f"*{ENDING}"))
    if acceptance_of(path.name.removesuffix(ENDING)).start
]
SOLUTIONS = [
    *((issue, OURS) for issue in ASKED),
    *((path.parent.name, path.name) for path in sorted(HONEST.glob("*/*"))),
]
LONG = [pytest.mark.slow, pytest.mark.figure]
QUICK = {("ISSUE-101", OURS), ("ISSUE-101", "class")}
MARKED = [  # the figure below tries all
    pytest.param(*solution, marks=[] if solution in QUICK else LONG)
    for solution in SOLUTIONS
    if solution in QUICK or solution[1] == OURS
]


@pytest.fixture(scope="session")
def solved(
    installed: Path,
    tmp_path_factory: pytest.TempPathFactory,
    apply: Callable[..., None],
) -> Solved:
    """Return a function that gives the sandbox with a solution of an issue."""
    made: dict[tuple[str, str], Path] = {}

    def solve(issue: str, name: str) -> Path:
        if (issue, name) not in made:
            folder = tmp_path_factory.mktemp(f"{issue}-{name}") / "sandbox"
            changes = HONEST / issue / name / "sandbox"
            if name in (OURS, SHIPPED):
                changes = SANDBOX / "src"
            made[issue, name] = laid_over(SANDBOX, changes, installed / "node_modules", folder)
            if name == OURS:
                apply(PATCHES / issue / "changes.patch", folder)
        return made[issue, name]

    return solve


def outcomes(issue: str, folder: Path, seed: int) -> dict[str, str]:
    """Return what each criterion of an issue says about a service, and why where it fails."""
    acceptance = acceptance_of(issue)
    verdicts = {
        label: hold(acceptance, label, Node(folder, acceptance), seed)
        for label in acceptance.criteria
    }
    return {
        label: f"{verdict.outcome}: {verdict.findings[0]}"
        if verdict.outcome is Outcome.FAIL
        else str(verdict.outcome)
        for label, verdict in verdicts.items()
    }


def right(issue: str) -> dict[str, str]:
    """Return what the criteria say of a solution: each holds that HTTP can show."""
    return {
        label: str(Outcome.PASS if criterion.exchanges else Outcome.NOT_CHECKED)
        for label, criterion in acceptance_of(issue).criteria.items()
    }


def test_at_least_three_honest_solutions_of_at_least_four_issues_are_tried() -> None:
    counts = [len(list((HONEST / issue).iterdir())) for issue in ASKED if (HONEST / issue).is_dir()]

    assert len(counts) >= 4
    assert min(counts) >= 3


@pytest.mark.parametrize(("issue", "name"), MARKED)
def test_every_criterion_that_http_can_show_holds_for_a_solution(
    issue: str, name: str, solved: Solved
) -> None:
    assert outcomes(issue, solved(issue, name), 1) == right(issue)


@pytest.mark.parametrize(
    "issue", [i if i == "ISSUE-101" else pytest.param(i, marks=LONG) for i in ASKED]
)
def test_the_sandbox_as_it_is_shipped_holds_for_no_issue(issue: str, solved: Solved) -> None:
    found = outcomes(issue, solved(issue, SHIPPED), 1)

    assert [label for label, outcome in found.items() if outcome.startswith("fail")] != []


@pytest.fixture
def spinning() -> Iterator[None]:
    """Keep the processors busy: two programs spin."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    yield
    for program in programs:
        program.kill()
        program.wait()


@pytest.mark.slow
@pytest.mark.figure
@pytest.mark.usefixtures("spinning")
def test_no_solution_fails_by_chance_beside_two_spinning_processes(
    solved: Solved, how_many: Callable[[int, int], int]
) -> None:
    runs, count = how_many(1, 20), how_many(2, len(SOLUTIONS))
    failures, asked = [], 0
    for issue, name in SOLUTIONS[-count:]:
        folder = solved(issue, name)
        with ThreadPoolExecutor(WORKERS) as pool:
            seeds = range(100, 100 + runs)
            found = list(pool.map(lambda s, i=issue, f=folder: outcomes(i, f, s), seeds))
        asked += sum(len(run) for run in found)
        failures += [(issue, name, run) for run in found if run != right(issue)]
        print(f"{issue} {name}: {asked} criteria so far, {len(failures)} runs false", flush=True)
    print(f"{count} solutions, {runs} runs each, {asked} criteria: {len(failures)} false")

    assert failures == []
