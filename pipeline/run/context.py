"""One run of one issue: its options, what it tells of itself, and what it knows so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pipeline.protocol.agreement import spelt_as
from pipeline.protocol.layout import PLAN, WORKER_RESULT
from pipeline.run import guard
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.drivers.base import Driver
    from pipeline.forges.base import Forge
    from pipeline.git import Repository
    from pipeline.run.assignment import Assignment
    from pipeline.signing.attester import Attester


class Named(Protocol):
    """What a run asks of a stage to tell of it."""

    @property
    def name(self) -> str:
        """As the events say it."""

    @property
    def role(self) -> Callable[[str], str]:
        """The agent for a tier."""


_OfRun = Literal["begun", "leftover", "notice", "stopped", "ended"]
_OfStage = Literal[
    "dispatched", "progress", "refused", "waits", "again", "escalated", "kept", "done"
]
What = _OfRun | _OfStage


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to the run.

    `leftover` is a program of an earlier run that was ended, `notice` what the user must know
    before the pull request is opened, `refused` what an agent wanted beyond its role, `waits` for
    how long a model takes no requests, `again` why the agent is asked a second time, `kept` what an
    earlier run has done.
    """

    what: What
    issue: str
    stage: str = ""  #: empty where it is about the whole run
    role: str = ""  #: the agent of the stage
    text: str = ""  #: one line
    seconds: float = 0.0  #: how long the stage has taken so far
    data: dict[str, Any] | None = None  #: JSON values


Listen = Callable[[Event], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One run of one issue."""

    about: Assignment
    repository: Repository
    driver: Driver
    forge: Forge
    listen: Listen
    delegate: bool = False  #: the planner's client dispatches the roles
    retry: bool = False  #: asks the worker again even if it is blocked, or has had its attempts
    continued: bool = False  #: takes up what the pull request's reviewers and checks say
    attempts: int = 3  #: turns of the worker until the tests pass
    rounds: int = 1  #: how often a review may send the work back
    test_command: str = ""  #: the user's; empty: it is found
    allow_failing: bool = False  #: publishes work whose tests fail
    seconds: float = 1800.0  #: for the tests
    max_turns: int | None = None  #: of agents for the issue, earlier runs included
    max_tokens: int | None = None
    max_minutes: float | None = None
    transcript: bool = False  #: keeps prompts and answers
    id: str = field(default_factory=lambda: f"{time.time_ns():x}")
    begun_at: float = field(default_factory=time.monotonic)
    tested: Callable[[str], tuple[int, str]] | None = None  #: plays recorded tests
    until: str = ""  #: the stage after which the run ends
    base: str = ""  #: found, if it is empty, as is the branch
    branch: str = ""
    remote: str = "origin"  #: of the forge
    signoff: bool = False  #: ends the commit's message with the user's Signed-off-by
    draft: bool = False  #: of the pull request, as are the next two
    labels: Sequence[str] = ()
    reviewers: Sequence[str] = ()
    models: Mapping[str, str] = field(default_factory=dict)  #: by role, or `*` for all, the user's
    attester: Attester | None = None  #: signs what was seen of each artifact
    ask: Callable[[str], bool] = lambda _: True  #: asks the user; yes where nobody can answer
    _begun: dict[str, float] = field(default_factory=dict, repr=False)  # the stages, when

    def snapshot(self) -> guard.Snapshot:
        """Return the current state of the repository."""
        remote = "" if self.until else self.forge.remote
        return guard.take(self.repository, self.about.target, remote, self.about.issue)

    def confirm(self, notice: str, advice: str) -> None:
        """Tell the user what they must know, and stop the run unless they want to continue.

        Raises:
            Fault: the user does not want to continue; `advice` says what to do instead.
        """
        self.tell("notice", text=notice)
        if not self.ask("Continue?"):
            raise unusable("stopped as you asked", advice)

    def role(self, stage: Named) -> str:
        """Return the agent of a stage; the tier decides."""
        return stage.role(self.about.tier)

    def tell(
        self,
        what: What,
        stage: Named | None = None,
        text: str = "",
        data: dict[str, Any] | None = None,
    ) -> None:
        """Report what has happened."""
        now = time.monotonic()
        name, role = (stage.name, self.role(stage)) if stage else ("", "")
        begun = self._begun.setdefault(name, now)
        if what in ("kept", "done"):
            del self._begun[name]
        seconds = now - begun if what in ("progress", "refused", "done") else 0.0
        self.listen(Event(what, self.about.issue, name, role, text, seconds, data))


@dataclass(kw_only=True, slots=True)
class Work:
    """What a run knows of its issue so far."""

    run: Run
    committed: frozenset[str]  #: files of the project that an earlier run has committed
    values: dict[str, Any] = field(default_factory=dict)  #: the artifacts, by their names
    seen: guard.Snapshot | None = None  #: what the last turn left, None if there was none
    reviewed: guard.Snapshot | None = None  #: what the reviewer approved
    order: str = ""  #: what the agent of a stage is asked that another stage goes back to

    def snapshot(self) -> guard.Snapshot:
        """Return what the last turn left, or how the repository is now."""
        return self.seen or self.run.snapshot()

    def paths(self) -> list[str]:
        """Return the files of the work, and the artifacts that say what it is, from the root."""
        about = self.run.about
        files = about.in_target(self.values[WORKER_RESULT]["files_changed"])
        return [about.path(PLAN), about.path(WORKER_RESULT), *files]

    def digest(self, now: guard.Snapshot) -> str:
        """Return a digest of the work, which changes when one of its files does."""
        return guard.digest(now, self.paths())

    def spell(self) -> None:
        """Spell the changed files as they are on disk: it and git have forms of their own."""
        result = self.values[WORKER_RESULT]
        if not "".join(result["files_changed"]).isascii():
            target = self.run.about.target
            names = self.committed | guard.project_changes(guard.NOTHING, self.snapshot(), target)
            files = spelt_as(result["files_changed"], names)
            self.values[WORKER_RESULT] = {**result, "files_changed": files}
