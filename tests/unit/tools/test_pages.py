"""The generated parts of pages: filled from the project itself, complete, and clear."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from markdown import Markdown
from markdown_it import MarkdownIt

from tests.stubs.repositories import git
from tools import generate, tables
from tools.check_pages import checks_page
from tools.markdown import fenced, plain
from tools.references import COMMANDS
from tools.regions import RegionError, filled
from tools.shipped import ARCHIVE, shipped
from tools.site_hooks import RepositoryLinks, shown_elsewhere, without_marks
from verify.course import catalog

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[3]
PLAN = "docs/reference/schemas/plan.schema.json"
FORM = re.compile(r"^## ([^\n]+)\n\n```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = "<!-- generated: run foundation/04 solved -->\n<!-- end -->"
PASSED_RUN = """\
<!-- generated: run foundation/04 solved -->
```console
$ python3 docs/foundation/tutorials/verify.py --exercise 04
foundation/04 - Trace a pipeline run - ISSUE-102
"""


def test_of_all_generated_files_only_the_one_that_was_edited_by_hand_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read = generate._read  # noqa: SLF001  # what is on disk
    for quoting in ("cohort_files", "pages"):
        monkeypatch.setattr(generate, quoting, tuple)  # what runs the commands takes minutes
    monkeypatch.setattr(generate, "shipped", lambda: read(ARCHIVE))  # a learner's has work in it
    monkeypatch.setattr(generate, "commands_page", lambda: read("docs/reference/commands.md"))
    monkeypatch.setattr(generate, "readme_picture", lambda: read("docs/images/verify-table.svg"))
    monkeypatch.setattr(generate, "_read", lambda path: b"{}" if path == PLAN else read(path))

    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out == f"{PLAN} is out of date: run python tools/generate.py\n"


def test_the_readmes_picture_loads_nothing_from_anywhere() -> None:
    picture = (ROOT / "docs" / "images" / "verify-table.svg").read_text(encoding="utf-8")

    assert "url(" not in picture.replace("url(#", "")


@pytest.fixture
def put(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that writes a page and returns its path."""

    def write(text: str) -> str:
        page = tmp_path / "page.md"
        page.write_text(text, encoding="utf-8")
        return str(page)

    return write


def test_a_region_is_filled_and_the_rest_of_the_page_is_kept(put: Callable[[str], str]) -> None:
    text = "# Page\n\n<!-- generated: example worker-result.json -->\nold\n<!-- end -->\n\nAfter.\n"

    assert filled(put(text)) == (
        "# Page\n\n<!-- generated: example worker-result.json -->\n```json\n"
        '{\n  "status": "completed",\n'
        '  "files_changed": ["src/health/routes.js", "test/health/routes.test.js"],\n'
        '  "blockers": [],\n  "summary": "Adds the health endpoint, with its tests",\n'
        '  "produced_by": "x-worker"\n}\n```\n<!-- end -->\n\nAfter.\n'
    )


def test_a_run_is_shown_as_on_the_learners_own_work(put: Callable[[str], str]) -> None:
    shown = filled(put(RUN))

    assert shown.startswith(PASSED_RUN)
    assert "\nPASSED  10 of 10 points (17 passed)\n" in shown
    assert "\nNext, practitioner/01 - " in shown
    assert "fixtures/submissions" not in shown


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("<!-- generated: issue ISSUE-101 -->\n", "a generated region is not closed"),
        ("<!-- end -->\n", "a generated region is not closed"),
        (f"<!-- generated: issue ISSUE-101 -->\n{RUN}\n", "a generated region is not closed"),
        ("<!-- generated: weather -->\n<!-- end -->", "no region 'weather' (expected one of issue"),
        ("<!-- generated: issue ISSUE-9 -->\n<!-- end -->", "issue ISSUE-9: "),
        ("<!-- generated: first foundation/9 -->\n<!-- end -->", "no exercise '9' in foundation"),
        ("<!-- generated: command verify list no -->\n<!-- end -->", "exit code 2: verify: no"),
    ],
    ids=["open", "closed twice", "nested", "unknown", "no issue", "no exercise", "refused"],
)
def test_a_region_that_cannot_be_filled_is_named(
    put: Callable[[str], str], text: str, complaint: str
) -> None:
    with pytest.raises(RegionError) as caught:
        filled(put(text))

    assert complaint in str(caught.value)
    assert "page.md: " in str(caught.value)


