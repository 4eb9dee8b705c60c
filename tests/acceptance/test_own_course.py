"""An instructor makes a course, proves it, changes it, and grades by it."""

from __future__ import annotations

import ast
import csv
import json
import os
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.acceptance.conftest import VERIFY

if TYPE_CHECKING:
    from tests.acceptance.conftest import Run

SHOW_IMPORTS = """
import sys
from verify.cli import main
main(["check", "foundation/02"])
OWN = "verify.course.own_course"
print([name for name in sys.modules if name.startswith(OWN)], file=sys.stderr)
"""
HOW_TO = Path(ROOT) / "docs" / "how-to" / "write-your-own-course.md"
TEMPLATE = Path(ROOT) / "verify" / "course" / "own_course" / "template"
REPORT = "---\nowner: Ada\n---\n# Report\n\n## Summary\n\nIt works.\n"
PAGE = '<a id="b03-1"></a><a id="b03-2"></a>\n# Report\n'
FAILURES = [  # of the check of the how-to page, by the broken reports of its test
    "",
    """\
docs/report.md:2:8  $.owner
the report names no owner
  expected  a name
  found     an array of 1 element
To do: Add the line `owner: NAME`.
""",
    """\
docs/report.md:1:1
the front matter is never closed
  expected  a line of three hyphens after it
  found     the end of the file
To do: Add a line `---` below line 3.
""",
    """\
docs/report.md
docs/report.md is not UTF-8 text: see line 8
  expected  a text file
To do: Save the file as UTF-8.
""",
    """\
docs/report.md
docs/report.md is missing
  expected  the file
  found     docs/Report.md
To do: Rename docs/Report.md to docs/report.md.
""",
    """\
docs/report.md
docs/report.md is missing
  expected  the file
  found     no such file
To do: Write the file to docs/report.md.
""",
]


@pytest.fixture
def made(run: Run, tmp_path: Path) -> Path:
    """Return a course that `verify new-course` has made."""
    folder = tmp_path / "mine"
    done = run(*VERIFY, "new-course", str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def submission(course: Path, name: str) -> str:
    return str(course / "fixtures" / "basics" / name)


def test_a_submission_is_graded_and_a_failure_leads_to_the_course_s_page(
    run: Run, made: Path
) -> None:
    words = ("basics/02", "--course", str(made))
    done = run(*VERIFY, *words, "--project", submission(made, "02-retro/broken-owner"))

    assert done.returncode == 1
    assert ".pipeline/ISSUE-1/retro.json:18:16  $.actions[1].owner" in done.stdout
    assert done.stdout.endswith(f"explain B02.4 --course {made}\n")
    explained = run(*VERIFY, "explain", "B02.4", "--course", str(made))
    lesson = re.search(r"Checks: (\S+)#(b02-4)$", explained.stdout, re.MULTILINE)
    assert lesson is not None
    page = made / "docs/basics/tutorials/02-retro.md"
    assert os.path.normpath(os.path.join(ROOT, lesson[1])) == str(page)
    assert f'<a id="{lesson[2]}"></a>' in page.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deed", "line"),
    [
        (
            "raise SystemExit(0)",
            "verify: exercises/basics/ex02_retro.py:21: the check B02.4 itself failed: SystemExit",
        ),
        (
            "__import__('os')._exit(0)",
            "verify: grading this submission crashed the grading process (exit",
        ),
        pytest.param(
            "exec('while True: pass')",
            "verify: grading this submission took more than 2 s of CPU",
            marks=pytest.mark.figure,  # 12 s of CPU; a cohort's is in test_batch_bounds.py
        ),
    ],
)
def test_a_check_of_the_course_that_exits_or_never_ends_does_not_pass(
    run: Run, made: Path, deed: str, line: str
) -> None:
    file = made / "exercises/basics/ex02_retro.py"
    place = '    team = artifact.value["team"]\n'
    text = file.read_text(encoding="utf-8").replace(place, f"    {deed}\n{place}")
    file.write_text(text, encoding="utf-8")
    words = ("check", "basics/02", "--course", str(made))
    done = run(*VERIFY, *words, "--project", submission(made, "02-retro/solved"))

    assert done.returncode == 3
    assert done.stderr.startswith(line)
    assert ("Fix the check at this line of the course" in done.stdout) == ("SystemExit" in deed)


def changed(course: Path, before: str, after: str, name: str = "ex02_retro.py") -> None:
    """Change one place of an exercise of the course."""
    file = course / "exercises/basics" / name
    text = file.read_text(encoding="utf-8")
    assert text.count(before) == 1
    file.write_text(text.replace(before, after), encoding="utf-8")


