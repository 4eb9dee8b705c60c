"""`pipeline run`: one issue from its prompt to a pull request, shown while it happens."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import interruptible
from pipeline.drivers.registry import DRIVERS
from pipeline.files import is_inside
from pipeline.forges.local import Local
from pipeline.forges.registry import FORGES
from pipeline.run.progress import Lines, json_line
from pipeline.run.stages import STAGES
from pipeline.terminal.arguments import Arguments, Between, CommandOption, Switch, options_of
from pipeline.terminal.display import json_document, visible
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.fault import unusable
from pipeline.terminal.streams import agreed, deliver, tell
from pipeline.tiers import ROUTING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pipeline.forges.base import Forge
    from pipeline.git import Repository
    from pipeline.run.assignment import Assignment, Prompt
    from pipeline.run.context import Run
    from pipeline.run.settings import Setting

_SECONDS = 1800  # for one turn of an agent: a worker may run a project's tests several times
_DAY = 86_400
_EPILOG = """\
examples:
  python3 -m pipeline run "work on issue ISSUE-202: page through the list of notes" --client claude
  python3 -m pipeline run "work on issue ISSUE-7: add a GET /health endpoint" --project sandbox \\
      --client claude --forge github
  python3 -m pipeline run "work on issue #12" --client claude --forge github
  python3 -m pipeline run "work on issue ISSUE-7: …" --command 'my-agent -p {prompt}'

