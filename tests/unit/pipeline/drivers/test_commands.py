"""Without a jail, a client runs exactly what is on the list, and no shell text gets around it."""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import bootstrap
from pipeline.bootstrap import ROOT
from pipeline.drivers.acp import commands
from pipeline.drivers.acp.permissions import call_of, why_not
from pipeline.drivers.acp.rights import Rights
from pipeline.drivers.registry import DriverOptions, driver
from pipeline.run.prompts import validator
from pipeline.terminal.fault import Fault
from tests.stubs.scripted_client import a_turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.scripted_client import ScriptedClient

ARTIFACT = "app/.pipeline/ISSUE-7/worker-result.json"
INSTEAD = "use your file tools, or ask the user for --allow-command"
TEST = "run `npm --prefix app test`"
NO_SHELL = f"a command must be plain words without shell characters: {TEST}, {INSTEAD}"
MANY = 100_000
ROLES: tuple[dict[str, Any], ...] = ({}, {"writes": "artifact"}, {"writes": "nothing"})


@pytest.fixture
def project(root: Path, tmp_path: Path) -> Path:
    """Return the repository, with a project of both languages and links that lead out of it."""
    for folder in (root / "app/src", root / ".git", tmp_path / "outside"):
        folder.mkdir(parents=True)
    for path in ("app/package.json", "app/pyproject.toml", "app/src/a.js", "README.md"):
        (root / path).write_text("{}")
    (root / "app/out").symlink_to(tmp_path / "outside")
    (root / "app/config").symlink_to(root / ".git/config")
    return root


def reason(root: Path, text: str, folder: str = "", *allowed: str, **changes: Any) -> str:
    """Return why a command is refused."""
    raw = {"command": text, "cwd": folder}
    call = call_of({"kind": "execute", "rawInput": raw})
    return why_not(a_turn(root, **changes), call, commands.checked(allowed))


EVERYDAY = [
    line.strip()
    for line in """
    npm --prefix app test
    npm --prefix app run test
    pytest app
    python3 -m pytest app
    pwd
    cat app/src/a.js
    cat -n "app/src/a.js"
    head -n 20 README.md
    head -20 README.md
    tail -n +5 README.md
    ls -la app
    ls -lah
    wc -l app/src/a.js README.md
    grep -n "/health" app/src/a.js
    grep -in -A3 'GET /health' app/src/a.js
    git status
    git status -sb
    git status --short --branch
    git diff
    git diff --stat main
    git diff --cached -- app/src/a.js
    git --no-pager diff HEAD
    git diff main...HEAD --name-only
    git log --oneline -5
    git log -n 3 --stat
    git log --max-count=3 -p -- app
    git show HEAD:app/src/a.js
    git show --stat HEAD
    git blame app/src/a.js
    git grep -n "/health" -- app
    git branch --show-current
    git ls-files -m
    git rev-parse --abbrev-ref HEAD
    make lint
""".strip().splitlines()
]


@pytest.mark.spec("1.11")
@pytest.mark.parametrize("text", EVERYDAY)
def test_p2_every_role_runs_the_everyday_commands_that_read_or_test(
    project: Path, text: str
) -> None:
    assert [reason(project, text, "", "make lint", **role) for role in ROLES] == [""] * 3


