"""The pull request's text and the commit message: what agents and issues say, acts nowhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pipeline.forges.base import cut
from pipeline.run.assignment import Assignment
from pipeline.run.message import default_message, first_message_in, publishable, references
from pipeline.run.request import attention, body_of, runs_by_itself, to_look_at
from tests.stubs.repositories import user_repository

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.schema import Plan, WorkerResult

HOSTILE = [
    *("@octocat please merge", "cc @github/security", "(@a)", "@dependabot merge"),
    *("Closes #1", "fixes: #12", "Resolved octo/repo#7", "closing issue #3, #4", "Implements !5"),
    *("Fixes https://github.com/o/r/issues/1", "resolve ABC-12", "ABC-12 #close #time 1d"),
    *("![x](https://evil.example/p.png)", "[click](javascript:alert(1))", "<https://evil.example>"),
    *("https://evil.example", "<img src=x onerror=alert(1)>", "<!-- hidden -->", "</details>"),
    *("`` ` ``", "```\n@a\n```", "`@a", "` @a `` <b>", "done\n\n/close\n/merge", "a\n# Title"),
    *(
        "- [x] reviewed",
        "| a | b |\n| - | - |",
        "\x1b[31mred\x1b[0m",
        "a\u202eb",
        "x\\`@a",
        "&#64;a",
    ),
    *("a\r\n\r\n> @quote", "*" * 400, "[skip ci]", "::error::x", "##[error]x", "\u2028@a"),
]
# As the forges' own documents describe them, written without a look at the rules.
MENTION = re.compile(r"(?:^|[^\w@])@\w")
CLOSING = re.compile(
    r"\b(?:close[sd]?|closing|fix(?:e[sd]|ing)?|resolve[sd]?|resolving|implement(?:s|ed|ing)?)"
    r":?\s+(?:issues?\s+)?(?:(?:[\w.-]+/[\w.-]+)?[#!][0-9]|https?://|[A-Z]+-[0-9])",
    re.IGNORECASE,
)
SWITCH = re.compile(
    r"\[(?:skip ci|ci skip|no ci|skip actions|actions skip|ci-skip|skip-ci|skip azp)\]|NO_CI",
    re.IGNORECASE,
)


class Piece(NamedTuple):
    """A piece of the page as a parser that is not ours reads it."""

    type: str
    text: str


def pieces(markdown: str) -> list[Piece]:
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    blocks = [
        Piece(t.type, t.content) for t in tokens if t.type in ("html_block", "fence", "table_open")
    ]
    inline = [Piece(c.type, c.content) for t in tokens for c in t.children or ()]
    return blocks + inline


def request_with(text: str) -> str:
    about = Assignment(
        issue="ISSUE-7",
        task="x",
        title=text,
        text="",
        criteria=((text, text), ("AC2_x", text)),
        root="/",
        target=".",
        tier="standard",
        reason="Everything else is `standard`",
    )
    plan: Plan = {
        "affected_files": [text],
        "steps": [],
        "acceptance_mapping": {text: text, "AC2_x": "src/a.js"},
    }
    result: WorkerResult = {
        "status": "completed",
        "files_changed": [text],
        "blockers": [],
        "summary": text,
    }
    return body_of(about, plan, result)


def acts(markdown: str) -> list[Piece]:
    """Return the pieces that a forge would act on or that are no text."""
    harmless = {"text", "code_inline", "softbreak"}
    found = pieces(markdown)
    texts = " ".join(piece.text for piece in found if piece.type == "text")
    return [
        *(piece for piece in found if piece.type not in harmless),
        *(Piece("mention", match) for match in MENTION.findall(texts)),
        *(
            Piece("closing", match) for match in CLOSING.findall(markdown)
        ),  # GitLab reads the source
        *(
            Piece("command", line)
            for line in markdown.splitlines()
            if line.lstrip().startswith("/")
        ),
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_p9_nothing_of_an_agents_text_acts_in_a_pull_request(text: str) -> None:
    body = request_with(text)

    assert acts(body) == []
    assert len(body.splitlines()) == 8
    assert body.replace("\n", "").isprintable()


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="`@#!/<>[]()*_~|\\ \n\r\tacloses1-:&;\u2028", max_size=80))
def test_p9_nothing_acts_whatever_the_characters(text: str) -> None:
    assert acts(request_with(text)) == []


@pytest.mark.parametrize("most", range(40, 400, 7))
def test_p9_a_text_that_is_cut_has_no_line_cut_open(most: int) -> None:
    assert acts(cut(request_with("`@a` Closes #1"), most)) == []


def test_a_long_mapping_is_counted_not_shown() -> None:
    plan: Plan = {
        "affected_files": [],
        "steps": [],
        "acceptance_mapping": {f"AC{n}_x": "a.js" for n in range(30)},
    }
    body = body_of(
        Assignment(
            issue="ISSUE-7",
            task="x",
            title="x",
            text="",
            criteria=(),
            root="/",
            target=".",
            tier="standard",
            reason="y",
        ),
        plan,
        {"status": "completed", "files_changed": [], "blockers": [], "summary": "x"},
    )

    assert body.splitlines()[-2:] == ["- `AC19_x`: `a.js`", "- and 10 more"]


@pytest.mark.parametrize("text", HOSTILE)
def test_p9_nothing_of_an_agents_text_acts_in_a_commit_message(text: str) -> None:
    for made in (
        first_message_in(f"feat: add {text}"),
        first_message_in(f"```\nfeat: add\n\n{text}\n```"),
        default_message("ISSUE-7", text, text),
    ):
        assert (MENTION.findall(made), CLOSING.findall(made), SWITCH.findall(made)) == ([], [], [])


@pytest.mark.parametrize(
    ("message", "published"),
    [
        ("feat: add a page [skip ci]", "feat: add a page"),
        ("feat: add [ci skip] a page", "feat: add a page"),
        ("feat: a\n\n***NO_CI***", "feat: a"),
        ("feat: a\n\n[CF-Pages-Skip]\n\nb", "feat: a\n\nb"),
        ("feat: a\n\nskip-checks: true", "feat: a"),
        (
            "feat: a\n\nb\n\nCo-authored-by: Eve <e@x.org>\nSigned-off-by: Eve <e@x.org>",
            "feat: a\n\nb",
        ),
        ("feat: a\n\nReviewed-By : Eve\nb\n\nc", "feat: a\n\nb\n\nc"),
        ("feat: a\n\nRefs: ISSUE-8\nThe rest.", "feat: a\n\nThe rest."),
        ("feat: a\n\nBREAKING CHANGE: b\n  c\nCloses: #1", "feat: a\n\nBREAKING CHANGE: b\n  c"),
        ("feat!: a\n\nThe reason, in a sentence.", "feat!: a\n\nThe reason, in a sentence."),
        ("fix: #12 crashes", 'fix: "#12" crashes'),
        ("fix: UTF-8 names in lists", "fix: UTF-8 names in lists"),
        ("fix: mail to a@b.org bounces", "fix: mail to a@b.org bounces"),
        ("build: bump @types/node", "build: bump @ types/node"),
        ("feat: list [no] items and [skipped] ones", "feat: list [no] items and [skipped] ones"),
    ],
)
def test_p9_a_message_keeps_its_words_and_drops_what_nobody_asked_for(
    message: str, published: str
) -> None:
    assert publishable(message) == published
    assert publishable(published) == published


def test_p9_an_agent_cannot_tie_its_commit_to_another_issue() -> None:
    message = first_message_in("feat: a\n\nRefs: ISSUE-8\n\nb\n\nRefs #ISSUE-9")

    assert message == "feat: a\n\nb"
    assert not references(message, "ISSUE-8")


def test_a_switch_alone_is_no_message() -> None:
    assert first_message_in("feat: [skip ci]") == ""


@pytest.mark.parametrize(
    "path",
    [
        *(".github/workflows/ci.yml", ".gitlab-ci.yml", "Jenkinsfile", ".circleci/config.yml"),
        *(
            ".husky/pre-commit",
            ".pre-commit-config.yaml",
            "tools/hooks/post-merge",
            ".gitattributes",
        ),
        *("package.json", "app/package.json", "setup.py", "pyproject.toml", "tests/conftest.py"),
        *(
            "Makefile",
            "build.rs",
            "app/build.gradle.kts",
            "pom.xml",
            "Dockerfile",
            "Dockerfile.dev",
        ),
        *(".cursor/rules/a.mdc", ".vscode/tasks.json", "AGENTS.md", ".envrc", "vite.config.ts"),
        *("src/App.csproj", "Directory.Build.props", "docker-compose.override.yml", ".npmrc"),
    ],
)
def test_p3_a_file_that_runs_by_itself_is_known(path: str) -> None:
    assert runs_by_itself(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/app.js",
        "README.md",
        "src/github.ts",
        "src/makefile/parse.py",
        "config.js",
        "test/a.test.js",
    ],
)
def test_other_files_do_not_run_by_themselves(path: str) -> None:
    assert not runs_by_itself(path)


def test_p3_files_that_run_by_themselves_and_existing_tests_are_listed(tmp_path: Path) -> None:
    user = user_repository(tmp_path / "project")
    user.commit(**{"test/old.test.js": "1\n", "src/a.js": "1\n"})
    files = ("test/old.test.js", "test/new.test.js", "src/a.js", "package.json")
    sha = user.commit("feat: a", **dict.fromkeys(files, "2\n"))

    found = to_look_at(user.repository, sha)

    assert found == ["package.json", "test/old.test.js"]
    assert attention([*found, "`@a` ä"]).splitlines() == [
        "",
        "Look at these before you merge: they run by themselves, or they are existing tests.",
        "",
        "- `package.json`",
        "- `test/old.test.js`",
        "- `` `@a` ä ``",
    ]
    assert attention([]) == ""
