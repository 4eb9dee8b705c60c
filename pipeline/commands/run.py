"""`pipeline run`: one issue from its prompt to a pull request, shown while it happens."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import interruptible
from pipeline.forges.registry import FORGES
from pipeline.terminal.display import json_document, visible
from pipeline.terminal.fault import unusable
from pipeline.terminal.streams import ReaderGone, Undelivered, agreed, columns, deliver, tell
from pipeline.tiers import ROUTING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pipeline.agents.clients.base import Profile
    from pipeline.drivers.base import Driver
    from pipeline.drivers.registry import DriverOptions
    from pipeline.run.dispatch import Event
    from pipeline.signing.attester import Attester

VERSION = 1  # of the events
_SECONDS = 1800  # for one turn of an agent: a worker may run a project's tests several times
_DAY = 86_400
_TICK = 0.5  # seconds between two redraws of the live line
_DETAIL = 60
_ROOM = 20  # columns that the names of stage and role take before what the agent does
_EPILOG = """\
examples:
  python3 -m pipeline run "work on issue ISSUE-202: page through the list of notes" --client claude
  python3 -m pipeline run "work on issue ISSUE-7: add a GET /health endpoint" --project sandbox \\
      --client claude --forge github
  python3 -m pipeline run "work on issue ISSUE-7: …" --driver command \\
      --command 'my-agent -p {prompt}'

A run that was stopped or killed continues where it stopped: run the same command again.
To see a run without any agent: pipeline demo ISSUE-202
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """What a user asked for of a run; a text that was not given is empty."""

    prompt: str
    project: str
    issue_file: str
    tier: str
    retry: bool
    until: str
    witness: str
    verbose: bool
    as_json: bool
    forge: str
    remote: str
    base: str
    branch: str


