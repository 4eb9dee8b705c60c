"""Every export tells the same scores: of each learner, of each exercise, and in sum."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.stubs.tables import rows_of
from verify.exports.exporting import write_exports
from verify.exports.registry import FORMATS
from verify.exports.scores import latest, total

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.gradebook.reading import Cohort

Scores = dict[tuple[str, str], float | None]
Totals = dict[str, float | None]

PAIRS = {"expert/04": "Evidence (77)", "expert/01": "Classify (78)"}


def value(text: Any) -> float | None:
    return None if text in ("", None) else float(text)


def table(path: Path) -> list[dict[str, str]]:
    return rows_of(path, "utf-8-sig")


def long_csv(folder: Path) -> Scores:
    return {(r["learner"], r["exercise"]): value(r["score"]) for r in table(folder / "csv")}


def long_csv_by_checks(folder: Path) -> Scores:
    """Return the scores summed up from the checks' own, except where one was set by hand."""
    sums: dict[tuple[str, str, str], float | None] = {}
    for row in table(folder / "csv"):
        key = row["learner"], row["exercise"], row["attempt"]
        earned, before = value(row["check_score"]), sums.get(key, 0)
        sums[key] = None if earned is None or before is None else before + earned
    found = long_csv(folder)
    by_hand = {(r["learner"], r["exercise"]) for r in table(folder / "csv") if r["override"]}
    return {key[:2]: found[key[:2]] if key[:2] in by_hand else sums[key] for key in sums}


def wide_csv(folder: Path) -> Scores:
    rows = table(folder / "csv-wide")
    return {(r["learner"], name): value(r[f"{name} score"]) for r in rows for name in PAIRS}


def json_scores(standings: list[Any]) -> Scores:
    return {(r["learner"], m["exercise"]): m["score"] for r in standings for m in r["marks"]}


def canvas(folder: Path) -> Scores:
    rows = table(folder / "canvas")[1:]
    return {
        (r["SIS Login ID"], name): value(r[title]) for r in rows for name, title in PAIRS.items()
    }


def gradescope(folder: Path) -> Totals:
    listed = table(folder / "gradescope" / "files.csv")
    documents = {
        row["learner"]: json.loads((folder / "gradescope" / row["file"]).read_bytes())
        for row in listed
    }
    return {learner: value(document.get("score")) for learner, document in documents.items()}


def gradescope_marks(folder: Path) -> Scores:
    scores: Scores = {}
    for path in (folder / "gradescope").glob("*/results.json"):
        told = json.loads(path.read_bytes())["extra_data"]
        scores |= {(told["learner"], name): value(text) for name, text in told["scores"].items()}
    return scores


def moodle(folder: Path) -> Totals:
    return {
        row["Email address"].split("@")[0]: value(row["Grade"]) for row in table(folder / "moodle")
    }


def wide_totals(folder: Path) -> Totals:
    return {row["learner"]: value(row["total"]) for row in table(folder / "csv-wide")}


def json_totals(folder: Path) -> Totals:
    standings = json.loads((folder / "json").read_bytes())["standings"]
    return {row["learner"]: row["total"] for row in standings}


def line_totals(folder: Path) -> Totals:
    lines = (folder / "jsonl").read_text().splitlines()
    return {row["learner"]: row["total"] for row in map(json.loads, lines)}


def feedback_totals(folder: Path) -> Totals:
    totals: Totals = {}
    for row in table(folder / "feedback" / "files.csv"):
        lines = (folder / "feedback" / row["file"]).read_text(encoding="utf-8").splitlines()
        said = next(line for line in lines if line.endswith(("in total.", "is not known.")))
        totals[row["learner"]] = None if said.startswith("No ") else float(said.split(" ")[0])
    return totals


@pytest.fixture
def folder(cohort: Cohort, tmp_path: Path) -> Path:
    """Return a folder with every export of the cohort, a file or folder named for its format."""
    emails = [f"{row.learner.key}@example.org" for row in latest(cohort.standings())]
    head = "Identifier,Email address,Grade,Last modified (grade),Maximum grade"
    lines = [f"Participant {at},{email},,-,14" for at, email in enumerate(emails)]
    (tmp_path / "worksheet").write_text("\n".join([head, *lines]), encoding="utf-8")
    options = [(name, str(tmp_path / name)) for name in FORMATS if name != "html"]
    options += [("moodle-from", str(tmp_path / "worksheet"))]
    options += [("assignment", f"{name}={title}") for name, title in PAIRS.items()]
    write_exports(cohort, tuple(options), note=lambda _: None)
    return tmp_path


@pytest.mark.parametrize(
    "read",
    [
        long_csv,
        long_csv_by_checks,
        wide_csv,
        lambda folder: json_scores(json.loads((folder / "json").read_bytes())["standings"]),
        lambda folder: json_scores([json.loads(x) for x in (folder / "jsonl").open()]),
        gradescope_marks,
        canvas,
    ],
    ids="csv csv-by-checks csv-wide json jsonl gradescope canvas".split(),  # noqa: SIM905  # names in a row
)
def test_the_score_of_each_learner_in_each_exercise_is_the_same(
    cohort: Cohort, folder: Path, read: Callable[[Path], Scores]
) -> None:
    standings = list(latest(cohort.standings()))
    expected = {(s.learner.key, m.exercise.name): m.score for s in standings for m in s.marks}
    found = read(folder)
    unlisted = {key for key in expected if key[0] == "zed" and key not in found}

    assert found == {key: score for key, score in expected.items() if key not in unlisted}
    assert sum(score or 0 for score in expected.values()) == 69
    assert not unlisted or read is canvas


@pytest.mark.parametrize(
    "read",
    [
        gradescope,
        moodle,
        wide_totals,
        json_totals,
        line_totals,
        feedback_totals,
    ],
)
def test_the_total_of_each_learner_is_the_same(
    cohort: Cohort, folder: Path, read: Callable[[Path], Totals]
) -> None:
    expected = {each.learner.key: total(each) for each in latest(cohort.standings())}
    if read is moodle:
        expected["zed"] = None  # not on the roster

    assert read(folder) == expected


def test_the_same_cohort_gives_the_same_bytes(
    hostile: Cohort, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = []
    for name in ("first", "second"):
        base = tmp_path / name
        files = [name for name in FORMATS if name not in ("html", "moodle")]
        write_exports(hostile, tuple((f, str(base / f)) for f in files), note=lambda _: None)
        every = sorted(path for path in base.rglob("*") if path.is_file())
        written.append({str(path.relative_to(base)): path.read_bytes() for path in every})

    assert written[0] == written[1]
    assert len(written[0]) > 50
    assert capsys.readouterr().err == ""


# Canvas has no column for it, and it is told so; a worksheet may have one (test_moodle.py)
@pytest.mark.parametrize(
    "name", [name for name in FORMATS if name not in ("html", "canvas", "moodle")]
)
def test_who_set_a_score_by_hand_and_why_stands_in_every_export(folder: Path, name: str) -> None:
    paths = [folder / name]
    if paths[0].is_dir():
        paths = [path for path in paths[0].rglob("*") if path.is_file()]
    text = "".join(path.read_text(encoding="utf-8") for path in paths)

    assert "Dr. Grace" in text
    assert "late, but argued, well" in text
