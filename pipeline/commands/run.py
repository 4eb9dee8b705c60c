"""`pipeline run`: one issue from its prompt to a pull request, shown while it happens."""

from __future__ import annotations

import json
import sys
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import interruptible
from pipeline.forges.registry import FORGES
from pipeline.terminal.display import inert_json, visible
from pipeline.terminal.fault import unusable
from pipeline.terminal.streams import ReaderGone, Undelivered, agreed, columns, deliver, tell
from pipeline.tiers import ROUTING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.agents.clients.base import Profile
    from pipeline.drivers.base import Driver
    from pipeline.run.assignment import Assignment
    from pipeline.run.dispatch import Event
    from pipeline.signing.attester import Attester

VERSION = 1  # of the events
_SECONDS = 1800  # for one turn of an agent: a worker may run a project's tests several times
_DAY = 86_400
_TICK = 0.5  # seconds between two pictures of a stage that is going on
_DETAIL = 60
_ROOM = 20  # columns that the names of stage and role take before what the agent does
_EPILOG = """\
examples:
  python3 -m pipeline run "work on issue ISSUE-202: page through the list of notes" --client claude
  python3 -m pipeline run "work on issue ISSUE-7: add a GET /health endpoint" --project sandbox \\
      --client claude --forge github
  python3 -m pipeline run "work on issue ISSUE-7: …" --driver command \\
      --command 'my-agent -p {prompt}'

A run that was stopped or killed continues where it was: give the same command again.
To see a run without any agent: pipeline demo ISSUE-202
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """What a user asked for; a text that was not given is empty."""

    prompt: str
    project: str
    issue_file: str
    tier: str
    retry: bool
    until: str
    witness: str
    verbose: bool
    as_json: bool
    driver: str
    client: str
    template: str
    client_command: str
    models: Sequence[str]
    delegate: bool
    passed: Sequence[str]
    seconds: int
    forge: str
    remote: str
    base: str
    branch: str


def add(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("run", help="take one issue to a pull request", epilog=_EPILOG)
    parser.set_defaults(command=lambda **given: _run(Options(**given)))
    parser.common = (
        "--help",
        "--project",
        "--until",
        "--client",
        "--command",
        "--forge",
    )
    parser.add_argument(
        "prompt", metavar="PROMPT", help='"work on issue <issue_id>: <task description>"'
    )
    _text(parser, "--project", "DIR", "the target project (default: the repository)")
    where = "issues/<issue_id>.md of the project or the sandbox"
    _text(parser, "--issue-file", "FILE", f"the issue's text (default: {where})")
    _choice(parser, "--tier", tuple(ROUTING), "do not classify the task")
    blocked = "its result says that it is blocked or has failed"
    _flag(parser, "--retry", f"ask the worker again although {blocked}")
    ends = "end after this stage; the same command without it continues"
    _choice(parser, "--until", ("plan", "implement", "review"), ends)
    signs = "sign what is seen of each artifact with this private key (pipeline witness keygen)"
    _text(parser, "--witness", "KEY", signs)
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="list what agents were refused"
    )
    parser.add_argument(
        "--json", dest="as_json", action="store_true", help="print events, one JSON line each"
    )
    _add_driver(parser.add_argument_group("who does the work"))
    _add_forge(parser.add_argument_group("where the pull request is opened"))


def _add_driver(group: Any) -> None:
    drivers = (
        "acp: an agent's client that speaks the Agent Client Protocol; command: any program "
        "(default: acp, with the client of --client, or else with the one on PATH; it asks first)"
    )
    _choice(group, "--driver", ("acp", "command"), drivers)
    _text(group, "--client", "NAME", "acp: such as claude or cursor")
    starts = "acp: what starts the client, where it is another one or not as usual"
    _text(group, "--client-command", "COMMAND", starts)
    template = "command: the program and its words, such as 'my-agent -p {prompt}'"
    group.add_argument("--command", metavar="TEMPLATE", dest="template", default="", help=template)
    models = "the model of one role, or of all; may be given several times"
    _several(group, "--model", "[ROLE=]ID", "models", models)
    _flag(group, "--delegate", "acp: have one planner dispatch the roles by its client's own tool")
    passed = "acp: hand a variable of the environment to the client"
    _several(group, "--pass-env", "NAME", "passed", passed)
    seconds = f"how long one turn of an agent may take (default: {_SECONDS})"
    group.add_argument("--seconds", metavar="N", type=_seconds, default=_SECONDS, help=seconds)


def _add_forge(group: Any) -> None:
    group.add_argument(
        "--forge",
        choices=tuple(FORGES),
        default="local",
        help="local (the default): a bare repository and a page below .pipeline/forge/",
    )
    _text(group, "--remote", "NAME", "of the forge (default: origin)", default="origin")
    base = "what the pull request is for (default: the branch that is checked out)"
    _text(group, "--base", "BRANCH", base)
    _text(group, "--branch", "NAME", "the branch to make (default: feature/<slug>)")


def _text(parser: Any, name: str, metavar: str, about: str, default: str = "") -> None:
    parser.add_argument(name, metavar=metavar, default=default, help=about)


def _several(parser: Any, name: str, metavar: str, dest: str, about: str) -> None:
    parser.add_argument(name, metavar=metavar, dest=dest, action="append", default=[], help=about)


def _choice(parser: Any, name: str, choices: tuple[str, ...], about: str) -> None:
    parser.add_argument(name, choices=choices, default="", help=about)


def _flag(parser: Any, name: str, about: str) -> None:
    parser.add_argument(name, action="store_true", help=about)


def _seconds(text: str) -> int:
    import argparse

    if text.isascii() and text.isdecimal() and 0 < int(text[:9]) <= _DAY:
        return int(text)
    raise argparse.ArgumentTypeError(f"{visible(text)}: expected whole seconds, from 1 to {_DAY}")


def _run(options: Options) -> int:
    from pipeline.git import Repository
    from pipeline.run.dispatch import Run
    from pipeline.run.runner import run_issue

    interruptible()  # an agent's client and the live line are to be ended first
    about = _assignment(options)
    attester = _attester(options, about.root)
    driver = _driver(options)
    view = JsonLines() if options.as_json else Lines(is_verbose=options.verbose)
    try:
        return run_issue(
            Run(
                about=about,
                repository=Repository(about.root),
                driver=driver,
                forge=FORGES[options.forge](options.remote),
                listen=view,
                delegate=options.delegate,
                retry=options.retry,
                until=options.until,
                base=options.base,
                branch=options.branch,
                remote=options.remote,
                attester=attester,
            )
        )
    finally:
        view.close()
        driver.close()


def _assignment(options: Options) -> Assignment:
    from pipeline.run.assignment import assign, parse_prompt, place_of

    prompt = parse_prompt(options.prompt)
    root, project = place_of(options.project)
    return assign(prompt, root, project, options.issue_file, options.tier)


def _attester(options: Options, root: str) -> Attester | None:
    if not options.witness:
        return None
    from pipeline.signing.attester import Attester

    return Attester(options.witness, root, _models(options.models))


def _driver(options: Options) -> Driver:
    """Return the driver that was asked for, or the one client on PATH once the user agrees."""
    from pipeline.drivers.registry import driver

    found = None if options.driver or options.client else _found_client(options)
    made = driver(
        options.driver or "acp",
        client=found.name if found else options.client,
        client_command=options.client_command,
        command=options.template,
        models=_models(options.models),
        passed=options.passed,
        seconds=options.seconds,
        delegate=options.delegate,
    )
    if found:
        _ask(found)
    return made


def _found_client(options: Options) -> Profile:
    import shutil

    from pipeline.agents.clients import PROFILES, installed

    if options.template or options.client_command:
        raise unusable("--command needs --driver command, and --client-command --client NAME")
    found = installed(shutil.which)
    if len(found) == 1:
        return found[0]
    if found:
        names = [f"  --client {each.name:<10}{each.program}" for each in found]
        raise unusable(f"{len(found)} agents' clients are on PATH: choose one", *names)
    raise unusable(
        "no agent's client is on PATH: install one, and log in",
        *(f"  {each.name:<10}{each.install}" for each in PROFILES.values()),
        "or name any program with --driver command",
        "To see a run without an agent: python3 -m pipeline demo",
    )


def _ask(client: Profile) -> None:
    """Ask on a terminal whether a client that was found is to be started."""
    found = f"found one agent's client: {client.name} ({client.program})"
    answer = agreed(f"pipeline: {found}\nStart it?")
    if answer is None:
        raise unusable(f"{found}; to start it, give --driver acp --client {client.name}")
    if not answer:
        raise unusable("nothing was started")


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
            raise unusable(f"--model {visible(word)}: no such role (expected {known})")
        models[role] = model
    return models


class _Output:
    """Stdout; a run also continues when its reader is gone."""

    def __init__(self) -> None:
        self._is_gone = False

    def write(self, text: str) -> None:
        """Write to stdout until it has gone."""
        try:
            if not self._is_gone:
                deliver(text)
        except (ReaderGone, Undelivered):
            self._is_gone = True


class JsonLines:
    """Each event as one line of JSON, for machines; the fields are in docs/reference/run.md."""

    def __init__(self) -> None:
        self._out = _Output()

    def __call__(self, event: Event) -> None:
        """Write one event."""
        fields: dict[str, Any] = {"version": VERSION, "event": event.what, "issue": event.issue}
        texts = {"stage": event.stage, "role": event.role, "text": event.text}
        fields.update((name, value) for name, value in texts.items() if value)
        if event.seconds:
            fields["seconds"] = round(event.seconds, 3)
        text = json.dumps({**fields, **(event.data or {})})
        # The same document: GitHub's runner obeys `##[command]` anywhere in what a job prints.
        self._out.write(inert_json(text) + "\n")

    def close(self) -> None:
        """Nothing is left on the screen."""


class Lines:
    """A line for each stage when it is over; on a terminal a live line while it is going on."""

    def __init__(self, *, is_verbose: bool = False) -> None:
        self._out = _Output()
        self._is_verbose = is_verbose
        self._refusals = 0
        self._live = _LiveLine() if sys.stderr.isatty() else None

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if self._live and event.what in ("dispatched", "progress"):
            self._live.show(f"{event.stage:<10}{event.role:<17}", event.text)
            return
        self.close()
        if event.what == "refused":
            self._refusals += 1
            if self._is_verbose:
                self._out.write(_stage(event, "x", f"refused: {event.text}"))
        elif event.what == "stopped":
            first, *more = (event.data or {}).get("lines", [event.text])
            tell(f"pipeline: {event.issue} stopped: {visible(first, 2000)}")
            for line in more:
                tell(f"  {visible(line, 600)}")
        elif event.what in _SENTENCES:
            self._out.write(_SENTENCES[event.what](event))
        if event.what == "ended" and self._refusals:
            self._out.write(_refused(self._refusals, is_verbose=self._is_verbose))

    def close(self) -> None:
        """Take the live line off the screen."""
        if self._live:
            self._live.clear()


def _begun(event: Event) -> str:
    data = event.data or {}
    where = "the repository" if data["target"] == "." else visible(data["target"], 200)
    return (
        f"{event.issue}: {visible(event.text, 200)}\n"
        f"{data['tier']}: {visible(data['reason'], 200)} ({', '.join(data['agents'])})\n"
        f"target project: {where}\n\n"
    )


def _stage(event: Event, mark: str, text: str) -> str:
    seconds = f"{event.seconds:.1f}"
    after = f"  {seconds} s" if seconds != "0.0" else ""
    return f"{mark} {event.stage:<10}{event.role:<17}{visible(text, 300)}{after}\n"


def _ended(event: Event) -> str:
    data = event.data or {}
    if data.get("code"):
        return ""
    if data.get("until"):
        until = data["until"]
        return f"\nEnded after {until}: the same command without --until continues.\n"
    return "\nThe pull request is ready for review.\n"


def _refused(count: int, *, is_verbose: bool) -> str:
    was, them = (
        ("request by an agent was", "it") if count == 1 else ("requests by agents were", "them")
    )
    return f"{count} {was} refused{'' if is_verbose else f': -v lists {them}'}.\n"


_SENTENCES = {
    "begun": _begun,
    "leftover": lambda event: f"! ended {visible(event.text)}, which an earlier run left running\n",
    "again": lambda event: _stage(event, "!", f"again: {event.text}"),
    "kept": lambda event: _stage(event, "=", f"{event.text} (kept)"),
    "done": lambda event: _stage(event, "+", event.text),
    "ended": _ended,
}


class _LiveLine:
    """One line on stderr that is redrawn: what runs, and for how long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._name = ""
        self._text = ""
        self._since = 0.0
        self._ended = threading.Event()
        self._ticker: threading.Thread | None = None

    def show(self, name: str, text: str) -> None:
        """Draw the line; begin to count where it is another stage's."""
        with self._lock:
            if name != self._name:
                self._name, self._since = name, time.monotonic()
            self._text = visible(text, _DETAIL)
            self._draw()
        if self._ticker is None:
            self._ended.clear()
            self._ticker = threading.Thread(target=self._tick, daemon=True)
            self._ticker.start()

    def clear(self) -> None:
        """Wipe the line and stop drawing it."""
        if self._ticker is None:
            return
        self._ended.set()
        self._ticker.join()
        self._ticker, self._name = None, ""
        _draw("\r\x1b[K")

    def _tick(self) -> None:
        while not self._ended.wait(_TICK):
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        line = f"~ {self._name}{int(time.monotonic() - self._since):>4} s  {self._text}"
        _draw("\r" + line[: max(columns(sys.stderr) - 1, _ROOM)] + "\x1b[K")


def _draw(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        return
