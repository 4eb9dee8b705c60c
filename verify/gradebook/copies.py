"""Who submitted the same artifacts as others, or as the course ships them: a reason to look."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from verify.gradebook.records import DIGEST, NotOurs, value_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

NOTHING = bytes(DIGEST)  # in place of an artifact that is not there, or cannot be read
LAST = (  # of the attempts `s` of a learner that a run met
    " AND NOT EXISTS (SELECT 1 FROM submission t"
    " WHERE t.learner = s.learner AND t.attempt > s.attempt AND t.seen = s.seen)"
)
_ROWS = """
WITH row AS (
  SELECT substr(r.fingerprint, 1, ?1) AS counted, r.fingerprint, s.learner, s.attempt
  FROM result r JOIN submission s ON s.id = r.submission
  WHERE r.exercise = ?2 AND s.seen = ?3 AND r.superseded IS NULL AND r.fingerprint <> x''{last}
)
SELECT fingerprint, learner, attempt FROM row
WHERE counted IN (SELECT counted FROM row GROUP BY 1 HAVING count(DISTINCT learner) > 1)
  OR counted IN ({shipped})
ORDER BY fingerprint, learner, attempt
"""


class Compared(NamedTuple):
    """What is compared of an exercise: the artifacts at `paths`, in the order of a fingerprint.

    The first `counted` of them count; those after them, git results, only where the first say
    nothing. `shipped` has the key of each shipped solution and recorded run, and which of the two
    it is. `handed_out` are digests of texts that learners are given: they say nothing.
    """

    paths: tuple[str, ...]
    counted: int
    shipped: Mapping[bytes, str] = {}
    handed_out: frozenset[bytes] = frozenset()

    @property
    def width(self) -> int:
        """Return how many bytes of a fingerprint count; all of them where only git results are."""
        return DIGEST * (self.counted or len(self.paths))

    def says_something(self, fingerprint: bytes) -> bool:
        """Return whether it has an artifact that learners were not given."""
        digests = {fingerprint[at : at + DIGEST] for at in range(0, len(fingerprint), DIGEST)}
        return bool(digests - self.handed_out - {NOTHING})

    def key(self, fingerprint: bytes) -> bytes:
        """Return what two fingerprints have in common that count as the same."""
        counted = fingerprint[: self.width]
        return counted if self.says_something(counted) else fingerprint


class Copies(NamedTuple):
    """Learners who submitted the same in one exercise, each with the attempt, sorted.

    `shipped` is `solution` or `recorded run` where the course ships it too: then there may be one
    learner only. `paths` are the artifacts that agree.
    """

    exercise: str
    paths: tuple[str, ...]
    shipped: str
    members: tuple[tuple[str, str], ...]

    @property
    def learners(self) -> int:
        """Return how many learners there are."""
        return len({learner for learner, _ in self.members})


def text_of(compared: Compared) -> str:
    """Return what is compared as a text for the gradebook."""
    shipped = sorted((key.hex(), what) for key, what in compared.shipped.items())
    handed_out = sorted(digest.hex() for digest in compared.handed_out)
    return json.dumps({**compared._asdict(), "shipped": shipped, "handed_out": handed_out})


def compared_of(text: str) -> Compared:
    """Return what is compared, from a text of the gradebook.

    Raises:
        NotOurs: it is not such a text.
    """
    value = value_of(text, "what is compared", lambda v: isinstance(v, dict))
    try:
        return Compared(
            tuple(map(str, value["paths"])),
            int(value["counted"]),
            {bytes.fromhex(key): str(what) for key, what in value["shipped"]},
            frozenset(map(bytes.fromhex, value["handed_out"])),
        )
    except (KeyError, TypeError, ValueError):
        raise NotOurs("is not what is compared") from None


def copies_in(
    connection: sqlite3.Connection, run: int, exercise: str, compared: Compared, *, latest: bool
) -> Iterator[Copies]:
    """Yield the groups of one exercise of a run, in the order of their fingerprints."""
    shipped = [key[: compared.width] for key in compared.shipped]
    marks = ", ".join(f"?{number}" for number in range(4, 4 + len(shipped)))
    query = _ROWS.format(last=LAST if latest else "", shipped=marks)
    rows = connection.execute(query, (compared.width, exercise, run, *shipped))
    for key, group in groupby(rows, lambda row: compared.key(row[0])):
        members = tuple((learner, attempt) for _, learner, attempt in group)
        what = compared.shipped.get(key, "")
        found = Copies(exercise, _paths(compared, key), what, members)
        if what or (compared.says_something(key) and found.learners > 1):
            yield found


def _paths(compared: Compared, key: bytes) -> tuple[str, ...]:
    """Return the paths of the artifacts that are there."""
    return tuple(
        path
        for number, path in enumerate(compared.paths)
        if key[number * DIGEST : (number + 1) * DIGEST] not in (b"", NOTHING)
    )
