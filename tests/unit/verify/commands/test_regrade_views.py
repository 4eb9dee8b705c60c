"""The impact of a regrading is told in few lines, and no learner's name can forge one."""

from __future__ import annotations

from typing import Any

from verify.batch.impact import Change, Flip, Kept, Side
from verify.batch.kernel import Job
from verify.batch.regrading import Regrading
from verify.commands.regrade_views import View, as_table
from verify.gradebook.overrides import Overridden
from verify.gradebook.records import Override

NAME = "expert/04"
WAITING = tuple(Flip(f"E04.{n}", "pass", "skip", (1, 1)) for n in range(2, 5))


def _view(*changes: Change, run: int = 0, **lists: Any) -> View:
    overrides = lists.pop("overrides", ())
    results: Any = ()
    regrading = Regrading(results, Job((NAME,), ("d",)), ())
    regrading.changes += changes
    regrading.compared = 5_000
    for name, kept in lists.items():
        getattr(regrading, name).extend(kept)
    return View(regrading, overrides, run)


def _change(learner: str, before: int | None, after: int, *flips: Flip, file: str = "") -> Change:
    sides = (Side("error" if before is None else "fail", before), Side("fail", after))
    return Change(learner, "", NAME, *sides, flips, (file,) if file else ())


def test_changes_are_sorted_and_summed_by_way_and_by_check() -> None:
    up, down = Flip("E04.1", "fail", "pass", (3, 3)), Flip("E04.1", "pass", "fail", (3, 3))
    view = _view(
        _change("zoe", 2, 5, up),
        _change("bob", 5, 1, down, *WAITING),
        _change("cat", None, 5),
        _change("abe", 5, 2, down, file="plan.json"),
    )

    assert as_table(view).splitlines() == [
        "learner    exercise    score       checks                         changed since",
        "---------  ----------  ----------  -----------------------------  ------------------",
        'abe        expert/04   5 -> 2      E04.1 pass -> fail             files: "plan.json"',
        "bob        expert/04   5 -> 1      E04.1 pass -> fail and 3 more",
        "cat        expert/04   error -> 5",
        "zoe        expert/04   2 -> 5      E04.1 fail -> pass",
        "",
        "4 of 5,000 change: 2 up, 2 down",
        "  E04.1 pass -> fail: 1",
        "  E04.1 fail -> pass: 1",
        "  other files than when they were graded: 1 (1 down)",
        "Nothing was written: add --apply to write it.",
    ]


def test_what_stays_is_listed_with_its_reason() -> None:
    made = Override(4.5, "ada", "2026-03-01T12:00:00Z", "oral exam")
    view = _view(
        run=7,
        kept=[Kept("bob", "2", NAME, "gone")],
        failed=[Kept("cat", "", NAME, "the check itself failed")],
        overrides=[Overridden("zoe", NAME, made)],
    )

    assert as_table(view).splitlines() == [
        "0 of 5,000 change",
        "Not graded again, stay as they were: 1",
        "  bob 2 expert/04: gone",
        "In error, stay as they were: 1",
        "  cat expert/04: the check itself failed",
        "Set by hand, stay so: 1",
        "  zoe expert/04: 4.5 (ada, oral exam)",
        "Written as run 7; the earlier results are kept behind the new ones.",
    ]


def test_a_learners_name_drives_no_terminal_and_forges_no_line() -> None:
    text = as_table(
        _view(_change("::error::x\n\x1b[31m", 2, 5), kept=[Kept("\u202e", "", NAME, "")])
    )

    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not any(line.startswith("::") for line in text.splitlines())
    assert r"\u{a}\u{1b}[31m" in text
