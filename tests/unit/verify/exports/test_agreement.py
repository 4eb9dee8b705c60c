"""Every export tells the same scores: of each learner, of each exercise, and in sum."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.stubs.tables import rows_of
from verify.commands.export import FORMATS, check_exports, write_exports
from verify.gradebook.reading import by_learner

if TYPE_CHECKING:
    from pathlib import Path

    from verify.gradebook.reading import Cohort

Scores = dict[tuple[str, str], float | None]
Totals = dict[str, float | None]

EXERCISES = ("expert/04", "expert/01")
ELSEWHERE = ("html", "canvas", "moodle")  # whole in tests of their own


def value(text: Any) -> float | None:
    return None if text in ("", None) else float(text)


def table(path: Path) -> list[dict[str, str]]:
    return rows_of(path, "utf-8-sig")


def long_csv(folder: Path) -> Scores:
    """Return the scores of the marks, each of which is what its checks give, or set by hand."""
    sums: dict[tuple[str, str, str], float | None] = {}
    graded, scores = dict(sums), Scores()
    for row in table(folder / "csv"):
        key = row["learner"], row["exercise"], row["attempt"]
        earned, before = value(row["check_score"]), sums.get(key, 0)
        sums[key] = None if earned is None or before is None else before + earned
        graded[key], scores[key[:2]] = value(row["graded"]), value(row["score"])
    assert sums == graded
    return scores


def wide_csv(folder: Path) -> Scores:
    rows = table(folder / "csv-wide")
    return {(r["learner"], name): value(r[f"{name} score"]) for r in rows for name in EXERCISES}


def json_scores(folder: Path) -> Scores:
    standings = json.loads((folder / "json").read_bytes())["standings"]
    return {(r["learner"], m["exercise"]): m["score"] for r in standings for m in r["marks"]}


def documents(folder: Path) -> dict[str, Any]:
    listed = table(folder / "gradescope" / "files.csv")
    return {
        row["learner"]: json.loads((folder / "gradescope" / row["file"]).read_bytes())
        for row in listed
    }


def gradescope(folder: Path) -> Scores:
    return {
        (learner, name): value(text)
        for learner, document in documents(folder).items()
        for name, text in document["extra_data"]["scores"].items()
    }


def gradescope_totals(folder: Path) -> Totals:
    return {learner: value(each.get("score")) for learner, each in documents(folder).items()}


def wide_totals(folder: Path) -> Totals:
    return {row["learner"]: value(row["total"]) for row in table(folder / "csv-wide")}


def line_totals(folder: Path) -> Totals:
    lines = (folder / "jsonl").read_text().splitlines()
    return {row["learner"]: row["total"] for row in map(json.loads, lines)}


def feedback_totals(folder: Path) -> Totals:
    totals: Totals = {}
    for row in table(folder / "feedback" / "files.csv"):
        lines = (folder / "feedback" / row["file"]).read_text(encoding="utf-8").splitlines()
        said = next(line for line in lines if line.endswith(("in total.", "is not known.")))
        totals[row["learner"]] = (
            None if said.startswith("There is no ") else float(said.split(" ")[0])
        )
    return totals


def test_the_scores_of_each_learner_are_the_same(cohort: Cohort, tmp_path: Path) -> None:
    names = [each.name for each in FORMATS if each.name not in ELSEWHERE]
    exports = check_exports([(name, str(tmp_path / name)) for name in names])
    write_exports(cohort, exports, note=lambda _: None)
    standings = [each[-1] for each in by_learner(cohort)]
    scores = {(s.learner.key, m.exercise.name): m.score for s in standings for m in s.marks}
    totals = {each.learner.key: each.total for each in standings}

    for read in (long_csv, wide_csv, json_scores, gradescope):
        assert read(tmp_path) == scores, read
    for total_of in (gradescope_totals, wide_totals, line_totals, feedback_totals):
        assert total_of(tmp_path) == totals, total_of
    assert sum(score or 0 for score in scores.values()) == 69
