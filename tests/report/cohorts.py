"""A made-up cohort for the tests of the report: the same one every time, and not a tidy one."""

from __future__ import annotations

from tests.stubs.marks import FakeCohort, result_of
from verify.course.catalog import level
from verify.gradebook.records import Learner, Mark, Override, Standing
from verify.grading.model import CheckInfo, ExerciseInfo, Finding, Outcome, Result, Verdict

ARTIFACTS = ("plan.json", "worker-result.json", "git-result.json")
HOSTILE = (
    ("../../etc/passwd", "<script>alert(1)</script>"),
    ("ADA", "Ada Twin"),
    ("ada", "Ada Twin"),
    ("nul\x00nul", 'O\'Brien, "Jr" & =HYPERLINK(1)'),
    ("x" * 300, "y" * 300),
    ("</script><!--", "</script><script>document.title='owned'</script>"),
    ("rtl-\u202egpj.exe", "name\u202ereversed"),
    ("half-\udc80", "half \udc80"),
    ("con", ""),
    ("日本", "山田 花子"),
)
FIRST = ("Ada", "Bayo", "Chen", "Dilek", "Emil", "Farah", "Goran", "Hana", "Ines", "Jonas", "Kofi")
LAST = ("Adeyemi", "Brandt", "Costa", "Dvořák", "Eriksen", "Fischer", "García", "Hoang", "Ivanova")


def exercise(name: str = "practitioner/04") -> ExerciseInfo:
    """Return an exercise of the course as a gradebook tells of it."""
    course, number = name.split("/")
    found = next(each for each in level(course) if f"{each.number:02}" == number)
    checks = tuple(
        CheckInfo(c.code, c.title, c.points, c.advisory, f"{found.page}#{c.anchor}")
        for c in found.checks
    )
    return ExerciseInfo(found.name, found.title, found.points, checks)


def cohort(size: int, *names: str, hostile: bool = True) -> FakeCohort:
    """Return a cohort of that many learners in these exercises, sorted by key."""
    exercises = tuple(exercise(name) for name in names or ("practitioner/04",))
    strange = [Learner(key, name) for key, name in HOSTILE[: size if hostile else 0]]
    plain = [_learner(number) for number in range(size - len(strange))]
    learners = sorted([*strange, *plain], key=lambda each: each.key)
    return FakeCohort(
        exercises,
        [
            _standing(learner, tuple(_mark(each, number) for each in exercises))
            for number, learner in enumerate(learners)
        ],
    )


def _standing(learner: Learner, marks: tuple[Mark, ...]) -> Standing:
    if all(mark.outcome is Outcome.MISSING for mark in marks):
        return Standing(learner, marks)
    return Standing(learner, marks, attempt="1", place=f"submissions/{learner.key}")


def _learner(number: int) -> Learner:
    name = f"{FIRST[number % len(FIRST)]} {LAST[number * 7 % len(LAST)]}"
    key = f"s{number:05}"
    return Learner(key, name, f"{key}@example.edu", {"section": "AB"[number % 2]}, rostered=True)


def _mark(info: ExerciseInfo, number: int) -> Mark:
    """Return a mark: one of ten fails the seventh check, some fail others, a few are apart."""
    if number % 37 == 3:
        return Mark(info, Outcome.MISSING)
    if number % 61 == 4:
        return Mark(info, Outcome.ERROR, results=info.results(Verdict(Outcome.ERROR)))
    results = tuple(_check(info, position, number) for position in range(len(info.checks)))
    failed = any(result.outcome != "pass" and result.check.points for result in results)
    by_hand = Override(12.5, "grader@example.edu", "2026-11-20T10:30:00Z", "handed in by e-mail")
    override = by_hand if failed and number % 20 == 10 else None
    graded = sum(result.score or 0 for result in results)
    outcome = Outcome.FAIL if failed else Outcome.PASS
    return Mark(info, outcome, graded, results, override=override)


def _check(info: ExerciseInfo, position: int, number: int) -> Result[CheckInfo]:
    check = info.checks[position]
    first = 6 if number % 10 == 0 else number % 60
    last = first + number // 10 % 8
    if not first <= position <= last:
        return result_of(check, "p")
    if position > first and position % 3:
        return result_of(check, "s", waits_for=info.checks[first].code)
    return result_of(check, "f", _finding(check, position, number % 4))


def _finding(check: CheckInfo, position: int, step: int) -> Finding:
    name = ARTIFACTS[position % 3]
    if position % 4 == 3:
        return Finding(
            "this field is missing", "", "", name, f"$.steps[{step}].description", 0, 0, "", ""
        )
    return Finding(
        "this step's file is not among affected_files"
        if position % 4 == 2
        else "no agent of this name writes plan.json",
        'one of "sandbox/src/notes/store.js", "sandbox/src/notes/routes.js"',
        '"sandbox/src/notes/<b>schema</b>.js"',
        f".pipeline/ISSUE-202/{name}",
        f"$.steps[{step}].file",
        12 + step * 5,
        15,
        f"Read the lesson on {check.code}, then list every step's file in affected_files.",
        '    {\n      "order": 1,\n      "file": "sandbox/src/notes/<b>schema</b>.js",\n'
        '      "description": "Keep the notes in memory"\n    },\n',
    )
