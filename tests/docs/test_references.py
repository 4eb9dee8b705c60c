"""Reference pages that are written by hand say what the code says."""

from __future__ import annotations

import re
from pathlib import Path

from pipeline.terminal import exit_codes

ROOT = Path(__file__).resolve().parents[2]


def codes_of(page: str) -> dict[int, str]:
    """Return the exit codes of a page's table, with their meanings."""
    rows = re.findall(r"^\| (\d+) \| ([^|]+?) \|", (ROOT / page).read_text("utf-8"), re.MULTILINE)
    return {int(code): meaning for code, meaning in rows}


def test_the_page_lists_the_exit_codes_of_the_code() -> None:
    codes = {value for name, value in vars(exit_codes).items() if name.isupper()}

    assert codes_of("docs/reference/exit-codes.md").keys() == codes


def test_the_terms_of_the_glossary_are_few_and_in_order() -> None:
    text = (ROOT / "docs" / "reference" / "glossary.md").read_text(encoding="utf-8")
    tables = [part.split("\n\n")[0] for part in text.split("| --- | --- |\n")[1:]]
    words = [re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE) for table in tables]

    assert 20 < sum(map(len, words)) <= 40
    assert words == [sorted(part, key=str.lower) for part in words]


def test_the_picture_of_the_pipeline_is_small_and_names_every_agent_and_artifact_in_text() -> None:
    picture = (ROOT / "docs" / "assets" / "pipeline.svg").read_text(encoding="utf-8")
    texts = re.findall(r"<text[^>]*>(.*?)</text>", picture)
    names = re.findall(r"x-[a-z]+|[a-z-]+\.json", " ".join(texts))
    pages = ("docs/index.md", "README.md", "docs/foundation/tutorials/04-trace.md")

    assert len(picture.encode()) <= 6 * 1024
    assert names == [
        *("x-planner", "x-subplanner", "x-worker", "x-git"),
        *("plan.json", "worker-result.json", "git-result.json"),
    ]
    assert all("assets/pipeline.svg)" in (ROOT / page).read_text("utf-8") for page in pages)


OTHER_SPELLINGS = re.compile(
    r"""
    \.venv\S*[/\\](?:verify|pipeline)\b  # the console script by its path
    | \bpy(?:thon)?\ (?:-m\ (?:verify|pipeline)\b|\S*verify\.py)  # another interpreter
    | ^\s*(?:-\ run:\ |\$\ )?(?:(?:verify|pipeline)\ [a-z]|python3\ -m\ verify\ check\b)
    """,
    re.VERBOSE | re.MULTILINE,
)
CODE = re.compile(r"^( *)```.*?^\1```|^    [^\n]+$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`[^`\n]*\.venv[^`\n]*`")


def test_l8_pages_and_help_spell_commands_in_two_ways_only() -> None:
    found = {}
    for page in (*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        text = page.read_text(encoding="utf-8")
        code = [match[0] for match in (*CODE.finditer(text), *INLINE.finditer(text))]
        for match in filter(None, map(OTHER_SPELLINGS.search, code)):
            found[str(page.relative_to(ROOT))] = match[0].strip()

    assert found == {}


def test_h_the_files_that_contributors_and_architects_read_of_are_there() -> None:
    pages = (ROOT / "CONTRIBUTING.md", ROOT / "docs/explanation/architecture.md")
    text = " ".join(page.read_text(encoding="utf-8") for page in pages)
    named = set(
        re.findall(r"`((?:pipeline|verify|tools|tests|docs|fixtures|sandbox)/[^`<*\s]*)`", text)
    )

    assert len(named) > 50
    assert {path for path in named if "NN" not in path and not (ROOT / path).exists()} == set()
