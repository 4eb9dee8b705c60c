"""The sample cohort: forty learners, two exercises, and most of what can go wrong in them."""

from __future__ import annotations

import csv
import io
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COHORT = "fixtures/cohort"
SUBMISSIONS = f"{COHORT}/submissions"
_TRACE = ".pipeline/ISSUE-202"
_TASKS = "docs/expert/tutorials/outputs/01-classifications.json"
_SOLVED = "fixtures/submissions"

_NAMES = """
Ada Okafor, Bao Tran, Carla Mendes, Dmitri Volkov, Elif Kaya, Femi Adeyemi, Greta Lindqvist,
Hana Sato, Ivo Horvat, Jaya Iyer, Kofi Mensah, Lena Vogel, Mateo Rojas, Noor Haddad, Olga Petrova,
Paulo Dias, Qiu Wen, Rosa Bianchi, Sami Laine, Tove Dahl, Uma Krishnan, Vera Novak, Wanjiru Kamau,
Xenia Markou, Yusuf Demir, Zofia Nowak, Anton Berg, Birgit Olsen, Chidi Obi, Dana Levi, Emil Popa,
Fatima Zahra, Goran Ilic, Hugo Martin, Ines Costa, Jonas Weber, Kira Ivanova, Liam O'Brien,
Mina Park, Nils Holm
"""
NAMES = [name.strip() for name in _NAMES.split(",")]
ABSENT = ("Oskar Lund", "Priya Nair")  # on the roster, handed nothing in
GUEST = "Nils Holm"  # has submitted, but is not on the roster

Files = dict[str, Any]  # path -> a JSON value, or a text


class Slip(NamedTuple):
    """What one learner did otherwise than the solution."""

    learner: str
    change: Callable[[Files], None]


def cohort_files() -> Iterator[tuple[str, str]]:
    """Yield the path, relative to the root, and the text of each file of the sample cohort."""
    yield f"{COHORT}/roster.csv", _roster()
    for number, name in enumerate(NAMES):
        files = _own(number)
        for slip in SLIPS:
            if slip.learner == name:
                slip.change(files)
        for path, value in sorted(files.items()):
            text = value if isinstance(value, str) else json.dumps(value, indent=2) + "\n"
            yield f"{SUBMISSIONS}/{key_of(name)}/{path}", text


def key_of(name: str) -> str:
    """Return a learner's key: the name of the folder, and the roster's id."""
    return name.lower().replace(" ", "-").replace("'", "")


def _roster() -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "name", "email", "Section"])
    for number, name in enumerate(sorted({*NAMES, *ABSENT} - {GUEST})):
        key = key_of(name)
        writer.writerow([key, name, f"{key}@example.org", "ABC"[number % 3]])
    return out.getvalue()


def _own(number: int) -> Files:
    """Return a learner's files that pass, with their own words and numbers."""
    files = {
        f"{_TRACE}/{name}": _solved("practitioner/04-trace", f"{_TRACE}/{name}")
        for name in ("plan.json", "worker-result.json", "git-result.json")
    }
    plan, worker, git = files.values()
    verb = ("Write", "Add", "Extend", "Shape", "Change")[number % 5]
    for step in plan["steps"]:
        step["description"] = f"{verb} {step['file'].rsplit('/', 1)[1]} as the issue asks"
    worker["summary"] = f"{worker['summary']} ({len(plan['steps'])} files, run {number + 1})"
    git["commit_sha"] = f"{(number + 7) * 0x9E3779B97F4A7C15 % (1 << 40):010x}"
    tasks = _solved("expert/01-classify", _TASKS)
    for task in tasks:
        task["file_count"] += number % 2 if task["tier"] == "complex" else 0
    return {**files, _TASKS: tasks}


def _solved(exercise: str, path: str) -> Any:
    with open(os.path.join(ROOT, _SOLVED, exercise, "solved", path), encoding="utf-8") as file:
        return json.load(file)


def _gone(*paths: str) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        for path in paths:
            del files[path]

    return change


def _set(path: str, field: str, value: Any) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        files[path][field] = value

    return change


