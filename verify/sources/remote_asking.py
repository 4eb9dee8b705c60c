"""Asks a file system about many files at a time, and says what each answer means."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.display import visible
from pipeline.limits import MAX_BYTES, MAX_FOLDER_ENTRIES, MAX_NESTED_ARCHIVE
from pipeline.reading import MISSING, Unreadable, too_large
from verify.sources.remote_address import AT_ONCE, reason
from verify.sources.remote_listing import names_of, s3_names, s3_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.sources.remote_address import Address

READ, IS_FILE, NAMES, HERE, WHOLE = "read", "is_file", "names", "here", "whole"


class Question(NamedTuple):
    """What is asked of a path below the container."""

    operation: str
    path: str


class Asking:
    """A container's files."""

    def __init__(self, system: Any, base: str, address: Address) -> None:
        self._system = system
        self._base = base.rstrip("/")
        self._address = address

    def all(self, questions: Sequence[Question]) -> list[Any]:
        """Return the answers, faults among them as values; many are on their way at a time."""
        from fsspec.asyn import sync

        return list(sync(self._system.loop, self._gathered, questions))

    async def _gathered(self, questions: Sequence[Question]) -> list[Any]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def asked(question: Question) -> Any:
            async with gate:
                return await self._answer(question)

        return await asyncio.gather(*map(asked, questions))

    async def _answer(self, question: Question) -> Any:
        """Return an answer: an `Unreadable` is the learner's, an `OSError` is ours."""
        ask = {
            READ: self._read,
            IS_FILE: self._is_file,
            NAMES: self._names,
            HERE: self._is_here,
            WHOLE: self._whole,
        }[question.operation]
        try:
            return await ask(self._key(question.path))
        except Unreadable as refused:
            return refused
        except Exception as error:  # noqa: BLE001  # each cloud's library has faults of its own
            if isinstance(error, FileNotFoundError):
                return Unreadable(MISSING, "does not exist")
            place = visible(f"{self._address.plain}/{question.path}", 300)
            return OSError(f"{place} {reason(error, self._address)}")

    def _key(self, path: str) -> str:
        return f"{self._base}/{path}".rstrip("/")

    # fsspec names the coroutines of an asynchronous file system with a leading underscore.

    async def _read(self, key: str) -> bytes:
        return await self._bounded(key, MAX_BYTES)

    async def _whole(self, key: str) -> bytes:
        return await self._bounded(key, MAX_NESTED_ARCHIVE)

    async def _bounded(self, key: str, limit: int) -> bytes:
        try:
            data: bytes = await self._system._cat_file(key, start=0, end=limit + 1)  # noqa: SLF001  # see above
        except FileNotFoundError:
            raise
        except Exception:
            if (await self._system._info(key))["size"] == 0:  # noqa: SLF001  # see above
                return b""  # of which no range can be asked for
            raise
        if len(data) > limit:
            raise too_large(limit)
        return data

    async def _is_file(self, key: str) -> bool:
        try:
            return bool((await self._system._info(key))["type"] == "file")  # noqa: SLF001  # see above
        except FileNotFoundError:
            return False

    async def _names(self, key: str) -> list[str]:
        found = await self._listed(key)
        if not found:
            raise FileNotFoundError
        return [name for name, _ in found][:MAX_FOLDER_ENTRIES]

    async def _is_here(self, key: str) -> bool:
        return bool(await self._listed(key))

    async def _listed(self, key: str) -> list[tuple[str, bool]]:
        if hasattr(self._system, "call_s3"):  # one page is as many names as are told
            bucket, _, prefix = key.partition("/")
            asked = s3_request(bucket, prefix)
            return s3_names(await self._system._call_s3("list_objects_v2", **asked), prefix)  # noqa: SLF001  # see above
        return names_of(await self._system._ls(key, detail=True), key)  # noqa: SLF001  # see above