TEAM, RETURN = 'artifact.value["team"]', "return artifact.failed_at(problems)"
FAULTS = {  # of an author's function, as one line says them
    (TEAM, 'artifact.value["teams"]'): "21: the check B02.4 itself failed: KeyError: 'teams'",
    (
        TEAM,
        "sorted(5)",
    ): "21: the check B02.4 itself failed: TypeError: 'int' object is not iterable",
    (RETURN, "raise type('Odd', (Exception,), {'__str__': lambda _: 1 / 0})"): (
        "33: the check B02.4 itself failed: Odd"
    ),
    (RETURN, "import asyncio; raise asyncio.CancelledError"): (
        "33: the check B02.4 itself failed: CancelledError"
    ),
    (RETURN, "return problems"): (
        "18: the check B02.4 itself failed: TypeError: B02.4 returned [Problem(rule='owner', "
    ),
    (RETURN, "return artifact.failed_at(problems).earning(2)"): (
        "18: the check B02.4 itself failed: TypeError: B02.4 failed and gave 2 of 2 points "
        "(expected a smaller whole number)"
    ),
    (RETURN, "return artifact.failed_at(problems).earning(0.5)"): (
        "18: the check B02.4 itself failed: TypeError: B02.4 failed and gave 0.5 of 2 points "
        "(expected a smaller whole number)"
    ),
    (RETURN, "return artifact.failed_at(problems).earning(float('nan'))"): (
        "18: the check B02.4 itself failed: TypeError: B02.4 failed and gave nan of 2 points "
    ),
    (RETURN, "from verify.api import failed; return failed('no')"): (
        "18: the check B02.4 itself failed: TypeError: B02.4 returned 'no' "
        "(expected a Finding of texts)"
    ),
    (RETURN, "from verify.api import Finding, failed; return failed(Finding('no', found=5))"): (
        "18: the check B02.4 itself failed: TypeError: B02.4 returned Finding(message='no', "
    ),
}


@pytest.mark.parametrize(("change", "said"), FAULTS.items())
def test_a_crash_of_an_author_s_check_is_one_line_with_its_place(
    run: Run, made: Path, change: tuple[str, str], said: str
) -> None:
    changed(made, *change)
    work = ("--project", submission(made, "02-retro/broken-owner"))
    done = run(*VERIFY, "basics/02", "--course", str(made), *work)

    assert done.returncode == 3
    assert done.stderr.startswith(f"verify: exercises/basics/ex02_retro.py:{said}")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stdout


def test_the_self_test_and_a_batch_name_the_line_of_a_crash_too(run: Run, made: Path) -> None:
    changed(made, TEAM, "context.issue.nothing")
    said = (
        "exercises/basics/ex02_retro.py:21: the check B02.4 itself failed: AttributeError: 'Issue'"
    )
    course, works = ("--course", str(made)), made / "fixtures/basics/02-retro"

    proof = run(*VERIFY, "self-test", *course)
    words = (str(works), "--exercise", "basics/02", "--gradebook", str(made / "g.db"))
    batch = run(*VERIFY, "batch", *words, *course)

    assert (proof.returncode, said in " ".join(proof.stdout.split())) == (1, True)
    assert (batch.returncode, said in batch.stderr, ".log" in batch.stderr) == (3, True, False)


def test_a_part_of_a_check_s_points_is_in_every_table_and_export(
    run: Run, made: Path, tmp_path: Path
) -> None:
    changed(made, RETURN, "return artifact.failed_at(problems).earning(2 - len(problems))")
    course, works = ("--course", str(made)), made / "fixtures/basics/02-retro"
    proof = run(*VERIFY, "self-test", *course, "--update")
    learner = run(*VERIFY, "basics/02", *course, "--project", str(works / "broken-owner"))
    out = {name: tmp_path / name for name in ("csv", "json", "gradescope", "feedback")}
    formats = [word for name, path in out.items() for word in (f"--{name}", str(path))]
    book = ("--gradebook", str(tmp_path / "g.db"))
    batch = run(*VERIFY, "batch", str(works), "--exercise", "basics/02", *course, *book)
    export = run(*VERIFY, "export", *book, *formats)

    assert (proof.returncode, batch.returncode, export.returncode) == (0, 1, 0)
    expected = json.loads((works / "broken-owner.expected.json").read_text("utf-8"))
    assert expected["earned"] == {"B02.4": 1}
    assert re.search(r"B02\.4 .*FAIL .* 1/2\n", learner.stdout)
    assert "NOT YET  4 of 5 points (3 passed, 1 failed)" in learner.stdout
    rows = csv.DictReader(out["csv"].read_text("utf-8").splitlines())
    (row,) = (row for row in rows if (row["learner"], row["check"]) == ("broken-owner", "B02.4"))
    assert (row["check_outcome"], row["check_score"], row["score"]) == ("fail", "1", "4")
    standings = json.loads(out["json"].read_text("utf-8"))["standings"]
    (found,) = (s for s in standings if s["learner"] == "broken-owner")
    (mark,) = found["marks"]
    assert (mark["score"], mark["checks"][3]["score"], found["total"]) == (4, 1, 4)
    page = (out["feedback"] / "broken-owner.md").read_text("utf-8")
    assert "| B02.4 | fail | every action belongs to a member of the team | 1/2 |" in page
    results = (out["gradescope"] / "broken-owner" / "results.json").read_text("utf-8")
    assert [test.get("score") for test in json.loads(results)["tests"]] == [1, 1, 1, 1]