A run that was stopped or killed continues where it stopped: run the same command again.
To see a run without any agent: python3 -m pipeline demo ISSUE-202
"""


def add_options(parser: Arguments) -> None:
    """Add the options of `pipeline run`."""
    parser.description, parser.epilog = None, _EPILOG  # a terminal has 24 lines
    parser.argument_default = ""
    parser.common = (
        "--help",
        "--project",
        "--until",
        "--driver",
        "--client",
        "--command",
        "--forge",
    )
    add = parser.add_argument
    prompt = '"work on issue ISSUE: <task>"; ISSUE is an id, or #123 or an address of a forge'
    add("prompt", metavar="PROMPT", help=prompt)
    add("--project", metavar="DIR", help="the target project (default: the repository)")
    add(
        "--issue-file", metavar="FILE", help="the issue in Markdown (default: issues/<issue_id>.md)"
    )
    add("--tier", choices=tuple(ROUTING), help="use this tier instead of classifying the task")
    apart = "work in a work tree of its own, .pipeline/worktrees/<issue_id>, removed at the end"
    add("--worktree", action=Switch, help=apart)
    add("--retry", action="store_true", help="ask the worker again after it was blocked or failed")
    continues = "take up review comments and failing checks of the pull request (GitHub)"
    add("--continue", dest="continued", action="store_true", help=continues)
    ends = "stop after this stage; to continue, run without --until"
    add("--until", choices=[stage.name for stage in STAGES[:-1]], help=ends)
    shows = "show stages, agents, models, commands and limits, and start nothing"
    add("--dry-run", action="store_true", help=shows)
    add("--no-settings", action="store_true", help="use no options of pipeline.toml")
    signs = "sign a statement about each artifact with this private key (made by pipeline witness)"
    keeps = "keep what agents are asked and answer, in transcript.jsonl beside the artifacts"
    add("--transcript", action=Switch, help=keeps)
    add("--witness", metavar="KEY", help=signs)
    add("-v", "--verbose", action=Switch, help="list the refused requests of the agents")
    add("--json", dest="as_json", action=Switch, help="print events as lines of JSON")
    _add_driver(parser.add_argument_group("who does the work").add_argument)
    _add_judges(parser.add_argument_group("when the work is good enough").add_argument)
    _add_limits(parser.add_argument_group("when the run stops, to be continued").add_argument)
    _add_forge(parser.add_argument_group("where the pull request is opened").add_argument)
    parser.set_defaults(command=partial(_run, options_of(parser)))


def _add_driver(add: Callable[..., Any]) -> None:
    drivers = "acp: an agent client (default); command: any program"
    add("--driver", metavar="NAME", choices=DRIVERS, help=drivers)
    add("--client", metavar="NAME", help="acp: claude, cursor, ... (default: the one on PATH)")
    add("--client-command", metavar="COMMAND", help="acp: the command that starts the client")
    template = "command: the program, such as 'my-agent -p {prompt}'"
    add("--command", metavar="TEMPLATE", dest="template", help=template)
    several: dict[str, Any] = {"action": "append", "default": []}
    models = "the model for one role or all roles; can be repeated"
    add("--model", metavar="[ROLE=]ID", dest="models", help=models, **several)
    add("--delegate", action=Switch, help="acp: let the planner dispatch the other roles")
    passed = "let the agents have this environment variable; can be repeated"
    add("--pass-env", metavar="NAME", dest="passed", help=passed, **several)
    allowed = "without a jail: let the agents run exactly this command; can be repeated"
    add("--allow-command", metavar="COMMAND", dest="commands", help=allowed, **several)
    reads = "let the agents read this folder; can be repeated"
    add("--allow-read", metavar="DIR", dest="readable", help=reads, **several)
    writes = "let the agents, and commit hooks, write to this folder; can be repeated"
    add("--allow-write", metavar="DIR", dest="writable", help=writes, **several)
    offline = "give the agents no network, so that they also reach no service of this machine"
    add("--offline", action=Switch, help=offline)
    online = "give the tests and the hooks of the commit the network"
    add("--allow-network", action=Switch, dest="hooks_online", help=online)
    no_jail = "let the agents see and change all that you can; they ask before they run a command"
    add("--no-jail", action=Switch, help=no_jail)
    seconds = f"the time limit for one turn of an agent, and for the tests (default: {_SECONDS})"
    add("--seconds", metavar="N", type=Between(1, _DAY), default=_SECONDS, help=seconds)


def _add_judges(add: Callable[..., Any]) -> None:
    tests = "the command that runs the project's tests (default: by the nearest manifest)"
    add("--test-command", metavar="COMMAND", help=tests)
    allow = "publish work whose tests fail; the pull request says so"
    add("--allow-failing-tests", action=Switch, dest="allow_failing", help=allow)
    attempts = "turns of the worker until the tests pass (default: 3)"
    add("--attempts", metavar="N", type=Between(1, 20), default=3, help=attempts)
    rounds = "how often a review may send the work back (default: 1)"
    add("--rounds", metavar="N", type=Between(0, 20), default=1, help=rounds)


def _add_limits(add: Callable[..., Any]) -> None:
    turns = "before more turns of agents than this, those of earlier runs of the issue included"
    add("--max-turns", metavar="N", type=Between(1, 10_000), default=None, help=turns)
    tokens = "before a turn, once the issue's turns have used so many tokens"
    add("--max-tokens", metavar="N", type=Between(1, 10**12), default=None, help=tokens)
    minutes = "after so many minutes, the turns of earlier runs included"
    add("--max-minutes", metavar="N", type=Between(0.01, 100_000), default=None, help=minutes)


def _add_forge(add: Callable[..., Any]) -> None:
    local = "local (default): a page in .pipeline/forge/"
    add("--forge", choices=tuple(FORGES), default="local", help=local)
    remote = "the git remote to push to (default: origin)"
    add("--remote", metavar="NAME", default="origin", help=remote)
    add("--base", metavar="BRANCH", help="the branch to merge into (default: the current branch)")
    add("--branch", metavar="NAME", help="the branch to create (default: feature/<slug>)")
    add("--signoff", action=Switch, help="end the commit's message with your Signed-off-by")
    add("--draft", action=Switch, help="open the pull request as a draft")
    several: dict[str, Any] = {"action": "append", "default": []}
    label = "give the pull request this label; can be repeated"
    add("--label", metavar="NAME", dest="labels", help=label, **several)
    reviewer = "ask this person, or ORGANIZATION/TEAM, for a review; can be repeated"
    add("--reviewer", metavar="NAME", dest="reviewers", help=reviewer, **several)


def _run(options: Sequence[CommandOption], **given: Any) -> int:
    from pipeline.git import Repository
    from pipeline.run.assignment import parse_prompt, root_of
    from pipeline.run.runner import run_issue
    from pipeline.run.worktree import leave, own_work_tree

    interruptible()  # first end the agent's client and the live line
    prompt = parse_prompt(given["prompt"])
    project = given.get("project", "")
    root = root_of(project)
    settings = _with_settings(Repository(root), options, given)
    given["models"] = _models(given["models"])
    about = _assignment(prompt, root, project or given["project"], given)
    home, is_apart = Repository(root), given["worktree"] and not given["dry_run"]
    if is_apart:
        root, given["base"] = own_work_tree(home, about, given["base"])
        about = replace(about, root=root)
    lines = Lines(is_verbose=given["verbose"])
    run = _run_of(about, home.root if is_apart else "", lines, given)
    code = FAILED
    try:
        if given["dry_run"]:
            return _previewed(run, given, settings)
        code = run_issue(run)
        return code
    finally:
        lines.close()
        run.driver.close()
        if is_apart and (place := leave(home, about, done=code == PASSED and not run.until)):
            tell(f"The work tree is kept: {place}")


def _with_settings(
    repository: Repository, options: Sequence[CommandOption], given: dict[str, Any]
) -> dict[str, Setting]:
    """Add to what is given the settings of the repository and the defaults; return all values."""
    from pipeline.run.settings import allow, settings_of

    for option in options:
        number = given.get(option.dest)
        if option.bounds and number is not None and not option.bounds.includes(number):
            raise unusable(f"--{option.name} {visible(str(number))}: expected {option.bounds}")
    settings = settings_of(repository, options, given)
    if not given.get("dry_run"):
        allow(repository, settings)
    if "project" not in given and settings["project"].value:
        folder = os.path.join(repository.root, settings["project"].value)
        is_here = is_inside(os.path.realpath(folder), os.path.realpath(repository.root))
        if not (is_here and os.path.isdir(folder)):
            raise unusable(
                f"{settings['project'].origin}: project: is not a folder in the repository"
            )
        settings["project"] = settings["project"]._replace(value=folder)
    given.update((option.dest, settings[option.name].value) for option in options)
    return settings


def _run_of(about: Assignment, home: str, lines: Lines, given: Mapping[str, Any]) -> Run:
    """Return the run; `home` is the user's work tree if the run has one of its own."""
    from pipeline.drivers.processes import mark_of_git
    from pipeline.drivers.registry import DriverOptions, driver
    from pipeline.git import Repository
    from pipeline.run.context import Run

    made = driver(DriverOptions(**{f.name: given[f.name] for f in fields(DriverOptions)}))
    if given["max_tokens"] and not made.counts_tokens:
        name = made.client or made.name
        raise unusable(
            f"--max-tokens: {name} does not report tokens (use --max-turns or --max-minutes)"
        )
    attester = None
    if given["witness"]:
        from pipeline.signing.attester import Attester

        attester = Attester(given["witness"], about.root)
    taken = {field.name for field in fields(Run)} - {"driver", "forge"}
    mark = mark_of_git(about.root, about.issue)
    return Run(
        about=about,
        repository=Repository(about.root, mark, hooks=made.allowed is None),
        driver=made,
        forge=_forge(given, home),
        listen=json_line if given["as_json"] else lines,
        attester=attester,
        ask=lambda question: agreed(question) is not False,
        **{name: value for name, value in given.items() if name in taken},
    )


