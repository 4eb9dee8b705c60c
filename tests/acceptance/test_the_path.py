"""The twelve lessons, followed to the letter in one clone: from the first table to the last."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.benches import RUN
from tests.stubs.lesson_agent import written
from tests.stubs.repositories import UserRepository
from verify.course import catalog

if TYPE_CHECKING:
    from collections.abc import Iterator

LESSONS = {each.name: each for each in catalog.exercises()}
START = "docs/index.md"
CLASSIFIED = "docs/expert/tutorials/outputs/01-classifications.json"
SOLVED = Path(ROOT, "fixtures", "submissions", "expert", "01-classify", "solved", CLASSIFIED)
NOT_OF_THE_COURSE = (".git", ".venv", "node_modules", ".pipeline", "__pycache__", ".*_cache")
REPAIR = "Repair a broken run"  # a section that has red commands, and a test of its own
ROUTES = "Do it"  # the section with a part for each way
BY_HAND, IDE, HEADLESS = "By hand", "In the IDE", "Headless"

# Lines that a test does not type, and why.
NOT_TYPED = {
    "python3 start.py": "the environment is there",
    "npm ": "needs Node.js; tests/sandbox runs every solution's tests and its linter",
    "cd ": "only around npm",
    "--watch": "waits for a person; tests/acceptance/test_watching.py",
    "doctor": "is about this machine",
    "curl ": "asks a service that npm starts",
    "3f1c9ab": "is an example's hash",
}
CLIENT_OF_THE_PAGES = "--driver acp --client claude"
CLIENT = f"{shlex.join(RUN[2:])} --allow-read {shlex.quote(ROOT)}"
PLAYED = {  # by hand, on the first level
    "foundation/01": ("plan.json", "x-planner"),
    "foundation/02": ("worker-result.json", "x-worker"),
    "foundation/03": ("git-result.json", "x-git"),
}
NOTED = {
    "F03.9": "note",  # without a forge there is no address
    "P01.12": "note",  # the sandbox's dependencies are not installed here
}
ENVIRONMENT = {
    "PATH": os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"])),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_MERGE_AUTOEDIT": "no",
    **{
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
    },
}
_FENCE = re.compile(r"```([a-z]*)\n([\s\S]*?)```")
_ROW = re.compile(
    r"^([FPE]\d\d\.)(\d+)(?:\N{EN DASH}[FPE]\d\d\.(\d+))?\s+\S\s+(not checked|\w+)", re.MULTILINE
)
_BRANCH = re.compile(r"feature/issue-(\d+)-[a-z0-9-]+")
_SET = re.compile(r"[a-z]+=\S+$")


class Block(NamedTuple):
    """A fenced block of a page, the headings above it, and whether a bold "If" is above it too."""

    section: str
    part: str
    conditional: bool
    language: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of a page in order."""
    text = Path(ROOT, page).read_text(encoding="utf-8")
    section = part = ""
    for piece in re.split(r"(?=^## |^### |^\*\*If )", text, flags=re.MULTILINE):
        level, _, title = piece.partition("\n")[0].partition(" ")
        section, part = (title, "") if level == "##" else (section, part)
        part = title if level == "###" else part
        for language, block in _FENCE.findall(piece):
            yield Block(section, part, level == "**If", language, block)


class Habit(NamedTuple):
    """How a learner goes about it: the ways that they take where a page has several."""

    route: str  # of those that a lesson has; else the IDE's
    merge: str  # the options of `git merge`
    merges_all: bool  # also what a page leaves to them
    remote: bool
    # a branch that was merged by moving the main one along it has no beginning that git knows:
    unchecked: tuple[str, ...] = ()  # when the exercise is done
    unchecked_later: tuple[str, ...] = ()  # when all are


PRACTITIONER, EXPERT = ("P04.20", "P04.21"), ("E04.20", "E04.21")
HABITS = {
    "as written": Habit(IDE, "", merges_all=False, remote=False, unchecked_later=PRACTITIONER),
    "fast-forward": Habit(
        *(BY_HAND, "--ff"),
        merges_all=True,
        remote=False,
        unchecked=EXPERT,
        unchecked_later=(*PRACTITIONER, *EXPERT),
    ),
    "merge commits and a remote": Habit(HEADLESS, "--no-ff", merges_all=True, remote=True),
}