def test_a_level_is_listed_for_the_work_in_this_folder(run: Run, made: Path) -> None:
    work = submission(made, "01-plan/solved")
    done = run(*VERIFY, "list", "basics", "--course", str(made), cwd=work, env={"PYTHONPATH": ROOT})

    assert done.returncode == 0  # a list only shows
    assert done.stdout.startswith("basics: 1 of 2 exercises passed\n")
    assert f"verify basics/02 --course {made} --project ." in done.stdout


def test_a_broken_file_is_one_line_with_its_place(run: Run, made: Path) -> None:
    file = made / "exercises/basics/ex02_retro.py"
    file.write_text(
        file.read_text(encoding="utf-8").replace("Exercise(\n", "Exercise(\n   level\n")
    )

    done = run(*VERIFY, "self-test", "--course", str(made))

    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(
        r"verify: --course \S+: \S+/ex02_retro\.py:37: this is not valid Python: [^\n]+\n",
        done.stderr,
    )


def test_what_the_how_to_page_quotes_is_what_the_commands_print(run: Run, tmp_path: Path) -> None:
    text = (Path(ROOT) / "docs" / "how-to" / "write-your-own-course.md").read_text(encoding="utf-8")
    quoted = re.findall(r"```console\n\$ python3 -m verify (.*)\n((?s:.*?))```\n", text)
    program = tmp_path / "bin" / "verify"  # as after set-up: the reader calls it by its name
    program.parent.mkdir()
    program.touch(mode=0o755)
    env = {"PYTHONPATH": ROOT, "PATH": f"{program.parent}:{os.environ['PATH']}"}

    printed = [
        run(*VERIFY, *words.split(), cwd=str(tmp_path), env=env).stdout for words, _ in quoted
    ]

    assert [answer.replace("python3 -m verify", "verify") for _, answer in quoted] == printed != []


def imported_by(source: str) -> set[str]:
    """Return the modules that a file imports, without relative ones."""
    nodes = list(ast.walk(ast.parse(source)))
    from_ = {
        node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level
    }
    return from_ | {
        name.name for node in nodes if isinstance(node, ast.Import) for name in node.names
    }


def test_h_authors_import_the_api_alone_in_the_template_and_on_the_pages() -> None:
    pages = (HOW_TO, HOW_TO.parents[1] / "reference" / "own-course.md")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    files = [file.read_text("utf-8") for file in TEMPLATE.rglob("*.py")]

    assert len(blocks) >= 3
    assert len(files) == 2
    assert set().union(*map(imported_by, [*blocks, *files])) == {"verify.api"}


def test_h_the_how_to_s_check_of_a_markdown_report_can_be_followed(run: Run, made: Path) -> None:
    """The block of the page is the exercise; its page and fixtures are added as the page says."""
    text = HOW_TO.read_text(encoding="utf-8")
    (block,) = (b for b in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "TextFile(" in b)
    (made / "exercises/basics/ex03_report.py").write_text(block, encoding="utf-8")
    (made / "docs/basics/tutorials/03-report.md").write_text(PAGE, encoding="utf-8")
    reports = {
        "solved": REPORT,
        "broken-owner": REPORT.replace("Ada", "[Ada]"),
        "broken-fence": REPORT.replace("---\n#", "#"),
        "broken-bytes": REPORT.replace("It works", "\udce9"),
        "broken-place": REPORT,
        "unsolved": "",
    }
    for name, report in reports.items():
        path = "docs/Report.md" if name == "broken-place" else "docs/report.md"
        file = made / "fixtures/basics/03-report" / name / (path if report else ".gitkeep")
        file.parent.mkdir(parents=True)
        file.write_bytes(report.encode("utf-8", "surrogateescape"))
    course = ("--course", str(made))

    proof = run(*VERIFY, "self-test", "--exercise", "basics/03", *course, "--update")
    texts = {
        name: run(*VERIFY, "basics/03", *course, "--project", submission(made, f"03-report/{name}"))
        for name in reports
    }

    assert (proof.returncode, proof.stdout.splitlines()[-1][:16]) == (0, "PROVEN  2 checks")
    assert [done.returncode for done in texts.values()] == [0, 1, 1, 1, 1, 1]
    found = [re.search(r"NOT YET.*\n\n.*\n((?:  (?!More).*\n)*)", t.stdout) for t in texts.values()]
    assert [textwrap.dedent(match[1]) if match else "" for match in found] == FAILURES


def test_a_learner_s_run_imports_nothing_of_it(run: Run) -> None:
    assert run("-c", SHOW_IMPORTS).stderr.splitlines()[-1] == "[]"
