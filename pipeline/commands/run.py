"""`pipeline run`: one issue from its prompt to a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import interruptible
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import UNUSABLE
from pipeline.terminal.streams import agreed, tell
from pipeline.tiers import ROUTING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.drivers.base import Driver
    from pipeline.drivers.profiles import Profile
    from pipeline.running.assignment import Assignment
    from pipeline.witness.attester import Attester

_SECONDS = 1800.0  # for one turn of an agent: a worker may run a project's tests several times
_EPILOG = """\
examples:
  python3 -m pipeline run "work on issue ISSUE-202: page through the list of notes" --client claude
  python3 -m pipeline run "work on issue ISSUE-7: add a GET /health endpoint" --project sandbox \\
      --client claude --forge github
  python3 -m pipeline run "work on issue ISSUE-7: …" --driver command \\
      --command 'my-agent -p {prompt}'

A run that was stopped or killed goes on where it was: give the same command again.
To see a run without any agent: pipeline demo ISSUE-202
"""


class _NotStarted(Exception):
    """There is no agent to start, or it is not wanted; the arguments are the lines to print."""


def add(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("run", help="take one issue to a pull request", epilog=_EPILOG)
    parser.set_defaults(command=_run)
    parser.add_argument(
        "prompt", metavar="PROMPT", help='"work on issue <issue_id>: <task description>"'
    )
    parser.add_argument(
        "--project", metavar="DIR", default="", help="the target project (default: the repository)"
    )
    parser.add_argument(
        "--issue-file",
        metavar="FILE",
        default="",
        help="the issue's text (default: issues/<issue_id>.md of the project or the sandbox)",
    )
    parser.add_argument(
        "--tier", choices=list(ROUTING), default="", help="do not classify the task"
    )
    parser.add_argument(
        "--retry",
        action="store_true",
        help="ask the worker again although its result says that it is blocked or has failed",
    )
    parser.add_argument(
        "--until",
        choices=("plan", "implement", "review"),
        default="",
        help="end after this stage; the same command without it goes on",
    )
    parser.add_argument(
        "--witness",
        metavar="KEY",
        default="",
        help="sign what is seen of each artifact with this private key (pipeline witness keygen)",
    )
    parser.add_argument(
        "--json", dest="as_json", action="store_true", help="print events, one JSON line each"
    )
    _add_driver(parser)
    _add_forge(parser)


def _add_driver(parser: Any) -> None:
    group = parser.add_argument_group("who does the work")
    group.add_argument(
        "--driver",
        choices=("acp", "command"),
        default="",
        help="acp: an agent's client that speaks the Agent Client Protocol; command: any program "
        "(default: acp, with the client of --client, or else with the one on PATH; it asks first)",
    )
    group.add_argument("--client", metavar="NAME", default="", help="acp: such as claude or cursor")
    group.add_argument(
        "--command",
        metavar="TEMPLATE",
        dest="template",
        default="",
        help="command: the program and its words, such as 'my-agent -p {prompt}'; "
        "acp: how the client is started, where it is not as usual",
    )
    group.add_argument(
        "--model",
        metavar="[ROLE=]ID",
        dest="models",
        action="append",
        default=[],
        help="the model of one role, or of all; may be given several times",
    )
    group.add_argument(
        "--delegate",
        action="store_true",
        help="acp: have one planner dispatch the roles by its client's own tool",
    )
    group.add_argument(
        "--pass-env",
        metavar="NAME",
        dest="passed",
        action="append",
        default=[],
        help="acp: hand a variable of the environment to the client",
    )
    group.add_argument(
        "--seconds",
        metavar="N",
        type=_seconds,
        default=_SECONDS,
        help=f"how long one turn of an agent may take (default: {_SECONDS:.0f})",
    )


def _add_forge(parser: Any) -> None:
    group = parser.add_argument_group("where the pull request is opened")
    group.add_argument(
        "--forge",
        choices=("local", "github", "gitlab", "gitea"),
        default="local",
        help="local (the default): a bare repository and a page below .pipeline/forge/",
    )
    group.add_argument(
        "--remote", metavar="NAME", default="origin", help="of the forge (default: origin)"
    )
    group.add_argument(
        "--base",
        metavar="BRANCH",
        default="",
        help="what the pull request is for (default: the branch that is checked out)",
    )
    group.add_argument(
        "--branch", metavar="NAME", default="", help="the branch to make (default: feature/<slug>)"
    )


def _seconds(text: str) -> float:
    import argparse

    if text.isascii() and text.isdecimal() and 0 < int(text[:9]) <= 86_400:  # noqa: PLR2004  # a day
        return float(text)
    raise argparse.ArgumentTypeError(f"{visible(text)}: expected whole seconds, from 1 to 86400")


def _run(**options: Any) -> int:
    from pipeline.commands.run_views import JsonLines, Lines

    interruptible()  # an agent's client and the live line are to be ended first
    view = JsonLines() if options.pop("as_json") else Lines()
    try:
        return _go(view, **options)
    finally:
        view.close()


def _go(view: Any, **options: Any) -> int:
    from pipeline.drivers.base import DriverFault
    from pipeline.forges.base import ForgeFault
    from pipeline.forges.registry import forge
    from pipeline.git import GitFault, Repository
    from pipeline.running.assignment import Unassignable
    from pipeline.running.dispatching import Run
    from pipeline.running.prompt import NotAPrompt
    from pipeline.running.runner import run_issue
    from pipeline.witness.keys import KeyFault

    try:
        about = _assignment(**options)
        place = forge(options["forge"], remote=options["remote"])
        attester = _attester(about.root, **options)
        found = _found_client(options)
        driver = _driver(found, **options)
        if found:
            _ask(found)
    except _NotStarted as refusal:
        for line in refusal.args:
            tell(line)
        return UNUSABLE
    except (NotAPrompt, Unassignable, DriverFault, ForgeFault, GitFault, KeyFault) as fault:
        tell(f"pipeline: {visible(str(fault), 2000)}")
        return UNUSABLE
    try:
        return run_issue(
            Run(
                about=about,
                repository=Repository(about.root),
                driver=driver,
                forge=place,
                listen=view,
                delegate=options["delegate"],
                retry=options["retry"],
                until=options["until"],
                base=options["base"],
                branch=options["branch"],
                remote=options["remote"],
                attester=attester,
            )
        )
    finally:
        driver.close()


def _attester(root: str, **options: Any) -> Attester | None:
    if not options["witness"]:
        return None
    from pipeline.witness.attester import Attester

    return Attester(options["witness"], root, _models(options["models"]))


def _assignment(**options: Any) -> Assignment:
    from pipeline.running.assignment import assign, place_of
    from pipeline.running.prompt import parse_prompt

    prompt = parse_prompt(options["prompt"])
    root, project = place_of(options["project"])
    return assign(prompt, root, project, options["issue_file"], options["tier"])


def _found_client(options: dict[str, Any]) -> Profile | None:
    """Return the one client on PATH where the user named no driver and no client, else None.

    Raises:
        _NotStarted: there is no client, or there are several.
    """
    import shutil

    from pipeline.drivers.profiles import installed

    if options["driver"] or options["client"]:
        return None
    if options["template"]:
        raise _NotStarted("pipeline: --command needs --driver command, or --client NAME")
    found = installed(shutil.which)
    if len(found) != 1:
        raise _NotStarted(*_choices(found))
    return found[0]


def _choices(found: Sequence[Profile]) -> list[str]:
    """Return what a user can choose from: the clients on PATH, or all that there are."""
    from pipeline.drivers.profiles import PROFILES

    if found:
        names = [f"  --client {each.name:<10}{each.program}" for each in found]
        return [f"pipeline: {len(found)} agents' clients are on PATH: choose one", *names]
    return [
        "pipeline: no agent's client is on PATH: install one, and log in",
        *(f"  {each.name:<10}{each.install}" for each in PROFILES.values()),
        "or name any program with --driver command",
        "To see a run without an agent: python3 -m pipeline demo",
    ]


def _ask(client: Profile) -> None:
    """Ask on a terminal whether a client that was found is to be started.

    Raises:
        _NotStarted: the answer is not yes, or there is no terminal.
    """
    found = f"pipeline: found one agent's client: {client.name} ({client.program})"
    answer = agreed(f"{found}\nStart it?")
    if answer is None:
        raise _NotStarted(f"{found}; to start it, give --driver acp --client {client.name}")
    if not answer:
        raise _NotStarted("pipeline: nothing was started")


def _driver(found: Profile | None, **options: Any) -> Driver:
    from pipeline.drivers.registry import driver

    return driver(
        options["driver"] or "acp",
        client=found.name if found else options["client"],
        command=options["template"],
        models=_models(options["models"]),
        passed=options["passed"],
        seconds=options["seconds"],
        delegate=options["delegate"],
    )


def _models(words: Sequence[str]) -> dict[str, str]:
    """Return the model of each role; `*` stands for every role.

    Raises:
        DriverFault: a word names a role that there is not.
    """
    from pipeline.agents.source import pack
    from pipeline.drivers.base import DriverFault

    roles = [agent.name for agent in pack().agents]
    models = {}
    for word in words:
        role, equals, model = word.partition("=")
        if not (equals and role.startswith("x-")):
            role, model = "*", word
        elif role not in roles:
            known = ", ".join(roles)
            raise DriverFault(f"--model {visible(word)}: no such role (expected {known})")
        models[role] = model
    return models
