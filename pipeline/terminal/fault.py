"""The exceptions of the pipeline: what each means, and who answers it.

- `Fault`: something expected went wrong. A command shows its lines and ends with its code.
  - `GitFault`: git failed or is missing. Callers look at what it printed.
  - `MalformedIssue`: an issue's file does not have the form of an issue. `pipeline classify` then
    reads it as a task.
  - `NotLoggedIn`: a client asks for a login. The driver tries one without a person.
  - `RateLimited`: a client's model takes no request for now. The run waits, and asks again.
  - `Unanswered`: a forge gave no complete answer. The request is looked up, then sent again.
- `Refusal`: an input is not used. Whoever wanted it decides what that means.
  - `Unreadable`: a file cannot be read within its limits; it has a reason.
  - `NotStrictJson`: a text is not JSON, or not within bounds; it has the problems.
  - `NoEnvelope`: not an envelope with one signature. The message follows the file's name.
  - `Conflict`: an export would change what is the user's. The message follows the file's name.
  - `_Refused`: YAML that is not read; it becomes a problem of the definition.
- `Undelivered`: stdout takes no more. The guard around each command ends it.
- `_Stop`: a scan of JSON ends at a syntax error, which it has noted.
- `_Hostile`: a report of tests has a type of document, or is nested too deep. It is not read.
"""

from __future__ import annotations

from pipeline.terminal.exit_codes import FAILED, UNUSABLE


class Fault(Exception):
    """Something expected went wrong: the first line says what happened, the others what to do.

    `code` is the exit code: 1 for what an agent, git or a forge did, 2 where nothing was begun.
    """

    def __init__(self, *lines: str, code: int = FAILED) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines
        self.code = code


class Refusal(Exception):
    """An input is not used; the message says why, and is safe to print."""


def unusable(*lines: str) -> Fault:
    """Return the fault of a call or a set-up that is wrong: nothing was begun."""
    return Fault(*lines, code=UNUSABLE)