def _previewed(run: Run, given: Mapping[str, Any], settings: Mapping[str, Setting]) -> int:
    from pipeline.run.preview import as_text, preview_of

    command = given["template"] or given["client_command"] or run.driver.client or run.driver.name
    preview = preview_of(run, command, given["seconds"], settings)
    deliver(json_document(preview) if given["as_json"] else as_text(preview))
    return PASSED


def _assignment(prompt: Prompt, root: str, project: str, given: Mapping[str, Any]) -> Assignment:
    from pipeline.run.assignment import assign
    from pipeline.run.received import received

    path = given["issue_file"]
    if prompt.place:
        where = {"remote": given["remote"], "forge": given["forge"]}
        prompt = received(prompt, root, project, **where, fetch=not path)
    return assign(prompt, root, project, path, given["tier"])


def _forge(given: Mapping[str, Any], home: str) -> Forge:
    """Return the forge; the local one of a run with its own work tree is in the user's, `home`."""
    name = given["forge"]
    forge = Local(home) if home and name == "local" else FORGES[name](given["remote"])
    for word in ("draft", "labels", "reviewers"):
        if given[word] and word not in forge.takes:
            option = f"--{word.removesuffix('s')}"
            raise unusable(f"{option}: {name} has no way to set it with a push (leave it out)")
    return forge


def _models(words: Sequence[str]) -> dict[str, str]:
    """Return the model of each role; `*` is every role."""
    from pipeline.agents.source import pack

    roles = [agent.name for agent in pack().agents]
    models = {}
    for word in words:
        role, equals, model = word.partition("=")
        if not (equals and role.startswith("x-")):
            role, model = "*", word
        elif role not in roles:
            known = ", ".join(roles)
            raise unusable(f"--model {visible(word)}: no such role (expected one of {known})")
        models[role] = model
    return models