class Learner:
    """One learner's clone, and what is typed in it."""

    def __init__(self, folder: Path, habit: Habit) -> None:
        user = UserRepository(folder / "course")
        ignored = shutil.ignore_patterns(*NOT_OF_THE_COURSE)
        shutil.copytree(ROOT, user.folder, ignore=ignored, dirs_exist_ok=True)
        user.git("add", "--all")
        user.git("commit", "--quiet", "--message", "The course as it is shipped")
        self.root, self.git, self.habit = user.folder, user.git, habit
        self.table = ""
        self.variables = ""  # of the shell, which the blocks of a page share
        if habit.remote:
            user.git("init", "--quiet", "--bare", str(folder / "remote.git"))
            user.git("remote", "add", "origin", str(folder / "remote.git"))
            user.git("push", "--quiet", "--set-upstream", "origin", "main")

    def follow(self, page: str, exercise: str = "") -> str:
        """Do what a page asks for, in its order; return the last table."""
        found = list(blocks(page))
        routes = {block.part for block in found if block.section == ROUTES}
        route = self.habit.route if self.habit.route in routes else IDE
        self.variables, checked = "", False
        for block in found:
            if not _is_on(route, block) or block.section == REPAIR:
                continue
            if block.section == "Check it" and not checked:
                checked = True
                self._by_hand(exercise, route)
            if block.text.startswith("work on issue "):
                self._prompt(block.text)
            elif block.language == "sh":
                self.enter(block.text)
            elif block.part.startswith("3. "):  # the start page has the whole of its artifact
                self._save("sandbox/.pipeline/ISSUE-101/plan.json", json.loads(block.text))
        return self.table

    def graded(self, exercise: str) -> str:
        """Return the table of an exercise."""
        level, _, number = exercise.partition("/")
        self.enter(f"python3 docs/{level}/tutorials/verify.py --exercise {number}")
        return self.table

    def _prompt(self, text: str) -> None:
        """Have the agents do what a prompt says, one after the other, as the planner would."""
        if "ISSUE-3" in text:
            self.enter("git switch main")
        target = "--project sandbox" if "project is sandbox" in text.replace("\n", " ") else ""
        ends = {"Stop after the plan": "--until plan", "top before publishing": "--until review"}
        until = next((option for words, option in ends.items() if words in text), "")
        self.enter(f"python3 -m pipeline run {shlex.quote(text)} {target} {until} {CLIENT}")
        if self.habit.merges_all and "ISSUE-3" in text and not until:
            (issue,) = set(re.findall(r"ISSUE-\d+", text))
            self.enter(f"git switch main\ngit merge {self._branch(issue)}")

    def enter(self, text: str, code: int = 0) -> None:
        """Run the lines of a block, but for those that a test does not type."""
        text = text.replace("\\\n", " ").replace(CLIENT_OF_THE_PAGES, CLIENT)
        lines = [each for each in text.split("\n") if not any(word in each for word in NOT_TYPED)]
        typed = "\n".join(self._adapted(line) for line in lines)
        self.variables += "".join(f"{line}\n" for line in typed.split("\n") if _SET.match(line))
        done = subprocess.run(
            ["sh", "-eu", "-c", self.variables + typed],
            cwd=self.root,
            env=os.environ | ENVIRONMENT | {"TMPDIR": str(self.root.parent)},
            capture_output=True,
            text=True,
            check=False,
        )
        if typed.strip().endswith("verify.py"):  # a list of what is not done yet
            code = 1
        assert done.returncode == code, f"{typed}\n{done.stdout}{done.stderr}"
        if "verify.py --exercise" in typed:
            self.table = done.stdout

    def _adapted(self, line: str) -> str:
        """Return a line with the learner's own branch, habit and environment in it."""
        if not line.startswith("git switch -c"):
            line = re.sub(r"^\.venv/bin/", "python3 -m ", line)
            line = _BRANCH.sub(lambda found: self._branch(f"ISSUE-{found[1]}"), line)
        if line.startswith("git merge "):
            push = "\ngit push --quiet" if self.habit.remote else ""
            return line.replace("git merge", f"git merge --quiet {self.habit.merge}") + push
        return line

    def _branch(self, issue: str) -> str:
        (result,) = self.root.glob(f"**/.pipeline/{issue}/git-result.json")
        return str(json.loads(result.read_text(encoding="utf-8"))["branch"])

    def _by_hand(self, exercise: str, route: str) -> None:
        """Write what an editor or a chat writes: the pages show its form, a solution its text."""
        if exercise == "expert/01":
            self._save(CLASSIFIED, json.loads(SOLVED.read_text(encoding="utf-8")))
        if route != BY_HAND:
            return
        folder = "sandbox/.pipeline/ISSUE-101"
        name, role = PLAYED[exercise]
        if name != "git-result.json":
            artifact = written("ISSUE-101", "sandbox", name)
        else:
            branch, commit, message = self.git(
                "log", "-1", "--format=%S%n%H%n%B", "--branches=feature/issue-101*"
            ).split("\n", 2)
            artifact = {"branch": branch, "commit_sha": commit, "commit_message": message}
        self._save(f"{folder}/{name}", artifact | {"produced_by": role})

    def _save(self, path: str, value: object) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(json.dumps(value, indent=2), encoding="utf-8")