def add(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("run", help="take one issue to a pull request", epilog=_EPILOG)
    parser.argument_default = ""
    parser.set_defaults(command=_run)
    parser.common = ("--help", "--project", "--until", "--client", "--command", "--forge")
    add = parser.add_argument
    add("prompt", metavar="PROMPT", help='"work on issue <issue_id>: <task description>"')
    add("--project", metavar="DIR", help="the target project (default: the repository)")
    where = "issues/<issue_id>.md of the project or the sandbox"
    add("--issue-file", metavar="FILE", help=f"the issue's text (default: {where})")
    add("--tier", choices=tuple(ROUTING), help="use this tier instead of classifying the task")
    blocked = "its result says that it is blocked or has failed"
    add("--retry", action="store_true", help=f"ask the worker again even though {blocked}")
    ends = "stop after this stage; run the same command without this option to continue"
    add("--until", choices=("plan", "implement", "review"), help=ends)
    signs = "sign a statement about each artifact with this private key (pipeline witness keygen)"
    add("--witness", metavar="KEY", help=signs)
    add("-v", "--verbose", action="store_true", help="list the requests that were refused")
    events = "print events as JSON, one per line"
    add("--json", dest="as_json", action="store_true", help=events)
    _add_driver(parser.add_argument_group("who does the work").add_argument)
    _add_forge(parser.add_argument_group("where the pull request is opened").add_argument)


def _add_driver(add: Callable[..., Any]) -> None:
    drivers = (
        "acp: an agent client that speaks the Agent Client Protocol; command: any program "
        "(default: acp; without --client, it asks whether to start the client on PATH)"
    )
    add("--driver", choices=("acp", "command"), help=drivers)
    add("--client", metavar="NAME", help="acp: the client, such as claude or cursor")
    starts = "acp: the command that starts the client, if it is not the usual one"
    add("--client-command", metavar="COMMAND", help=starts)
    template = "command: the program and its arguments, such as 'my-agent -p {prompt}'"
    add("--command", metavar="TEMPLATE", dest="template", help=template)
    models = "the model for one role or for all roles; can be repeated"
    several: dict[str, Any] = {"action": "append", "default": []}
    add("--model", metavar="[ROLE=]ID", dest="models", help=models, **several)
    planner = "acp: let one planner dispatch the roles with its client's own tool"
    add("--delegate", action="store_true", help=planner)
    passed = "acp: pass this environment variable to the client"
    add("--pass-env", metavar="NAME", dest="passed", help=passed, **several)
    seconds = f"the time limit for one turn of an agent (default: {_SECONDS})"
    add("--seconds", metavar="N", type=_seconds, default=_SECONDS, help=seconds)


def _add_forge(add: Callable[..., Any]) -> None:
    local = "local (the default): a bare repository and a page in .pipeline/forge/"
    add("--forge", choices=tuple(FORGES), default="local", help=local)
    add("--remote", metavar="NAME", default="origin", help="the forge's remote (default: origin)")
    base = "the branch that the pull request targets (default: the current branch)"
    add("--base", metavar="BRANCH", help=base)
    add("--branch", metavar="NAME", help="the branch to create (default: feature/<slug>)")


def _seconds(text: str) -> int:
    import argparse

    if text.isascii() and text.isdecimal() and 0 < int(text[:9]) <= _DAY:
        return int(text)
    raise argparse.ArgumentTypeError(f"{visible(text)}: expected whole seconds, from 1 to {_DAY}")


def _run(**given: Any) -> int:
    from pipeline.drivers.registry import DriverOptions
    from pipeline.git import Repository
    from pipeline.run.assignment import assign, parse_prompt, place_of
    from pipeline.run.dispatch import Run
    from pipeline.run.runner import run_issue

    interruptible()  # an agent's client and the live line are to be ended first
    given["models"] = _models(given["models"])
    asked = DriverOptions(**{each.name: given.pop(each.name) for each in fields(DriverOptions)})
    options = Options(**given)
    prompt = parse_prompt(options.prompt)
    root, project = place_of(options.project)
    about = assign(prompt, root, project, options.issue_file, options.tier)
    attester = _attester(options.witness, root, asked.models) if options.witness else None
    driver = _driver(asked)
    view = JsonLines() if options.as_json else Lines(is_verbose=options.verbose)
    run = Run(
        about=about,
        repository=Repository(root),
        driver=driver,
        forge=FORGES[options.forge](options.remote),
        listen=view,
        delegate=asked.delegate,
        retry=options.retry,
        until=options.until,
        base=options.base,
        branch=options.branch,
        remote=options.remote,
        attester=attester,
    )
    try:
        return run_issue(run)
    finally:
        view.close()
        driver.close()


def _attester(key: str, root: str, models: Mapping[str, str]) -> Attester:
    from pipeline.signing.attester import Attester

    return Attester(key, root, models)


def _driver(asked: DriverOptions) -> Driver:
    """Return the driver that was asked for, or the one client on PATH once the user agrees."""
    from pipeline.drivers.registry import driver

    if asked.driver or asked.client:
        return driver(replace(asked, driver=asked.driver or "acp"))
    if asked.template or asked.client_command:
        raise unusable("--command needs --driver command, and --client-command needs --client NAME")
    found = _found_client()
    made = driver(replace(asked, driver="acp", client=found.name))
    _ask(found)
    return made


def _found_client() -> Profile:
    import shutil

    from pipeline.agents.clients import CLIENTS, installed

    found = installed(shutil.which)
    if len(found) == 1:
        return found[0]
    if found:
        names = [f"  --client {each.name:<10}{each.program}" for each in found]
        raise unusable(f"{len(found)} agent clients are on PATH: choose one", *names)
    raise unusable(
        "no agent client is on PATH: install one and log in",
        *(f"  {each.name:<10}{each.install}" for each in CLIENTS.values()),
        "or use any program with --driver command",
        "To see a run without an agent: python3 -m pipeline demo",
    )


def _ask(client: Profile) -> None:
    """Ask on a terminal whether a client that was found is to be started."""
    found = f"found one agent client: {client.name} ({client.program})"
    answer = agreed(f"pipeline: {found}\nStart it?")
    if answer is None:
        raise unusable(f"{found}; to start it, use --driver acp --client {client.name}")
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


class _View:
    """Writes to stdout; a run also continues when its reader is gone."""

    _is_gone = False

    def _write(self, text: str) -> None:
        try:
            if not self._is_gone:
                deliver(text)
        except (ReaderGone, Undelivered):
            self._is_gone = True

    def close(self) -> None:
        """Nothing is left on the screen."""


class JsonLines(_View):
    """Each event as one line of JSON, for machines; the fields are in docs/reference/run.md."""

    def __call__(self, event: Event) -> None:
        """Write one event."""
        fields: dict[str, Any] = {"version": VERSION, "event": event.what, "issue": event.issue}
        texts = {"stage": event.stage, "role": event.role, "text": event.text}
        fields.update((name, value) for name, value in texts.items() if value)
        if event.seconds:
            fields["seconds"] = round(event.seconds, 3)
        self._write(json_document({**fields, **(event.data or {})}, indent=None))


class Lines(_View):
    """A line for each stage at its end; on a terminal also a live line while it runs."""

    def __init__(self, *, is_verbose: bool = False) -> None:
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
                self._write(_stage(event, "x", f"refused: {event.text}"))
        elif event.what == "stopped":
            first, *more = (event.data or {}).get("lines", [event.text])
            tell(f"pipeline: {event.issue} stopped: {visible(first, 2000)}")
            for line in more:
                tell(f"  {visible(line, 600)}")
        elif event.what in _SENTENCES:
            self._write(_SENTENCES[event.what](event))
        if event.what == "ended" and self._refusals:
            self._write(_refused(self._refusals, is_verbose=self._is_verbose))

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
        return f"\nEnded after {until}. To continue, run the same command without --until.\n"
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
        self._name = ""
        self._text = ""
        self._since = 0.0
        self._ended = threading.Event()
        self._ticker: threading.Thread | None = None

    def show(self, name: str, text: str) -> None:
        """Draw the line; begin to count where it is another stage's."""
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
