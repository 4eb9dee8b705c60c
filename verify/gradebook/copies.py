"""Copies: who submitted the same artifacts as others or the course: a reason to look closer."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from functools import cache
from glob import iglob
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.bootstrap import ROOT
from pipeline.files import Unreadable
from pipeline.protocol.layout import GIT_RESULT
from pipeline.terminal.programs import no_version
from verify.course import catalog
from verify.course.checks.validity import ArtifactCheck
from verify.course.own_course.texts import TextFile
from verify.gradebook.columns import stored
from verify.gradebook.records import DIGEST
from verify.grading.artifacts import ArtifactRef, Context, actual_path
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from verify.grading.artifacts import Artifact
    from verify.grading.model import Exercise, Located

NOTHING = bytes(DIGEST)  # in place of an artifact that is not there, or cannot be read
LAST = (  # of the attempts `s` of a learner that a run met
    " AND NOT EXISTS (SELECT 1 FROM submission t"
    " WHERE t.assignment = s.assignment AND t.learner = s.learner AND t.attempt > s.attempt"
    " AND t.seen = s.seen)"
)
_ROWS = """
WITH row AS (
  SELECT substr(r.fingerprint, 1, ?) AS counted, r.fingerprint, s.learner, s.attempt,
    s.container || char(10) || s.inner AS place
  FROM result r JOIN submission s ON s.id = r.submission
  WHERE r.exercise = ? AND s.seen = ? AND r.superseded IS NULL AND r.fingerprint <> x''{last}
)
SELECT fingerprint, learner, attempt, place FROM row
WHERE counted IN (SELECT counted FROM row GROUP BY 1 HAVING count(DISTINCT learner) > 1)
  OR counted IN ({shipped})
ORDER BY fingerprint, learner, attempt
"""
_SOLUTION, _RECORDED = "solution", "recorded run"
_PAGES = ("docs", "sandbox/issues", ".cursor")
_OWN_PAGES = ("docs", "issues")
_BLOCK = re.compile("```json\n(.*?)```", re.DOTALL)
_canonical = json.JSONEncoder(
    sort_keys=True,
    separators=(",", ":"),
    ensure_ascii=False,
    check_circular=False,  # a parsed value is never circular
)


class Compared(NamedTuple):
    """What is compared of an exercise."""

    paths: tuple[str, ...]  #: of the artifacts, in the order of a fingerprint; git results are last
    counted: int  #: the first of them; the git results count only where these say nothing
    shipped: Mapping[
        bytes, str
    ] = {}  #: the keys of shipped solutions and recorded runs: which it is
    handed_out: frozenset[bytes] = frozenset()  #: digests of texts that learners get: no evidence

    @property
    def width(self) -> int:
        """Return how many bytes of a fingerprint count; all of them where only git results are."""
        return DIGEST * (self.counted or len(self.paths))

    def says_something(self, fingerprint: bytes) -> bool:
        """Return whether it has an artifact that learners were not given."""
        return bool({*_digests_in(fingerprint)} - self.handed_out - {NOTHING})

    def key(self, fingerprint: bytes) -> bytes:
        """Return the part of a fingerprint that must be equal for two to count as the same."""
        counted = fingerprint[: self.width]
        return counted if self.says_something(counted) else fingerprint


class Copies(NamedTuple):
    """Learners who submitted the same in one exercise."""

    exercise: str
    paths: tuple[str, ...]  #: of the artifacts that agree
    shipped: str  #: `solution` or `recorded run` if the course ships it: one learner is enough then
    members: tuple[tuple[str, str], ...]  #: each learner with the attempt, sorted
    share: float = 1.0  #: of near copies: how much of what few have is common
    common: int = 0  #: of near copies: how many rare hashes are common, at least one

    @property
    def learners(self) -> int:
        """Return how many learners there are."""
        return len({learner for learner, _ in self.members})


def artifacts_in(exercise: Exercise) -> tuple[Located, ...]:
    """Return the artifacts of an exercise in the order of a fingerprint: git results come last.

    A git result describes a commit of the learner's own. It is compared only where the other
    artifacts say nothing about who wrote them.
    """
    runs = (check.run for check in exercise.checks)
    read = [run.source for run in runs if isinstance(run, ArtifactCheck)]
    kinds = ArtifactRef | TextFile
    submitted = [source for source in exercise.artifacts if isinstance(source, kinds)]
    return tuple(sorted(dict.fromkeys([*submitted, *read]), key=_is_git_result))


def _is_git_result(source: Located) -> bool:
    return isinstance(source, ArtifactRef) and source.name == GIT_RESULT


def fingerprint_of(context: Context, sources: Iterable[Located]) -> bytes:
    """Return the digests of a submission's artifacts, 16 bytes each; empty where it has none."""
    digests = b"".join([_digest_in(context, source) for source in sources])
    return digests if digests.strip(b"\0") else b""


def _digest_in(context: Context, source: Located) -> bytes:
    if isinstance(source, ArtifactRef):
        return _digest_of(context.artifact(source))
    path = actual_path(context.submission, source.located(context.exercise))
    try:
        words = context.submission.read(path).split()
    except Unreadable:
        return NOTHING
    return sha256(b" ".join(words)).digest()[:DIGEST]  # in any spacing, with any ends of lines


def _digests_in(fingerprint: bytes) -> list[bytes]:
    return [fingerprint[at : at + DIGEST] for at in range(0, len(fingerprint), DIGEST)]