def _is_on(route: str, block: Block) -> bool:
    """Return whether a block is on a way through its page: other ways and "if" are not."""
    return not block.conditional and (block.section != ROUTES or block.part in ("", route))


def rows(printed: str) -> dict[str, str]:
    """Return the results of a table by the codes of their checks."""
    return {
        f"{exercise}{number}": word
        for exercise, first, last, word in _ROW.findall(printed)
        for number in range(int(first), int(last or first) + 1)
    }


def promised(exercise: str, unchecked: tuple[str, ...]) -> dict[str, str]:
    """Return the results that an exercise's page shows, with the notes that it announces."""
    noted = NOTED | dict.fromkeys(unchecked, "not checked")
    page = Path(ROOT, LESSONS[exercise].page).read_text(encoding="utf-8")
    (block,) = re.findall(rf"<!-- generated: run {exercise} solved -->([\s\S]*?)<!-- end -->", page)
    return {code: noted.get(code, word) for code, word in rows(block).items()}


def differences(
    graded: dict[str, dict[str, str]], unchecked: tuple[str, ...]
) -> dict[str, tuple[str, str]]:
    """Return what was found and promised of each check in which the tables differ."""
    found = {code: word for table in graded.values() for code, word in table.items()}
    expected = {code: word for name in graded for code, word in promised(name, unchecked).items()}
    pairs = {
        code: (found.get(code, ""), expected.get(code, ""))
        for code in found.keys() | expected.keys()
    }
    return {code: pair for code, pair in pairs.items() if len(set(pair)) == 2}


@pytest.mark.slow
def test_a_broken_run_is_red_and_after_the_commands_of_the_page_green(tmp_path: Path) -> None:
    learner = Learner(tmp_path, HABITS["as written"])
    page = [block for block in blocks(LESSONS["practitioner/03"].page) if block.section == REPAIR]
    start, *pairs = [block.text for block in page if block.language == "sh"]
    learner.enter(start)

    assert len(pairs) == 6
    for red, green in zip(pairs[::2], pairs[1::2], strict=True):
        learner.enter(red, code=1)
        learner.enter(green)
    assert {*rows(learner.table).values()} == {"pass"}


LONG = [pytest.mark.slow, pytest.mark.figure]


@pytest.mark.slow
@pytest.mark.parametrize(
    "habit",
    [
        pytest.param(habit, id=name, marks=[] if name == "as written" else LONG)
        for name, habit in HABITS.items()
    ],
)
def test_every_lesson_followed_to_the_letter_ends_green_and_stays_so(
    tmp_path: Path, habit: Habit
) -> None:
    learner = Learner(tmp_path, habit)
    first = rows(learner.follow(START))
    graded = {name: rows(learner.follow(LESSONS[name].page, name)) for name in LESSONS}
    again = {name: rows(learner.graded(name)) for name in LESSONS}

    assert set(first.values()) == {"pass", "note"}
    assert differences(graded, habit.unchecked) == {}
    assert differences(again, habit.unchecked_later) == {}