def test_every_command_has_its_help_on_the_page_as_wide_as_the_page_shows_it() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    sections = dict(FORM.findall(page))
    listed = sections["pipeline"].partition("positional arguments:")[2].partition("options:")[0]
    names = re.findall(r"^    ([a-z-]+) ", listed, re.MULTILINE)
    usages = re.findall(r"^usage: .*?\n\n", page, re.MULTILINE | re.DOTALL)

    assert list(sections) == list(COMMANDS)
    assert names == ["run", "demo", "status", "classify", "agents", "witness", "doctor"]
    assert {f"pipeline {name}" for name in names if name not in ("agents", "witness")} <= {
        *sections
    }
    assert len(usages) == len(COMMANDS)
    assert [line for usage in usages for line in usage.splitlines() if len(line) > 88] == []


@pytest.mark.parametrize("level", catalog.LEVELS)
def test_every_check_has_one_anchor_and_each_kind_of_check_one_failure(level: str) -> None:
    *sections, criteria = checks_page(level).split("\n## ")[1:]
    anchors = [re.findall(r'<a id="([^"]+)">', section) for section in sections]
    failing = [
        re.findall(r"When it fails:\*\*\n\n```text\n(\S+)  ", section) for section in sections
    ]
    checks = [check for exercise in catalog.level(level) for check in exercise.checks]

    asked = [c for e in catalog.level(level) for c in catalog.asking(e).checks if c.asks_service]
    assert re.findall(r'<a id="([^"]+)">', criteria) == [check.anchor for check in asked]
    assert Counter(chain(*anchors)) == Counter(check.anchor for check in checks)
    assert [[code.lower().replace(".", "-") for code in codes] for codes in failing] == [
        each[:1] for each in anchors
    ]
    assert len({check.why for check in checks}) == len(sections)


def test_a_check_that_no_submission_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.check_pages._broken", lambda _exercise: ())

    with pytest.raises(RegionError, match=r"^no submission fails F01\.1: add a broken-… one to"):
        checks_page("foundation")


def test_a_check_is_shown_failing_on_a_mistake_rather_than_on_nothing() -> None:
    section = checks_page("foundation").partition('<a id="f04-1">')[2].partition("\n## ")[0]

    assert "found     sandbox/.pipeline/ISSUE-102/plan.json" in section


@pytest.mark.parametrize("text", ["affected_files and _steps_", "AC<N>_<short_name>", "a*b*c"])
def test_a_plain_text_is_shown_as_it_is(text: str) -> None:
    (inline,) = (t for t in MarkdownIt().parse(plain(text)) if t.type == "inline")
    shown = "".join(child.content for child in inline.children or ())

    assert shown == text


@pytest.mark.parametrize("code", ["plain", "```json\n{}\n```", "a\n````\nb\n````"])
def test_code_with_fences_of_its_own_stays_one_block(code: str) -> None:
    tokens = MarkdownIt().parse(fenced(code, "markdown"))

    assert [(t.type, t.info, t.content) for t in tokens] == [("fence", "markdown", f"{code}\n")]


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.split("\n")]


def test_nothing_that_peers_stumble_over_is_unclear_here() -> None:
    head, _, *inputs = rows(tables.peers())

    assert head == [
        *("`plan.json`", "check50", "gatorgrade", "gradescope-utils", "check-jsonschema"),
        *("rewardkit", "here"),
    ]
    assert len(inputs) == 19
    assert all(len(each) == 7 for each in inputs)
    message = [each[6] for each in inputs]
    assert [each for each in message if not each.startswith("fails: ")] == [
        "accepted, as documented"
    ]


def test_all_cases_are_counted() -> None:
    *files, total = rows(tables.corpus())[2:]

    assert sum(int(each[1]) for each in files) == int(total[1]) > 250