def _digest_of(artifact: Artifact) -> bytes:
    if artifact.unreadable is not None:
        return NOTHING
    if artifact.value is None:  # it is not JSON: its bytes count
        return sha256(artifact.data).digest()[:DIGEST]
    return digest_of(artifact.value)


def digest_of(value: Any) -> bytes:
    """Return the digest of a parsed value: any order of its keys, and any space between tokens."""
    text = _canonical.encode(value).encode("utf-8", "surrogatepass")
    return sha256(text).digest()[:DIGEST]


def compared_in(graded: Exercise, course: str) -> Compared:
    """Return what is compared of an exercise; `course` is an instructor's own, or empty."""
    exercise = catalog.find(graded.level, str(graded.number), course)  # at its own issue and target
    sources = artifacts_in(exercise)
    counted = [source for source in sources if not _is_git_result(source)]
    unsolved = b"".join(_submitted(exercise, sources, course, "unsolved"))
    found = Compared(
        tuple(source.located(graded) for source in sources),
        len(counted),
        handed_out=_printed(course) | {*_digests_in(unsolved)} - {NOTHING},
    )
    shipped = dict.fromkeys(_recorded(exercise, counted, course), _RECORDED)
    shipped |= dict.fromkeys(_submitted(exercise, sources, course, "solved"), _SOLUTION)
    return found._replace(shipped={found.key(text): what for text, what in shipped.items()})


def _submitted(
    exercise: Exercise, sources: Sequence[Located], course: str, name: str
) -> Iterator[bytes]:
    """Yield the fingerprints of an exercise's fixtures of a name, such as `solved`."""
    below = "fixtures" if course else "fixtures/submissions"
    folder = os.path.join(
        course or ROOT, below, exercise.level, f"{exercise.number:02}-{exercise.slug}"
    )
    for fixture in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, fixture)
        if (fixture == name or fixture.startswith(f"{name}-")) and os.path.isdir(path):
            with open_folder(path) as submission:
                context = Context(exercise, submission, None, no_version)
                fingerprint = fingerprint_of(context, sources)
            if fingerprint:
                yield fingerprint


def _recorded(exercise: Exercise, sources: Sequence[Located], course: str) -> Iterator[bytes]:
    """Yield the fingerprint of the artifacts that a recorded run of the exercise leaves."""
    below = os.path.join(course or ROOT, "fixtures", "solutions")
    digests = [_replayed(below, exercise, source) for source in sources]
    if set(digests) - {NOTHING}:
        yield b"".join(digests)


def _replayed(below: str, exercise: Exercise, source: Located) -> bytes:
    if not isinstance(source, ArtifactRef):
        return NOTHING
    path = os.path.join(below, source.issue_in(exercise), source.name)
    try:
        with open(path, encoding="utf-8") as file:
            return digest_of(json.load(file))
    except (OSError, ValueError):  # there is none
        return NOTHING


@cache
def _printed(course: str) -> frozenset[bytes]:
    """Return the digests of the whole JSON documents that the course's pages print."""
    digests = set()
    for folder in _OWN_PAGES if course else _PAGES:
        place = os.path.join(course or ROOT, folder)
        for name in iglob("**/*.md*", root_dir=place, recursive=True):
            with open(os.path.join(place, name), encoding="utf-8", errors="replace") as file:
                blocks = _BLOCK.findall(file.read())
            for block in blocks:
                with suppress(ValueError, RecursionError):  # it is only part of a document
                    digests.add(digest_of(json.loads(block)))
    return frozenset(digests)


def text_of(compared: Compared) -> str:
    """Return what is compared as text for the gradebook."""
    shipped = sorted((key.hex(), what) for key, what in compared.shipped.items())
    handed_out = sorted(digest.hex() for digest in compared.handed_out)
    return json.dumps({**compared._asdict(), "shipped": shipped, "handed_out": handed_out})


def compared_of(text: str) -> Compared:
    """Return what is compared, from its text in the gradebook; raises `NotOurs`."""
    return stored(
        text,
        "what is compared",
        lambda value: Compared(
            tuple(map(str, value["paths"])),
            int(value["counted"]),
            {bytes.fromhex(key): str(what) for key, what in value["shipped"]},
            frozenset(map(bytes.fromhex, value["handed_out"])),
        ),
    )


def copies_in(
    connection: sqlite3.Connection, run: int, exercise: str, compared: Compared, *, latest: bool
) -> Iterator[Copies]:
    """Yield the groups of one exercise of a run, in the order of their fingerprints."""
    shipped = [key[: compared.width] for key in compared.shipped]
    marks = ", ".join("?" * len(shipped))
    query = _ROWS.format(last=LAST if latest else "", shipped=marks)
    rows = connection.execute(query, (compared.width, exercise, run, *shipped))
    for key, group in groupby(rows, lambda row: compared.key(row[0])):
        found_at = [row[1:] for row in group]
        members = tuple((learner, attempt) for learner, attempt, _ in found_at)
        what = compared.shipped.get(key, "")
        there = zip(compared.paths, _digests_in(key), strict=False)  # git results may not count
        paths = tuple(path for path, digest in there if digest != NOTHING)
        found = Copies(exercise, paths, what, members)
        if what or (compared.says_something(key) and _groups(found_at) > 1):
            yield found


def _groups(found_at: Iterable[tuple[str, str, str]]) -> int:
    """Return how many groups have submissions: an entry may be a whole group's."""
    groups: dict[str, set[str]] = {}
    for learner, _, place in found_at:
        groups.setdefault(place, set()).add(learner)
    return len({frozenset(group) for group in groups.values()})