def _without(path: str, field: str) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        del files[path][field]

    return change


def _text(path: str, old: str, new: str, count: int = 1) -> Callable[[Files], None]:
    """Change a document as text: what no JSON library would write."""

    def change(files: Files) -> None:
        files[path] = (json.dumps(files[path], indent=2) + "\n").replace(old, new, count)

    return change


def _renamed(path: str, to: str) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        files[to] = files.pop(path)

    return change


def _task(number: int, field: str, value: Any) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        files[_TASKS][number][field] = value

    return change


def _copied(files: Files) -> None:
    files.update(_own(NAMES.index("Hana Sato")))


def _undeclared(files: Files) -> None:
    plan = files[PLAN]
    plan["affected_files"] = plan["affected_files"][:-1]
    files[WORKER]["files_changed"] = plan["affected_files"]


def _tests_first(files: Files) -> None:
    steps = files[PLAN]["steps"]
    steps.insert(0, steps.pop())
    for order, step in enumerate(steps, start=1):
        step["order"] = order


PLAN, WORKER, GIT = (
    f"{_TRACE}/{name}" for name in ("plan.json", "worker-result.json", "git-result.json")
)
SLIPS = (
    Slip("Bao Tran", _set(PLAN, "produced_by", "x-planner")),
    Slip("Carla Mendes", _gone(GIT)),
    Slip("Dmitri Volkov", _text(PLAN, '"x-subplanner"\n', '"x-subplanner",\n')),
    Slip("Elif Kaya", _undeclared),
    Slip("Femi Adeyemi", _set(GIT, "branch", "feat/issue-202-pages")),
    Slip("Greta Lindqvist", _task(3, "tier", "standard")),
    Slip("Ivo Horvat", _copied),
    Slip("Jaya Iyer", _set(PLAN, "produced_by", "x-planner")),
    Slip("Kofi Mensah", _gone(PLAN, WORKER, GIT)),
    Slip("Lena Vogel", _task(0, "agents", ["x-worker-fast"])),
    Slip(
        "Mateo Rojas",
        _text(WORKER, '"status": "completed"', '"status": "completed",\n  "status": "completed"'),
    ),
    Slip("Noor Haddad", _set(GIT, "commit_message", "Page through the list of notes")),
    Slip("Olga Petrova", _tests_first),
    Slip("Paulo Dias", _set(WORKER, "blockers", ["waiting for a review"])),
    Slip("Rosa Bianchi", _set(PLAN, "produced_by", "x-worker")),
    Slip("Sami Laine", _renamed(PLAN, f"{_TRACE}/plans.json")),
    Slip("Tove Dahl", _without(WORKER, "summary")),
    Slip("Uma Krishnan", _gone(_TASKS)),
    Slip(
        "Vera Novak",
        _set(WORKER, "summary", "\u001b[2K\u001b[1A\u001b[32mall checks passed\u001b[0m"),
    ),
    Slip("Xenia Markou", _task(3, "tier", "standard")),
    Slip("Yusuf Demir", _set(GIT, "commit_sha", "HEAD")),
    Slip("Zofia Nowak", _without(GIT, "produced_by")),
    Slip("Anton Berg", _task(3, "tier", "complex")),
    Slip("Chidi Obi", _set(WORKER, "files_changed", ["sandbox/src/notes/routes.js"])),
    Slip("Dana Levi", _gone(PLAN, WORKER, GIT, _TASKS)),
    Slip("Dana Levi", lambda files: files.update({"README.md": "I ran out of time, sorry.\n"})),
    Slip("Fatima Zahra", _set(PLAN, "produced_by", "x-planner")),
    Slip("Goran Ilic", _text(_TASKS, "]\n", "")),
    Slip("Hugo Martin", _set(WORKER, "summary", '=HYPERLINK("https://example.org","grade")')),
    Slip("Ines Costa", _without(PLAN, "acceptance_mapping")),
    Slip("Kira Ivanova", _task(1, "tier", "complex")),
    Slip("Mina Park", _set(GIT, "pr_url", "see the chat")),
)
