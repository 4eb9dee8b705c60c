"""Which checks show no example, and why: every other one has something to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_IN_PLACE = "The file is missing: to do is to put it where the failure says, whatever it holds."
_JSON = "Any JSON would do: to do is to mend the line that the failure names."
_BEFORE = "The plan is that of the exercise before, which shows examples of its own."
_PACK = "The IDE pack of the repository is the example; the failure names the line beside it."
_MACHINE = "To do is to install something on the machine."
_ONE_RECORD = "Five records are longer than the lesson; the check after it shows one of them."
_ANSWER = "An example would be the answer: to do is to think the scenario through again."

WITHOUT_EXAMPLE: Mapping[str, str] = {
    **dict.fromkeys(("F01.1", "F02.1", "F03.1", "F04.1", "F04.2", "F04.3"), _IN_PLACE),
    **dict.fromkeys(("P01.1", "P01.4", "P01.6", "P02.1", "P03.1"), _IN_PLACE),
    **dict.fromkeys(("P04.1", "P04.2", "P04.3", "E01.1", "E03.1"), _IN_PLACE),
    **dict.fromkeys(("E04.1", "E04.2", "E04.3"), _IN_PLACE),
    **dict.fromkeys(("F01.2", "F02.2", "F03.2", "P02.2", "P03.2", "E01.2", "E03.2"), _JSON),
    **dict.fromkeys(("F02.5", "P03.5"), _BEFORE),
    **dict.fromkeys(("P01.2", "P01.5", "P01.7"), _PACK),
    **dict.fromkeys(("P01.9", "P01.10", "P01.11", "P01.12"), _MACHINE),
    "E01.3": _ONE_RECORD,
    **dict.fromkeys(("E01.6", "E01.7", "E01.8", "E01.9", "E01.10", "E01.11", "E01.14"), _ANSWER),
}