def test_the_archive_has_the_whole_sandbox_but_what_a_learner_installs_or_submits(
    tmp_path: Path,
) -> None:
    for folder in ("src", "node_modules/x", ".pipeline/ISSUE-101", ".cursor"):
        (tmp_path / "sandbox" / folder).mkdir(parents=True)
        (tmp_path / "sandbox" / folder / "a.js").write_bytes(b"a\r\n")
    (tmp_path / "bundle").write_bytes(shipped(str(tmp_path / "sandbox")))

    git(tmp_path, "clone", "-q", "--branch=main", "bundle", "clone")

    assert git(tmp_path / "clone", "ls-files") == "sandbox/src/a.js"
    assert (tmp_path / "clone" / "sandbox" / "src" / "a.js").read_bytes() == b"a\n"


PLACES = {
    "docs/reference/checks-foundation.md": "reference/checks-foundation.md",
    "docs/foundation/tutorials/01-plan.md": "foundation/tutorials/01-plan.md",
    "docs/foundation/tutorials/02-implement.md": "foundation/tutorials/02-implement.md",
    **shown_elsewhere(),
}


def shown(text: str, page: str = "foundation/tutorials/01-plan.md") -> str:
    """Return what a line of a page becomes, without its paragraph."""
    links = RepositoryLinks()
    links.places, links.page = PLACES, page
    html: str = Markdown(extensions=[links, "tables"]).convert(text)
    return html.removeprefix("<p>").removesuffix("</p>")


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("02-implement.md#f02-1", "02-implement.md#f02-1"),
        ("../../../sandbox/issues/ISSUE-101.md", "../../issues/ISSUE-101.md"),
        ("../../../CONTRIBUTING.md#style", "../../contributing.md#style"),
        ("https://example.org/a.md", "https://example.org/a.md"),
        ("../../../no-such-file.md", "../../../no-such-file.md"),
    ],
)
def test_a_link_leads_where_the_site_has_the_file(link: str, address: str) -> None:
    assert shown(f"[x]({link})") == f'<a href="{address}">x</a>'


def test_a_page_from_elsewhere_links_as_seen_from_its_own_folder() -> None:
    html = shown("[the checks](docs/reference/checks-foundation.md)", page="contributing.md")

    assert html == '<a href="reference/checks-foundation.md">the checks</a>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "[the *contract*](../../../pipeline/schema.py#L1), read",
            "<span>the contract (<code>pipeline/schema.py</code>)</span>, read",
        ),
        (
            "[`pipeline/schema.py`](../../../pipeline/schema.py).",
            "<span><code>pipeline/schema.py</code></span>.",
        ),
        ("[`fixtures/`](../../../fixtures/)", "<span><code>fixtures</code></span>"),
        ("[verify.py](verify.py)", "<span><code>docs/foundation/tutorials/verify.py</code></span>"),
    ],
)
def test_a_file_that_the_site_has_not_is_named_by_its_path(text: str, html: str) -> None:
    assert shown(text) == html


@pytest.mark.parametrize(
    ("code", "html"),
    [
        ("x-planner", '<code class="name">x-planner</code>'),
        ("--model", '<code class="name">--model</code>'),
        ("x-reviewer-fast", "<code>x-reviewer-fast</code>"),
        ("plan", "<code>plan</code>"),
    ],
)
def test_a_short_name_with_a_hyphen_does_not_break(code: str, html: str) -> None:
    assert shown(f"`{code}`") == html


def test_a_cell_breaks_after_separators_and_shows_a_bar_without_its_backslash() -> None:
    html = shown("| a |\n| --- |\n| `ls src/a \\| wc` |")

    assert "<td><code>ls src/<wbr />a | wc</code></td>" in html


def test_the_marks_of_generated_regions_are_taken_out_but_not_of_code() -> None:
    text = "a\n<!-- generated: x -->\nb\n<!-- end -->\n```\n<!-- end -->\n```\n"

    assert without_marks(text) == "a\n\nb\n\n```\n<!-- end -->\n```\n"
