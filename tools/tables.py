"""The tables of pages that are made from the code, the corpus and the lists in this folder."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from glob import glob
from importlib import import_module
from inspect import getdoc, isclass, isfunction
from typing import TYPE_CHECKING, Any

from pipeline.agents.clients import CLIENTS
from pipeline.bootstrap import ROOT
from pipeline.drivers.acp.commands import TABLE as COMMANDS
from pipeline.files import size_of
from pipeline.protocol.conventions import TABLE
from pipeline.tiers import ROUTING
from tools.markdown import code, plain, table
from verify import api
from verify.course.exercises.expert.ex01_classify import SCENARIOS
from verify.intake.platforms import PLATFORMS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable

PEERS = "fixtures/peers/hostile.json"
CORPUS = "fixtures/hostile"
PROMISES = "tools/promises.json"  # each with the test that shows it
LIMITS = "tools/limits.json"  # by module and name: what it bounds, and the unit to show it in


def clients() -> str:
    """Return the command and the modes of each client."""
    rows = [
        (client.name, " ".join(client.argv), client.mode, client.reading, client.dispatching)
        for client in CLIENTS.values()
    ]
    head = ("client", "command", "mode", "for read-only roles", "with `--delegate`")
    return table(head, [[code(cell) for cell in row] for row in rows])


def client_places() -> str:
    """Return the files that are written for each client."""
    rows = [
        (
            code(client.name),
            code(client.places[0].file("*")),
            (
                f"a section of `{client.instructions}`"
                if client.instructions
                else code(client.places[1].file("*"))
            ),
            ", ".join(f"`{folder}/`" for folder in client.skills),
        )
        for client in CLIENTS.values()
    ]
    return table(("client", "agents", "rules", "skill"), rows)


def tiers() -> str:
    """Return the agents of each tier."""
    rows = [(code(tier), ", ".join(map(code, names))) for tier, names in ROUTING.items()]
    return table(("tier", "agents"), rows)


def scenarios() -> str:
    """Return the five scenarios with the answers that are expected."""
    rows = []
    for scenario in SCENARIOS:
        exact = scenario.most_files == scenario.least_files
        files = f"{scenario.least_files}" if exact else f"{scenario.least_files} or more"
        rows.append((plain(scenario.task), files, scenario.domain_scope, code(scenario.tier)))
    return table(("task", "files", "domains", "tier"), rows)


def limits() -> str:
    """Return each limit: what it bounds, its value, and its place in the code."""
    rows = []
    for module, bounds in _read(LIMITS).items():
        for name, (what, unit) in bounds.items():
            value = getattr(import_module(module), name)
            shown = size_of(value) if unit == "bytes" else f"{value:,.10g} {unit}".rstrip()
            rows.append((what, shown, code(f"{module}.{name}")))
    return table(("limit on", "value", "in the code"), rows, right=("value",))


def rosters() -> str:
    """Return the tables of the platforms that are rosters as they are."""
    rows = [
        (
            platform.title,
            platform.roster.table,
            platform.roster.known_by,
            platform.roster.identities,
        )
        for platform in PLATFORMS
        if platform.roster
    ]
    return table(("platform", "table", "recognised by", "numbers and logins"), rows)


def downloads() -> str:
    """Return what each platform says of its downloads, as sections of a page."""
    texts = {
        platform.title: (getdoc(platform) or "").partition("\n\n")[2] for platform in PLATFORMS
    }
    return "\n\n".join(f"## {title}\n\n{text}" for title, text in texts.items() if text)


def commands_that_read() -> str:
    """Return the commands that read and their options."""
    rows = [(code(name), code(line) if line else "") for name, line in COMMANDS["reading"].items()]
    alone = [(code(text), "without arguments") for text in COMMANDS["exact"]]
    return table(("command", "options"), [*rows, *alone])


def commands_of_tests() -> str:
    """Return the commands that run a project's tests."""
    rows = [
        (code(manifest), *("<br>".join(map(code, texts)) for texts in commands.values()))
        for manifest, commands in COMMANDS["tests"].items()
    ]
    return table(("file of the project", "in its folder", "in the root of the repository"), rows)


def peers() -> str:
    """Return what five peers and this project make of odd and hostile artifacts.

    Raises:
        KeyError: a row names no case of the corpus.
    """
    found, cases = _read(PEERS), _cases()
    head = ["`plan.json`", *found["columns"], "here"]
    rows = [
        [row["input"], *row["peers"], _result(cases[row["case"]]["grade"])] for row in found["rows"]
    ]
    return table(head, rows)


def other_graders() -> str:
    """Return what happened to other graders; raises `KeyError` as `peers`."""
    cases = _cases()
    rows = [
        (
            row["system"],
            f"{row['what']} ({row['source']})",
            row["here"],
            code(cases[row["case"]]["name"]),
        )
        for row in _read(PEERS)["others"]
    ]
    return table(("grader", "what happened", "here", "case"), rows)


