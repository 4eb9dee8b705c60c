"""Grades the working directory for Classroom 50, whose runner reads `result.json` afterwards.

Any exit code but 0 means that the grader failed: Classroom 50 records no score for it.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from typing import Any

OPTIONS = shlex.split("@OPTIONS@")
COURSE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "course")
OWN = os.path.join(COURSE, "own")
VERIFY = os.path.join(COURSE, ".venv", "bin", "verify")
FIELDS = {  # of result.json, and the variable of the runner that has each
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "assignment_type": "ASSIGNMENT_TYPE",
    "owner": "OWNER",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
    "review": "REVIEW_URL",
}


def main() -> int:
    """Grade, write the result and the page that the learner sees, and return the exit code."""
    lacking = [variable for variable in FIELDS.values() if not os.environ.get(variable)]
    if lacking:
        return failed(f"{', '.join(lacking)} not set: Classroom 50's runner starts this file")
    try:
        set_up()
        document = graded()
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        return failed(str(error))
    tests = [result_of(test) for test in document.get("tests", ()) if "max_score" in test]
    if "score" not in document or not tests:  # no tests would pass
        return failed(document.get("output", "nothing was graded"))
    result = {
        "schema": "classroom50/result/v1",
        **{field: os.environ[variable] for field, variable in FIELDS.items()},
        "datetime": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }
    write("result.json", json.dumps(result, indent=2))
    write("release-body.md", page(result))
    return 0


def failed(why: str) -> int:
    """Say in the log why there is no grade, and return the exit code."""
    print(f"The grader failed: {why}", file=sys.stderr)
    return 1


def set_up() -> None:
    """Install what the grader needs, unless the machine's image has it already."""
    if os.path.exists(VERIFY):
        return
    subprocess.run([sys.executable, "start.py", "cohort"], cwd=COURSE, check=True)
    if "--run" in OPTIONS:
        subprocess.run(["npm", "--prefix", "sandbox", "ci"], cwd=COURSE, check=True)


def graded() -> Any:
    """Return what `verify batch` says of the working directory, in Gradescope's format.

    It is started elsewhere, so that no file of the learner's is run as a part of the grader.
    """
    with tempfile.TemporaryDirectory() as scratch:
        results, submission = f"{scratch}/results.json", f"{scratch}/submission.csv"
        with open(submission, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("learner", "path"), ("learner", os.getcwd())])
        course = ["--course", OWN] if os.path.isdir(OWN) else []
        words = [VERIFY, "batch", submission, "--no-exercise-check", *OPTIONS, *course]
        subprocess.run([*words, "--gradescope", results], cwd=scratch, check=False)
        with open(results, encoding="utf-8") as file:
            return json.load(file)


def result_of(test: dict[str, Any]) -> dict[str, Any]:
    """Return a check's result as Classroom 50 reads it."""
    return {
        "test-name": test["name"],
        "passed": test.get("status") == "passed",
        "score": int(test.get("score", 0)),
        "max-score": int(test["max_score"]),
        "output": test.get("output", ""),
    }


def page(result: dict[str, Any]) -> str:
    """Return the result as Markdown, in which nothing that a learner wrote acts."""
    lines = [f"{result['score']} of {result['max-score']} points", ""]
    for test in result["tests"]:
        lines.append(f"{'pass' if test['passed'] else 'FAIL'}  {test['test-name']}")
        lines += [f"      {line}" for line in test["output"].splitlines()]
    text = "\n".join(lines)
    fence = "`" * max(len(ticks) + 1 for ticks in ["``", *re.findall("`+", text)])
    return f"{fence}text\n{text}\n{fence}\n"


def write(name: str, text: str) -> None:
    """Write a file of the working directory as a whole, also where the learner put a link."""
    with tempfile.NamedTemporaryFile("w", dir=".", delete=False, encoding="utf-8") as file:
        file.write(text + "\n")
    os.chmod(file.name, 0o644)
    os.replace(file.name, name)


if __name__ == "__main__":
    raise SystemExit(main())
