"""What happens when the harness itself fails: one line, a log file, exit code 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.terminal.display import inert, visible
from pipeline.terminal.exit_codes import BROKEN
from pipeline.terminal.streams import ReaderGone, Undelivered, tell

if TYPE_CHECKING:
    from collections.abc import Callable


def fenced(command: Callable[[], int], program: str = "verify") -> int:
    """Run a command; an exception is our bug, and becomes one line and a log."""
    try:
        return command()
    except (ReaderGone, Undelivered):
        raise  # the reader has gone, or takes no more: not a bug
    except Exception as error:  # noqa: BLE001  # the last resort
        import traceback

        text = "".join(traceback.format_exception(error))
        return broken(f"{program} itself failed ({type(error).__name__})", text, program)


OURS, OWN_CHECKS = "this is our fault", "look at the checks of this course"


def broken(sentence: str, details: str = "", program: str = "verify", *, blame: str = OURS) -> int:
    """Say in one line on stderr that the harness failed, write the details to a log file."""
    where = f"; {_logged(details)}" if details else ""
    line = f"{program}: {visible(sentence, 500)}: {blame}{where}"
    tell(inert(line))
    return BROKEN


def _logged(details: str) -> str:
    import tempfile

    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="verify-", suffix=".log", delete=False, encoding="utf-8", errors="replace"
        ) as file:
            # what it quotes of a submission drives no terminal that shows the log
            file.write("\n".join(visible(line, 2_000) for line in details.split("\n")))
    except OSError as error:
        return f"no log could be written ({error.strerror})"
    return f"the details are in {file.name}"