def corpus() -> str:
    """Return how many cases each file of the corpus has."""
    files = {name: _read(f"{CORPUS}/{name}") for name in _corpus_names()}
    rows = [
        (f"[`{name}`](../../{CORPUS}/{name})", str(len(file["cases"])), file["about"].rstrip("."))
        for name, file in files.items()
    ]
    total = sum(len(file["cases"]) for file in files.values())
    return table(("file", "cases", "what they are"), [*rows, ("all", str(total), "")])


def promises() -> str:
    """Return what is promised and which test shows it; raises `KeyError` if a test is gone."""
    rows = []
    for promise, test in _read(PROMISES).items():
        path, _, name = test.partition("::")
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            if f"def {name or 'test_'}" not in file.read():
                raise KeyError(test)
        rows.append((promise, code(test)))
    return table(("promise", "shown by"), rows)


def _result(grade: list[str]) -> str:
    return "accepted, as documented" if grade[0] == "pass" else f"fails: {grade[2]}"


def _corpus_names() -> list[str]:
    return sorted(os.listdir(os.path.join(ROOT, CORPUS)))


def _cases() -> dict[str, dict[str, Any]]:
    files = (_read(f"{CORPUS}/{name}") for name in _corpus_names())
    return {case["name"]: case for file in files for case in file["cases"]}


def _read(path: str) -> dict[str, Any]:
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def test_conventions() -> str:
    """Return the files that are tests, with the page that says so."""
    with open(TABLE, encoding="utf-8") as file:
        rows = json.load(file)["tests"]
    head = ("language: test runner", "endings", "names", "folders", "example")
    cells = [
        (
            f"[{plain(row['name'])}]({row['source']})",
            *(" ".join(map(code, row[field])) for field in ("endings", "names", "folders")),
            code(row["example"]),
        )
        for row in rows
    ]
    return table(head, cells)


def test_neutral() -> str:
    """Return the source files that may come at any time."""
    with open(TABLE, encoding="utf-8") as file:
        rows = json.load(file)["neutral"]
    cells = [
        (row["what"], *(" ".join(map(code, row[field])) for field in ("names", "folders")))
        for row in rows
    ]
    return table(("what", "names", "folders"), cells)


def rooms() -> str:
    """Return the modules and folders of the layers that the import linter keeps, the top first."""
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    rows = [
        (code(_path(f"{container}.{name}")), _purpose(f"{container}.{name}"))
        for contract in contracts
        for container in contract.get("containers", ())
        for name in re.findall(r"\w+", " ".join(contract["layers"]))
    ]
    return table(("path", "content"), rows)


def exceptions() -> str:
    """Return the exceptions that others catch, each below what it is a kind of."""
    classes: dict[str, tuple[str, str, str]] = {}
    for path in sorted(glob("*/**/*.py", root_dir=ROOT, recursive=True)):
        if path.partition("/")[0] in ("pipeline", "verify"):
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                body = ast.parse(file.read()).body
            for node in body:
                if isinstance(node, ast.ClassDef) and node.bases and node.name[0] != "_":
                    said = (ast.get_docstring(node) or "").partition("\n\n")[0]
                    base = ast.unparse(node.bases[0])
                    classes[node.name] = (base, path, plain(" ".join(said.split())))
    rows = []
    for root in ("Exception", "OSError", "ValueError", "RuntimeError"):
        rows += _below(classes, root, 0)
    return table(("exception", "module", "what it says"), rows)


def _below(classes: dict[str, tuple[str, str, str]], base: str, level: int) -> list[list[str]]:
    rows = []
    for name, (kind, path, said) in classes.items():
        if kind == base:
            rows += [
                ["→ " * level + code(name), code(path), said],
                *_below(classes, name, level + 1),
            ]
    return rows


def _path(module: str) -> str:
    path = module.replace(".", "/")
    return f"{path}/" if os.path.isdir(os.path.join(ROOT, path)) else f"{path}.py"


def _purpose(module: str) -> str:
    """Return the first sentence of a module's docstring; nothing is imported."""
    path = _path(module)
    source = f"{path}__init__.py" if path.endswith("/") else path
    with open(os.path.join(ROOT, source), encoding="utf-8") as file:
        said = ast.get_docstring(ast.parse(file.read())) or ""
    return plain(" ".join(said.partition("\n\n")[0].split()))


def own_course_api() -> str:
    """Return what a course of one's own may import, with what each name is for."""
    there = ((name, getattr(api, name)) for name in api.__all__)
    rows = [
        (code(name), " ".join((value.__doc__ or "").split("\n\n")[0].split()))
        for name, value in there
        if isclass(value) or isfunction(value)
    ]
    return table(("name", "what it is"), rows)


TABLES: dict[str, Callable[[], str]] = {
    "clients": clients,
    "client-places": client_places,
    "tiers": tiers,
    "scenario-table": scenarios,
    "commands-that-read": commands_that_read,
    "commands-of-tests": commands_of_tests,
    "limits": limits,
    "test-conventions": test_conventions,
    "test-neutral": test_neutral,
    "rosters": rosters,
    "downloads": downloads,
    "promises": promises,
    "hostile-peers": peers,
    "hostile-others": other_graders,
    "hostile-corpus": corpus,
    "own-course-api": own_course_api,
    "rooms": rooms,
    "exceptions": exceptions,
}
