"""What a stage of a run is: its agent, its artifact, and when it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.drivers.base import Writes
    from pipeline.run.context import Run, Work
    from pipeline.run.problems import Facts

AGAIN = "then run the same command again"  # ends the advice of a run that was stopped


def _nothing(_: Any) -> list[str]:
    return []


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """One stage; options, events, rights, replays and `pipeline status` come from its fields."""

    name: str
    state: str  #: the stage in the words of `pipeline status` (specification, section 3)
    next_step: str  #: what happens in it
    artifact: str  #: the name of its file, empty if it has none
    role: Callable[[str], str]  #: the agent for a tier
    writes: Writes = "nothing"  #: what its agent may change
    task: str = ""  #: what its agent is asked, after the issue
    problems: Callable[[Facts, Any], list[str]] = lambda _, __: []  #: of a valid artifact
    why_not_done: Callable[[Any], list[str]] = _nothing  #: with this artifact
    stopped: Callable[[str, str], str] = lambda _, __: ""  #: says it, by the role and the path
    advice: str = ""  #: and what to do
    back_to: str = ""  #: the stage that is asked again if this one is not done
    feedback: Callable[[Any, str], str] = lambda _, __: ""  #: its order, by the artifact's path
    returns: Callable[[Run], int] = lambda _: 1  #: how often it may go back
    gives_up: Callable[[Any], bool] = lambda _: False  #: with this artifact, the agent does
    judges: bool = False  #: looks at work that is not committed yet
    prepare: Callable[[Work], None] | None = None  #: is done before the work
    said: Callable[[Any], str] = lambda _: ""  #: a line about its artifact
    obtain: Callable[[Work, Stage], Any] | None = None  #: where no agent writes the artifact
