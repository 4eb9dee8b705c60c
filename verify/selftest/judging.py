"""Puts the mutants of an exercise together and has them graded."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from verify.selftest.breeding import OPERATORS, mutants_of
from verify.selftest.course import solutions_of
from verify.selftest.defects import MUTANTS, Defect
from verify.selftest.herd import TABLE, Herd
from verify.selftest.mutants import Donor, Scene
from verify.selftest.operators.fields import TABLES
from verify.selftest.overlay import Overlay, files_below
from verify.selftest.own_herd import OwnHerd

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verify.model import Exercise
    from verify.selftest.course import Course
    from verify.selftest.subjects import Subject

_SOLVED = "solved"


def judged(course: Course, exercise: Exercise, donors: tuple[Donor, ...]) -> Herd:
    """Return the herd of an exercise: every mutant of every solution, graded.

    Mutants are made of solutions that pass; if one does not, the herd is left incomplete.
    """
    herd = Herd(course, exercise) if course.attributed else OwnHerd(course, exercise)
    subjects = course.subjects.get(exercise.name, ())
    herd.defects += _mistakes(exercise, subjects) if course.attributed else ()
    others = tuple(donor for donor in donors if donor.exercise != exercise.name)
    for solution in solutions_of(course, exercise):
        files = files_below(os.path.join(course.folder_of(exercise), solution))
        if not course.grade(exercise, Overlay(solution, files), strict=True).passed:
            return herd  # a defect of the fixture, told there: its mutants would prove nothing
        there = [subject for subject in subjects if _is_in(subject, files)]
        herd.defects += [
            _mistake(f"{exercise.name} {solution}", f"the solution has no {subject.path}")
            for subject in subjects
            if subject not in there
        ]
        scenes = (Scene(files, subject, others) for subject in there if subject.kind in OPERATORS)
        for mutant in mutants_of(exercise, solution, scenes):
            herd.judge(mutant, files)
    herd.close()
    return herd


def donors_of(course: Course) -> tuple[Donor, ...]:
    """Return the artifacts of the solutions that pass: mutants put them in the place of others."""
    donors = []
    for exercise in course.exercises:
        files = files_below(os.path.join(course.folder_of(exercise), _SOLVED))
        if course.grade(exercise, Overlay(_SOLVED, files)).passed:
            donors += [
                Donor(exercise.name, subject.name, subject.kind, files[subject.path])
                for subject in course.subjects.get(exercise.name, ())
                if subject.kind in TABLES and subject.path in files
            ]
    return tuple(donors)


def _is_in(subject: Subject, files: Mapping[str, bytes]) -> bool:
    if subject.kind == "program":
        return True
    if subject.kind == "folder":
        return any(path.startswith(f"{subject.path}/") for path in files)
    return subject.path in files


def _mistakes(exercise: Exercise, subjects: tuple[Subject, ...]) -> Iterator[Defect]:
    """Yield what is wrong with the concern table of an exercise."""
    codes = {check.code for check in exercise.checks}
    if not subjects:
        yield _mistake(exercise.name, "the exercise has no table of concerns")
    for subject in subjects:
        if subject.kind not in OPERATORS:
            yield _mistake(exercise.name, f"no operators for the kind {subject.kind!r}")
        unknown = {f"{exercise.code}.{n}" for n in subject.checks.values()} - codes
        if unknown:
            yield _mistake(exercise.name, f"the table names {', '.join(sorted(unknown))}")


def _mistake(where: str, what: str) -> Defect:
    return Defect(MUTANTS, where, what, f"Mend {TABLE}: it names parts of solutions, and checks.")