SEEN_TO_ESCAPE = r"""
    test -v 'a[$(id)]'
    printf -v 'a[$(id)]' x
    'tr'\ap id EXIT
    cat app/src/a.js>README.md
    git grep -1O'id'
    git grep -Oid health
    wc --files0-from=-
    wc --files0-from=/etc/passwd
    jq -n env
    pytest -o addopts=--basetemp=/any
    pytest app -o addopts=--basetemp=/any
    jest --clearCache -c '{"cacheDirectory":"/any"}'
    npm test -script-shell=./x
    npm --prefix app test --script-shell=./x
    npx mocha --import=DATA:text/javascript,1
    cat */../*/../*/../*
    git push origin main
    git -c alias.p=push p
    git -c core.pager=./x log
    git -C app status
    git --exec-path=app status
    git --git-dir=app/x status
    git diff --output=app/a.js
    git diff --outp=app/a.js
    git diff --no-index README.md app/src/a.js
    git diff README.md ../secret
    git log --ext-diff
    git show --textconv HEAD
    git branch mine
    git branch -D main
    git remote -v
    git remote add x y
    git config user.name x
    git checkout main
    git commit -m x
    git grep -f app/src/a.js
    git ls-files --exclude-from=/etc/passwd
    grep -r token .
    grep -R token app
    grep -f /etc/passwd app/src/a.js
    grep token /etc/passwd
    grep -e token /etc/passwd
    grep -ie token /etc/passwd
    cat /etc/passwd
    cat ../secret
    cat app/out/secret
    cat app/out
    cat .git/config
    cat .GIT/config
    cat app/../.git/config
    cat app/config
    cat -
    ls /
    ls ..
    head -n 5 /etc/passwd
    tail -f README.md
    find . -name a -exec id
    sed -n 1p README.md
    node app/src/a.js
    npm ci
    npm run build
    npm publish
    npm test; id
    npm --prefix app test && id
    npm --prefix app test | id
    npm --prefix app test & id
    npm --prefix app test $(id)
    npm --prefix app test `id`
    npm --prefix app test > README.md
    npm --prefix app test # x
    npm --prefix ~ test
    npm --prefix app/out test
    npm --prefix app test -- --x
    npm --prefix $HOME test
    CI=1 npm --prefix app test
    =ls app
    @cat README.md
    cat %USERPROFILE%
    cat {README.md,/etc/passwd}
    cat README.m?
    cat README.m[d]
    cat ~/x
    cat !1
    (ls)
    "ls" "app
    ls 'app
    l"s" app
    'git log' -n 3
    "git status"
    "git" "branch -a"
    'git branch' -a
    'npm --prefix app test'
    'make lint'
    sh -c ls
    env ls
    sudo ls
    timeout 5 ls
    python3 pipeline/schema.py --validate x
    python3 other/schema.py --validate x
    python3 -c x
    python3 -m http.server
    uv run pytest
    --help
""".strip("\n").splitlines()
NOT_ASCII = (
    "ls\nid",
    "ls\tapp",
    "ls\rid",
    "ls\x00app",
    "ls\u00a0app",
    "ls\u2028id",
    "ls \u00e4",
    "",
    " ",
)


@pytest.mark.spec("1.11")
@pytest.mark.parametrize("text", [*map(str.strip, SEEN_TO_ESCAPE), *NOT_ASCII])
def test_p2_every_other_command_is_refused_for_every_role(project: Path, text: str) -> None:
    assert "" not in [reason(project, text, **role) for role in ROLES]


def test_p2_a_refusal_says_why_and_what_to_do_instead(project: Path) -> None:
    texts = ("npm test && id", "uv run pytest", "git diff --output=x", "cat .git/config")

    assert [reason(project, text) for text in texts] == [
        NO_SHELL,
        f"`uv run` is not on the list of commands: {TEST}, {INSTEAD}",
        "git diff may not have the option --output=x; leave it out",
        ".git/config is outside the repository, or in .git",
    ]


@pytest.mark.parametrize(
    ("folder", "text", "expected"),
    [
        ("app", "npm test", ""),
        ("app", "npm run test", ""),
        ("app", "node --test", ""),
        ("app", "pytest", ""),
        ("app", "cat ../README.md", ""),
        ("app", "uv run pytest", ""),
        ("", "uv run pytest", ""),
        ("app", "git status", "git may run in the root of the repository only"),
        ("app", "git branch", "git may run in the root of the repository only"),
        ("app", "cat ../../x", "../../x is outside the repository, or in .git"),
        (
            "",
            "npm test",
            f"`npm test` is not on the list of commands: run `uv run pytest`, {INSTEAD}",
        ),
        ("app/src", "npm test", f"`npm test` is not on the list of commands: {INSTEAD}"),
        ("app/src", "uv run pytest", f"`uv run` is not on the list of commands: {INSTEAD}"),
        ("/usr", "ls", "/usr is not a folder in the repository"),
        ("app/out", "ls", "app/out is not a folder in the repository"),
        (".git", "ls", ".git is not a folder in the repository"),
    ],
)
def test_p2_a_command_counts_for_the_folder_that_it_runs_in(
    project: Path, folder: str, text: str, expected: str
) -> None:
    assert reason(project, text, folder, "uv run pytest") == expected


def test_the_projects_tests_are_those_of_its_manifest(project: Path) -> None:
    (project / "app/package.json").unlink()

    assert reason(project, "npm --prefix app test") != ""
    assert reason(project, "pytest app") == ""
    assert reason(project, "pytest", target=".") != ""


@pytest.mark.parametrize(
    ("text", "is_allowed"),
    [
        ("uv run pytest", True),
        ("uv  run 'pytest'", True),
        ("uv run pytest -x", False),
        ("uv run", False),
        ("uv run pytest; id", False),
        ("uv run pytest app", False),
        ("UV run pytest", False),
    ],
)
def test_p2_a_command_that_the_user_allows_is_allowed_without_further_arguments(
    project: Path,
    text: str,
    is_allowed: bool,  # noqa: FBT001  # a column of the table
) -> None:
    assert (reason(project, text, "", "make", "uv run pytest") == "") is is_allowed


