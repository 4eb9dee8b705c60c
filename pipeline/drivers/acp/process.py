"""The process of an agent's client: its environment, its log, and its end with all it started."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import tempfile
from asyncio.subprocess import PIPE, SubprocessStreamProtocol
from typing import TYPE_CHECKING

from pipeline.drivers import processes
from pipeline.drivers.environment import chosen
from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import psutil

    from pipeline.agents.clients.base import Profile
    from pipeline.drivers.base import Turn

_LINE = 64 << 20  # a message is one line, and may hold a whole file
_LOG = 64 << 20  # bytes of log after which a client is broken
_GRACE = 2.0  # seconds for a client to end by itself, then for its end by force
_GLANCE = 0.01  # seconds between looks whether it has ended


class Process:
    """One client of agents, started in a folder, with a log of what it says aside."""

    def __init__(
        self, transport: asyncio.SubprocessTransport, pipes: SubprocessStreamProtocol, log: str
    ) -> None:
        if pipes.stdin is None or pipes.stdout is None:  # `start` asks for both
            raise RuntimeError("a client without pipes")
        self.writer, self.reader, self.log = pipes.stdin, pipes.stdout, log
        self._transport = transport
        self._handler = logging.FileHandler(log, encoding="utf-8", delay=True)
        logging.getLogger().addHandler(self._handler)  # the SDK reports on the root logger

    @classmethod
    async def start(cls, profile: Profile, passed: Sequence[str], turn: Turn) -> Process:
        """Start a client for a turn.

        Raises:
            Fault: it is not installed, or does not start.
        """
        mark = processes.mark(turn.root, turn.issue)
        environment = {**chosen(profile, passed), **mark}
        program = _found(profile, environment.get("PATH"))
        loop = asyncio.get_running_loop()
        descriptor, log = tempfile.mkstemp(prefix=f"pipeline-{profile.name}-", suffix=".log")
        with os.fdopen(descriptor, "ab") as errors:
            try:
                transport, pipes = await loop.subprocess_exec(
                    lambda: SubprocessStreamProtocol(limit=_LINE, loop=loop),
                    program,
                    *profile.argv[1:],
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=errors,
                    cwd=turn.root,
                    env=environment,
                    start_new_session=True,  # a group to end, which Ctrl-C does not reach
                )
            except OSError as error:
                os.unlink(log)
                raise unusable(f"{program} does not start: {error.strerror}") from None
        return cls(transport, pipes, log)

    def flooded(self) -> bool:
        """Return whether the log has grown beyond all measure."""
        return os.path.getsize(self.log) > _LOG

    def last_line(self) -> str:
        """Return the last line of the log that says something, short and safe to show."""
        with open(self.log, "rb") as file:
            file.seek(max(0, os.path.getsize(self.log) - 4096))
            lines = [line.strip() for line in file.read().decode(errors="replace").splitlines()]
        return visible(next((line for line in reversed(lines) if line), ""), 200)

    async def code(self) -> int | None:
        """Return the exit code of a client that is about to end, None if it does not."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _GRACE
        while self._transport.get_returncode() is None and loop.time() < deadline:  # noqa: ASYNC110  # a transport has no event for it
            await asyncio.sleep(_GLANCE)
        return self._transport.get_returncode()

    async def end(self, *, keep_log: bool) -> None:
        """End the client and all that it has started; a client ends when its input does."""
        started = processes.descendants(self._transport.get_pid())
        self.writer.close()
        if await self.code() is None:
            processes.ask_to_end(self._transport.get_pid())
            await self.code()
        self.kill(started)
        await self.code()
        self._transport.close()  # its pipes too, which a process unknown to us may hold
        await asyncio.sleep(0)
        logging.getLogger().removeHandler(self._handler)
        self._handler.close()
        if not keep_log:
            with contextlib.suppress(OSError):
                os.unlink(self.log)

    def kill(self, started: Iterable[psutil.Process] = ()) -> None:
        """Kill the client's group, what it has started, and those of `started`, at once."""
        processes.kill(self._transport.get_pid(), started)


def _found(profile: Profile, path: str | None) -> str:
    program = shutil.which(profile.program, path=path)
    if program is None:
        raise unusable(
            f"{visible(profile.program)}, which runs {profile.name}, is not on PATH: "
            f"{profile.install}"
        )
    return program
