"""Waits for the system's notice that something has changed in some folders, not below them."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self
    from watchfiles._rust_notify import RustNotify

    from verify.watching.keys import Keys

STEP = 20  # ms without a further notice that end a burst
BURST = 200  # ms after which a burst that does not end is told nevertheless
POLL = 0.2  # s between two looks where the system gives no notice

_MODIFIED = 2


class Notices:
    """Notices about folders: hints that it is time to look again, not what has changed.

    A key that is pressed ends a wait as well.
    """

    def __init__(self, keys: Keys | None = None) -> None:
        self._keys = keys
        self._folders: frozenset[str] | None = None
        self._watcher: RustNotify | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._disarm()

    def wait(self, folders: frozenset[str], seconds: float) -> None:
        """Return when something may have changed, at the latest after some seconds.

        Folders that were not watched until now may have changed in between: it returns at once.

        Raises:
            KeyboardInterrupt: Ctrl-C.
        """
        if folders != self._folders:
            self._arm(folders)
        elif self._watcher is None:
            time.sleep(min(seconds, POLL))
        else:
            self._listen(self._watcher, folders, seconds)

    def now(self) -> float:
        """Return the seconds of a clock that only goes forward."""
        return time.monotonic()

    def _listen(self, watcher: RustNotify, folders: frozenset[str], seconds: float) -> None:
        try:
            notices = watcher.watch(BURST, STEP, max(1, int(seconds * 1000)), self._keys)
        except RuntimeError:
            self._watcher = None
            return
        if notices == "signal":
            raise KeyboardInterrupt
        if not isinstance(notices, str):
            names = {os.path.basename(folder) for folder in folders}
            # A folder that was removed and made again is not the one that is watched.
            if any(kind != _MODIFIED and os.path.basename(path) in names for kind, path in notices):
                self._folders = None

    def _arm(self, folders: frozenset[str]) -> None:
        self._disarm()
        self._folders = folders
        if not folders:
            return
        try:
            # Not watchfiles.watch(): that begins to watch only when it is waited for. The import
            # takes as long as the first table, so it stands behind it.
            from watchfiles._rust_notify import RustNotify

            self._watcher = RustNotify(
                sorted(folders),
                debug=False,
                force_polling=False,
                poll_delay_ms=0,
                recursive=False,  # node_modules and the like are never looked into
                ignore_permission_denied=False,
            )
        except Exception:  # noqa: BLE001  # gone, no more to be had, or a library that is damaged
            self._watcher = None

    def _disarm(self) -> None:
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None