def test_the_users_command_reaches_the_client_that_asks(client: ScriptedClient) -> None:
    (options,) = (
        [{"optionId": "yes", "kind": "allow_once"}, {"optionId": "no", "kind": "reject_once"}],
    )
    asked = [
        {
            "permission": {
                "toolCall": {"kind": "execute", "rawInput": {"command": text}},
                "options": options,
            }
        }
        for text in ("uv run pytest", "uv run python")
    ]
    made = client.driver({"turns": [asked]}, commands=["uv run pytest"])
    reply = made.take(a_turn(client.root), client.tell)
    answers = reply.text.replace("}{", "}\n{").splitlines()

    assert [json.loads(answer)["outcome"]["optionId"] for answer in answers] == ["yes", "no"]


@pytest.mark.parametrize("text", ["make && id", "", "make 'x", "make $X", "make *", "mäke"])
def test_a_command_with_shell_characters_cannot_be_allowed(text: str) -> None:
    with pytest.raises(Fault) as fault:
        driver(DriverOptions(driver="acp", client="qwen", commands=["make", text], no_jail=True))

    assert str(fault.value) == (
        f"--allow-command {text}: expected a program and its arguments in plain words, "
        "without shell characters, such as 'uv run pytest'"
    )


def test_the_validator_is_the_one_that_the_prompts_name(project: Path) -> None:
    command = f"{validator(str(project))} {ARTIFACT}"

    assert ROOT in command
    assert [reason(project, command, folder) for folder in ("", "app")] == ["", ""]
    assert reason(project, f"{command} /etc/passwd") != ""
    assert reason(project, f"{command} --help") != ""


def test_the_validator_may_be_in_a_folder_of_any_name(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "ROOT", str(project / "Käthe's tools; id"))
    refusal = runpy.run_path(commands.__file__)["command_refusal"]
    script = shlex.quote(f"{bootstrap.ROOT}/pipeline/schema.py")
    command = f"python3 {script} --profile exercise --validate {ARTIFACT}"
    rights = Rights(a_turn(project), str(project))

    assert refusal(rights, command) == ""
    assert refusal(rights, f"{command}; id") == NO_SHELL
    assert refusal(rights, command.replace("schema.py", "other.py")) == NO_SHELL


# An oracle of its own: the options of each command in another notation, and paths by their names.
NO_COMMANDS_TEXT = re.compile(r"[^\w ./:+=@'\"-]", re.ASCII)
LISTS = "name-only|name-status|no-color|no-ext-diff|no-textconv|stat"
OPTIONS = {
    "cat": "[bns]+|-",
    "ls": "1|[aAdFhlprRSt]+|-",
    "head": r"\d+|[nc]\d+|[cnqv]+|-",
    "tail": r"\d+|[nc]\d+|[cnqv]+|-",
    "wc": "[clmw]+|-",
    "grep": r"[cEFhHilLnosvwx]+|[ABC]\d+|-",
    "git status": "[bs]+|uall|uno|-(branch|long|porcelain|short)?",
    "git diff": (
        rf"[bpsuw]+|U\d+|-({LISTS}|cached|check|exit-code|numstat|shortstat|staged|summary)?"
    ),
    "git log": (
        rf"\d+|n\d+|[nps]+|-({LISTS}|all|decorate|first-parent|follow|graph|max-count=\d+|merges|"
        "no-merges|oneline|reverse)?"
    ),
    "git show": rf"[ps]+|-({LISTS}|no-patch|oneline)?",
    "git blame": "[sw]+|-",
    "git grep": r"[cEFhilLnovw]+|[ABC]\d+|-(cached)?",
    "git ls-files": "[cdmos]+|-(cached|deleted|exclude-standard|modified|others|stage)?",
    "git rev-parse": "-(abbrev-ref|is-inside-work-tree|short|show-prefix|show-toplevel|verify)",
}
ALONE = {*commands.TABLE["exact"], "make lint", "pytest app", "python3 -m pytest app"}
ALONE |= {"npm --prefix app test", "npm --prefix app run test", "python -m pytest app"}
PIECES = (
    *("; id", ";", "&& id", "| sh", "> x", "$(id)", "`id`", "$HOME", "~", "*", "{a,/etc}", "!!"),
    *("\n", "\t", "\0", "\u00a0", "\u2028", "\\", "'", '"', "=", "@", "%X%", "-", " -O", " -Oid"),
    *(" --output=x", " --no-index", " --ext-diff", " -C", " -f", " -e", " -1O", " --files0-from=-"),
    *("/", "..", " /etc/passwd", " ../x", " .git/config", " app/out/x", " app/config", "sh -c "),
    *(
        " -n",
        " -la",
        " -A3",
        " -20",
        " -s",
        " -p",
        " --",
        " --cached",
        " app",
        " 'a b'",
        " ",
        "# x",
    ),
)
edits = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 1), st.sampled_from(PIECES) | st.text(max_size=3)),
    max_size=2,
)


