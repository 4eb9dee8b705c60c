"""What the worst documents of up to 1 MiB cost: validated, and graded by each exercise they fit.

usage: python benchmarks/validation.py [--only TEXT] [--validate]

The time is CPU time of this process, the least of some runs where one is too slow. Exits with 3
where 1 MiB takes more than the limit, or where twice the size takes more than `GROWTH` times as
long.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from benchmarks.limits import MISSED
from pipeline.protocol.validate import validate
from pipeline.schema import KINDS
from pipeline.terminal.programs import installed_version
from verify.course import catalog
from verify.course.catalog import issue_of
from verify.grading.artifacts import ArtifactRef, Context
from verify.grading.runner import grade
from verify.selftest.mutants import Overlay, files_below

if TYPE_CHECKING:
    from verify.grading.model import Exercise

SIZES = (1 << 17, 1 << 18, 1 << 19, 1 << 20)
LIMIT, GROWTH = 2.0, 2.3  # seconds of CPU time; times a doubling
NOISE = 0.04  # seconds: what takes less is not compared
ROUNDS = 8
SUBMISSIONS = os.path.join(ROOT, "fixtures", "submissions")
STEPS, NAMES = 3_900, 19_000  # as many as the 20,000 elements of a document allow
Make = Callable[[int], dict[str, Any]]  # from a size to the fields of each kind of artifact
Work = Callable[[], object]


def _names(count: int, size: int, letter: str, head: str = "n") -> list[str]:
    fill = letter * max(1, (size // count - 10) // len(letter.encode()))
    return [f"{head}{number:05}{fill}x" for number in range(count)]


def _plan(files: list[str], planned: list[str], **more: Any) -> dict[str, Any]:
    steps = [{"order": n, "file": file, "description": "d"} for n, file in enumerate(planned)]
    return {"plan": {"affected_files": files, "steps": steps, "produced_by": "x-planner", **more}}


def _result(files: list[str], **more: Any) -> dict[str, Any]:
    fields = {"status": "completed", "files_changed": files, "blockers": [], "summary": "s"}
    return {"worker-result": {**fields, "produced_by": "x-worker", **more}}


def _git(field: str, text: str) -> dict[str, Any]:
    fields = {"branch": "feature/issue-102", "commit_sha": "3f1c9ab", "commit_message": "feat: a"}
    return {"git-result": {**fields, field: text}}


def _texts(letter: str) -> Make:
    return lambda n: _result(["a"], status=letter * (n // 9), produced_by=letter * (n // 9))


def _mapped(label: str) -> Make:
    labels = [label.format(number) for number in range(1, NAMES // 2)]
    return lambda n: _plan(
        ["a"], ["a"], acceptance_mapping={key: f"{key}{'é' * (n // 40_000)}" for key in labels}
    )


def _two(letter: str, other: str, head: str = "p", most: int = STEPS) -> Make:
    def make(size: int) -> dict[str, Any]:
        count = min(size // (270 if most == STEPS else 80), STEPS)
        room = min((size - 45 * count) // 2, most * count)
        return _plan(_names(count, room, letter), _names(count, room, other, head))

    return make


def _unplanned(letter: str) -> Make:
    return lambda n: {
        **_plan(*[_names(min(n // 270, STEPS), n // 3, letter, "p")] * 2),
        **_result(_names(min(n // 60, NAMES), n - 9_000, letter)),
    }


def _stepped(**step: Any) -> Make:
    most = NAMES // (1 + len(step))
    return lambda n: _plan(["a"], [], steps=[step] * min(n // (len(str(step)) + 1), most))


def _one_first(first: Callable[[int], str]) -> Make:
    return lambda n: _plan([first(n // 2)], [first(n // 2), *_names(STEPS // 2, 40_000, "y")])


def _raw(head: str, body: str, tail: str = "") -> Make:
    return lambda n: {"plan": (head + body * ((n - 50) // len(body.encode())) + tail)}


MARKS = "\u0323\u0301"  # each pair changes places when it is composed
LETTERS = {"ascii": "x", "NFC": "é", "NFD": "e\u0301", "marks": MARKS, "folding": "\u0130"}
LETTERS |= {"emoji": "\U0001f600", "folders": "x/"}
TEXTS = ("[", "[],", '"":', " \n", "1", "\\\\")
STRINGS = ("\\u0041", "\\ud800", "\\\\", "\x01")
DOCUMENTS: dict[str, Make] = {
    **{f"no file shared, {name}": _two(letter, letter) for name, letter in LETTERS.items()},
    **{f"no short file shared, {n}": _two(LETTERS[n], LETTERS[n], "p", 20) for n in LETTERS},
    **{f"not planned, {name}": _unplanned(letter) for name, letter in LETTERS.items()},
    "another letter case": _two("é", "É", "n"),
    "another form": _two("é", "e\u0301", "n"),
    "twins": lambda n: _plan(*[[h + "x" * (n // 9000 + i) for h in "aA" for i in range(999)]] * 2),
    "one long name": _one_first(lambda n: "é" * (n // 2)),
    "one long name of marks": _one_first(lambda n: "e" + MARKS * (n // 4)),
    "a long test first": _one_first(lambda n: f"test/{'x' * n}.test.js"),
    "near misses": _stepped(oder=1, fil=1, descriptio=1),
    "wrong shapes": _stepped(order=0, file="./a", description=" "),
    "wrong labels": _mapped("AC{}_é"),
    "mapped to no file": _mapped("AC{}_a"),
    "keys twice": lambda n: {"plan": '{"z":"' + "é" * (n // 3) + '"' + ',"a":0' * (n // 55) + "}"},
    "deep": lambda n: _result([], blockers=[json.loads("[" * 60 + "]" * 60)] * min(n // 3600, 300)),
    **{f"text: {tail}{body!r}": _raw("[", body, tail) for body in TEXTS for tail in ("", "x]")},
    **{f"string: {body!r}": _raw('["', body, '"]') for body in STRINGS},
    **{f"texts of {name}": _texts(letter) for name, letter in LETTERS.items()},
    "address": lambda n: _git("pr_url", "https://a/" + "[a]" * (n // 3 - 200) + "["),
    "message": lambda n: _git("commit_message", "feat: " + MARKS * (n // 4 - 200)),
}  # fmt: skip


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description="Validate and grade the worst documents.")
    parser.add_argument("--only", default="", help="documents with this text in their name")
    parser.add_argument("--validate", action="store_true", help="grade nothing")
    options = parser.parse_args()
    print(f"{'document':<58}{''.join(f'{size >> 10:>6} KiB' for size in SIZES)}   growth")
    missed = 0
    for label, make in DOCUMENTS.items():
        for name, work in _works(make, options.validate) if options.only in label else ():
            missed += _report(f"{label}: {name}", [work(size) for size in SIZES])
    return MISSED if missed else 0


def _report(name: str, sized: list[Work]) -> bool:
    times = [_cpu(work) for work in sized]
    for _ in range(ROUNDS):  # another process can make one slower, none makes one faster
        if _growth(times) <= GROWTH and times[-1] <= LIMIT:
            break
        times = [min(before, _cpu(work)) for before, work in zip(times, sized, strict=True)]
    missed = times[-1] > LIMIT or _growth(times) > GROWTH
    figures = "".join(f"{seconds:>10.3f}" for seconds in times)
    print(f"{name[:57]:<58}{figures}{_growth(times):>9.2f}{'  MISSED' * missed}", flush=True)
    return missed


def _growth(times: list[float]) -> float:
    return max((b / max(a, NOISE / 2) for a, b in pairwise(times) if b > NOISE), default=0.0)


def _cpu(work: Work) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _works(make: Make, validate_only: bool) -> Iterator[tuple[str, Callable[[int], Work]]]:  # noqa: FBT001
    kinds = make(SIZES[0]).keys()
    for kind in kinds:
        yield kind, partial(_validation, make, kind)
    exercises = () if validate_only else [x for lv in catalog.levels() for x in catalog.level(lv)]
    for exercise in exercises:
        if kinds <= {
            each.kind.name for each in exercise.artifacts if isinstance(each, ArtifactRef)
        }:
            yield exercise.name, partial(_grading, make, exercise)


def _encoded(value: Any) -> bytes:
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return str(value).encode()


def _validation(make: Make, kind: str, size: int) -> Work:
    data = _encoded(make(size)[kind])
    return lambda: [p.line_for("x") for p in validate(data, KINDS[kind], "exercise").problems[:20]]


def _grading(make: Make, exercise: Exercise, size: int) -> Work:
    documents = make(size)
    slug = f"{exercise.number:02}-{exercise.slug}"
    root = os.path.join(SUBMISSIONS, exercise.level, slug, "solved")
    changes: dict[str, bytes | None] = {}
    for source in exercise.artifacts:
        if isinstance(source, ArtifactRef) and source.kind.name in documents:
            changes[source.located(exercise)] = _encoded(documents.pop(source.kind.name))
    submission, issue = Overlay(root, files_below(root), changes), issue_of(exercise)
    return lambda: grade(Context(exercise, submission, issue, installed_version))


if __name__ == "__main__":
    raise SystemExit(main())
