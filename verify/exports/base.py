"""The interface of export formats: what a format declares, and what its writer gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from verify.gradebook.reading import Cohort

    Writer = Callable[[Cohort, str, "Settings"], None]
    Checker = Callable[[str, "Settings", Sequence[str]], None]


class UnusableExport(Exception):
    """An export that cannot be written as requested; the message is one line."""


class Settings(NamedTuple):
    """What a format gets besides where to write.

    `source` is the instructor's own file that is filled in, empty for none; `titles` are the
    assignments' titles in Canvas by the exercise's name; `note` shows the instructor one line about
    what was written.
    """

    note: Callable[[str], None]
    source: str = ""
    titles: Mapping[str, str] = {}


class Format(NamedTuple):
    """An export format: `--NAME TARGET` has `write` write a cohort to the target.

    `write` raises OSError where the target cannot be written, and leaves what was there. `check`
    gets the target, the settings and the names of the exercises before anything is graded, and
    raises UnusableExport. A `folder` is a folder of files; but a target that ends with `single` is
    one file, for one learner. `source` has the metavar and the help of `--NAME-from`, a file that
    the format fills in; without `source` the option does not exist.
    """

    name: str
    metavar: str
    help: str
    write: Writer
    check: Checker | None = None
    folder: bool = False
    single: str = ""
    source: tuple[str, str] = ("", "")
