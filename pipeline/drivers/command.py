"""The driver `command`: any program that takes a prompt and answers on its standard output."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import replace
from typing import IO, TYPE_CHECKING

from pipeline.agents.clients import CLIENTS
from pipeline.drivers import processes
from pipeline.drivers.base import Reply
from pipeline.drivers.environment import checked, chosen, without_tokens
from pipeline.drivers.git_copy import ScratchFolder
from pipeline.drivers.mounts import jail_of, terms_of
from pipeline.drivers.reports import fault_of, printed, refuse_limit
from pipeline.jail import finished
from pipeline.terminal.display import visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.agents.clients.base import Profile
    from pipeline.drivers.base import Allowed, Tell, Turn
    from pipeline.jail import Jail

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
PLACEHOLDERS = ("prompt", "prompt_file", "role", "model", "root", "target", "artifact")
_MOST = 100_000  # characters of an answer that are kept, the last ones
_READ = 16 << 20  # bytes at the end of an output


class CommandDriver:
    """A program that is started by a template of its command line.

    The template is split into words as a shell splits them, and no shell runs it. The placeholders
    are replaced in each word; without `{prompt}` and `{prompt_file}`, the program gets the prompt
    on its standard input. `seconds` limit each turn. In a jail it sees what is `allowed`, and of
    the environment the `passed` variables, and what it is known to need as a client; without one,
    all.
    """

    name = "command"
    client = ""

    def __init__(
        self,
        template: str,
        *,
        seconds: float,
        allowed: Allowed | None = None,
        passed: Sequence[str] = (),
    ) -> None:
        """Read the template and check the variables."""
        try:
            self._words = shlex.split(template)
        except ValueError as error:
            reason = str(error).lower()
            raise unusable(f"--command {visible(template)} cannot be read: {reason}") from None
        if not self._words:
            example = "such as --command 'my-agent -p {prompt}'"
            raise unusable(f"--driver command needs --command, {example}")
        self._names = {name for word in self._words for name in _PLACEHOLDER.findall(word)}
        unknown = sorted(self._names.difference(PLACEHOLDERS))
        if unknown:
            possible = " ".join(f"{{{name}}}" for name in PLACEHOLDERS)
            raise unusable(
                f"--command: unknown placeholder {{{visible(unknown[0])}}} "
                f"(expected one of {possible})"
            )
        self._seconds = seconds
        self._profile: Profile | None = CLIENTS.get(os.path.basename(self._words[0]))
        self.counts_tokens = "printed" in (self._profile.usage if self._profile else {})
        self.terms = terms_of(allowed)
        self.allowed, self._passed = allowed, checked(passed)

    def take(self, turn: Turn, tell: Tell) -> Reply:
        """Run the program once."""
        model = turn.selection.model
        if "model" in self._names and not model:
            raise unusable(
                f"--command has {{model}}, but no model is chosen for {turn.role}: "
                f"choose one with --model {turn.role}=ID, or for every role with --model ID"
            )
        with ScratchFolder() as folder:
            prompt_file = os.path.join(folder, "prompt.md")
            with open(prompt_file, "wb") as file:
                file.write(turn.prompt.encode())
            values = {name: getattr(turn, name, "") for name in PLACEHOLDERS}
            values |= {"prompt_file": prompt_file, "model": model}
            words = [_PLACEHOLDER.sub(lambda m: values[m[1]], word) for word in self._words]
            tell(f"runs {visible(words[0], 40)}")
            words[0] = self._program(turn, words[0])
            jail = None
            if self.allowed:
                jail = jail_of(
                    turn,
                    replace(self.allowed, reads=[*self.allowed.reads, prompt_file]),
                    self._environment(turn),
                    programs=[words[0], *self._words[1:]],
                    profile=self._profile,
                    copies=folder,
                )
            given = os.devnull if self._names & {"prompt", "prompt_file"} else prompt_file
            text = self._output(turn, given, words, jail)
        # The program does not confirm its model: only the one in its command line is known.
        text, usage = printed(self._profile, text)
        refuse_limit(self._profile, text)
        known = model if "model" in self._names else ""
        return Reply(text=text[-_MOST:].strip(), model=known, usage=usage)

    def close(self) -> None:
        """Do nothing: no program runs between two turns."""

    def _environment(self, turn: Turn) -> dict[str, str]:
        kept = chosen(self._profile, self._passed) if self.allowed else without_tokens(os.environ)
        return {**kept, **processes.mark(turn.root, turn.issue)}

    def _program(self, turn: Turn, word: str) -> str:
        name = os.path.join(turn.root, word) if os.path.dirname(word) else word
        program = shutil.which(name, path=os.environ.get("PATH"))
        if program is None:
            raise unusable(f"found no executable {visible(word)}: install it or give its full path")
        return program

    def _output(self, turn: Turn, given: str, words: list[str], jail: Jail | None) -> str:
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            process = self._started(turn, given, words, jail, (output, errors))
            try:
                limit = min(self._seconds, turn.seconds)
                code = finished(process, (output, errors), limit, jail)
            except TimeoutError as error:
                raise Fault(f"the program for {turn.role} {error}") from None
            finally:
                _end(process)
            if code is None:
                raise Fault(
                    f"{turn.role} did not finish within {self._seconds:g} seconds; "
                    "raise the limit with --seconds"
                )
            if code:
                answer = _tail(errors, 2_000).strip() or _tail(output, 2_000).strip()
                said = visible(answer[-400:], 400) or "it printed nothing"
                text = f"{visible(words[0])} failed for {turn.role} with exit code {code}: {said}"
                raise fault_of(self._profile, text, answer, code)
            return _tail(output, _READ).strip()

    def _started(
        self,
        turn: Turn,
        given: str,
        words: list[str],
        jail: Jail | None,
        written: tuple[IO[bytes], IO[bytes]],
    ) -> subprocess.Popen[bytes]:
        """Start a program, in a jail or without one."""
        output, errors = written
        try:
            with open(given, "rb") as prompt:
                return subprocess.Popen(  # noqa: S603  # the user's own command, no shell
                    jail.argv(words) if jail else words,
                    stdin=prompt,
                    stdout=output,
                    stderr=errors,
                    cwd=turn.root,
                    env=jail.environment if jail else self._environment(turn),
                    start_new_session=True,  # a group to end, which Ctrl-C does not reach
                )
        except OSError as error:
            hint = "if the prompt is too long, use {prompt_file} in --command"
            raise unusable(
                f"{visible(words[0])} does not start: {error.strerror}; {hint}"
            ) from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and all its processes."""
    processes.kill(process.pid, processes.descendants(process.pid))
    process.wait()


def _tail(file: IO[bytes], most: int) -> str:
    file.seek(max(0, os.fstat(file.fileno()).st_size - most))
    return file.read(most).decode(errors="replace")