def edited(text: str, changes: list[tuple[int, int, str]]) -> str:
    """Return a text with pieces put in at the ends of words, or in place of the blank there."""
    for place, length, piece in changes:
        ends = [0, *(found.start() for found in re.finditer(r"(?= )|(?<= )|$", text))]
        start = ends[place % len(ends)]
        text = text[:start] + piece + text[start + length :]
    return text


def is_covered(text: str) -> bool:
    """Return whether a text is one of the commands above, with its own options and safe paths."""
    if NO_COMMANDS_TEXT.search(text):
        return False
    words = shlex.split(text)
    if words[:2] == ["git", "--no-pager"]:
        del words[1]
    if " ".join(words) in ALONE:
        return True
    name = next((name for name in OPTIONS if words[: len(name.split())] == name.split()), "")
    rest = words[len(name.split()) :]
    options = [word[1:] for word in rest if word[:1] == "-"]
    paths = [word for word in rest if word[:1] != "-"]
    if "grep" in name:
        del paths[:1]
    are_listed = all(re.fullmatch(OPTIONS[name], option) for option in options) if name else False
    leads_out = re.compile(r"/|\.\.(/|$)|\.git(/|$)|app/(out|config)(/|$)", re.IGNORECASE)
    return are_listed and not any(leads_out.match(os.path.normpath(path)) for path in paths)


@pytest.mark.figure
def test_p2_no_text_is_answered_yes_that_the_list_does_not_cover_exactly(
    project: Path, how_many: Callable[[int, int], int]
) -> None:
    count, allowed = how_many(1_000, 100_000), []

    @settings(max_examples=count, database=None, derandomize=count < MANY, deadline=None)
    @given(st.sampled_from(EVERYDAY), edits)
    def answered(command: str, changes: list[tuple[int, int, str]]) -> None:
        text = edited(command, changes)
        if reason(project, text, "", "make lint") == "":
            allowed.append(text)
            assert is_covered(text)

    answered()
    read = {text: shlex.split(text) for text in allowed}

    print(f"{count:,} texts, {len(allowed):,} answered yes")
    assert len(allowed) > count // 50
    for shell in ("sh", "bash"):
        assert {text: words_of(shell, text, project) for text in read} == read


def words_of(shell: str, text: str, folder: Path) -> list[str]:
    """Return the words that a shell makes of a text."""
    done = subprocess.run(
        [shell, "-c", rf"printf '%s\0' {text}"], cwd=folder, capture_output=True, check=True
    )
    return done.stdout.decode().split("\0")[:-1]


def test_p2_git_runs_no_hook_and_opens_no_pager_when_an_agent_reads(
    client: ScriptedClient, root: Path
) -> None:
    client.driver({}).take(a_turn(root), client.tell)
    given = client.environment()

    assert (given["GIT_OPTIONAL_LOCKS"], given["GIT_PAGER"]) == ("0", "cat")
    for hook_runs, environment in ((True, {}), (False, {"GIT_OPTIONAL_LOCKS": "0"})):
        assert status_runs_a_hook(root / f"{hook_runs}", environment) is hook_runs


def status_runs_a_hook(folder: Path, environment: dict[str, str]) -> bool:
    """Return whether `git status` runs a hook in a work tree whose file has a new time."""
    hook = folder / "hooks/post-index-change"
    hook.parent.mkdir(parents=True)
    hook.write_text("#!/bin/sh\ntouch ran\n")
    hook.chmod(0o755)
    (folder / "a.js").write_text("a")
    for words in ("init -q", "add a.js", "config core.hooksPath hooks"):
        subprocess.run(["git", "-C", str(folder), *words.split()], check=True)
    os.utime(folder / "a.js", (1, 1))
    subprocess.run(
        ["git", "-C", str(folder), "status"],
        check=True,
        capture_output=True,
        env={**os.environ, **environment},
    )
    return (folder / "ran").exists()
