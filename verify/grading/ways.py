"""The ways to run the service of a submission, and how one was run."""

from __future__ import annotations

from typing import NamedTuple

# The ways to run a service, with the options that ask for them: in a jail; as any program, the
# learner's own work; as any program, in a container that is made for one submission.
JAIL, TRUSTED, CONTAINER = "jail", "trusted", "container"
RUN_WORDS = {
    "": (),
    JAIL: ("--run",),
    TRUSTED: ("--run-trusted",),
    CONTAINER: ("--run", "--jail=container"),
}


class BrokenRun(Exception):
    """A service cannot be run, and neither the submission nor a check is to blame; one line."""


class Ran(NamedTuple):
    """How a submission was run."""

    way: str  #: one of `RUN_WORDS`
    seed: int | None = None  #: draws the values that its service was sent; None if it is not known
    tests: bool = False  #: whether its own tests were run
