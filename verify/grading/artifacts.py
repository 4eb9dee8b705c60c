"""What a check is given: one submission seen through one exercise, each file parsed once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pipeline.files import Unreadable
from pipeline.protocol.json_text import locate, text_of
from pipeline.protocol.layout import artifact_folder, composed, loose
from pipeline.protocol.validate import kind_of, validate
from pipeline.schema import KINDS
from verify.grading.model import PASSED, SHOWN_FINDINGS, Finding, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.protocol.issue import Issue
    from pipeline.protocol.problems import Problem
    from pipeline.protocol.validate import Kind, Validation
    from pipeline.terminal.programs import VersionOf
    from verify.grading.model import Exercise
    from verify.submissions.submission import Submission


class SchemaKind(Protocol):
    """A kind of artifact that a JSON Schema of an instructor describes: no model, and no rules."""

    kind: Kind
    example: str  # a small valid example from its schema, empty if the schema has none

    def validate(self, data: bytes) -> Validation:
        """Return what is wrong with an artifact, as `pipeline.protocol.validate.validate` does."""


class ArtifactRef:
    """Which artifact a check reads: a name in an issue's folder, or its own path.

    `issue` is the exercise's own issue unless given; `path` is relative to the submission root.
    `schema` is the kind of an artifact that the protocol does not know. Checks that share an
    artifact share its source: it is compared by identity.
    """

    __slots__ = ("issue", "kind", "name", "path", "schema")

    def __init__(
        self, name: str, *, issue: str = "", path: str = "", schema: SchemaKind | None = None
    ) -> None:
        kind = kind_of(name, KINDS) if schema is None else schema.kind
        if kind is None:
            raise ValueError(
                f"{name} is not an artifact of the protocol: use own_artifact for your own"
            )
        self.name = name
        self.kind = kind
        self.issue = issue
        self.path = path
        self.schema = schema

    def issue_in(self, exercise: Exercise) -> str:
        """Return the id of the issue that the artifact belongs to, empty where there is none."""
        return self.issue or exercise.issue or ""

    def located(self, exercise: Exercise) -> str:
        """Return the artifact's path relative to the submission root."""
        if self.path:
            return self.path
        return f"{artifact_folder(exercise.target or '.', self.issue_in(exercise))}/{self.name}"


class Artifact(NamedTuple):
    """An artifact of a submission: `unreadable`, not JSON (`value` None), or parsed."""

    file: str
    value: Any = None
    problems: tuple[Problem, ...] = ()  #: all of its validation, in document order
    data: bytes = b""  #: the bytes that were read, empty where it is unreadable
    unreadable: Unreadable | None = None

    def failed(self, problems: Sequence[Problem]) -> Verdict:
        """Return PASSED for no problem, else a failure with the first few, placed in the file."""
        if not problems:
            return PASSED
        findings = tuple(Finding.of(problem, self.file) for problem in problems[:SHOWN_FINDINGS])
        return Verdict(Outcome.FAIL, findings, len(problems) - len(findings))

    def failed_at(self, problems: Sequence[Problem]) -> Verdict:
        """Return a verdict as `failed` does, on problems that have no line and column yet."""
        if not problems:
            return PASSED
        return self.failed(locate(text_of(self.data), problems))


@dataclass(eq=False)
class Context:
    """One submission seen through one exercise."""

    exercise: Exercise
    submission: Submission
    issue: Issue | None  #: the course's text of the exercise's issue, None where it has none
    version_of: VersionOf  #: of a program on the machine that grades
    exercises_in: Callable[[str], str] = lambda _: ""  #: the names of those with work in a folder
    #: asks the running service: the check's code, the issue, the label; None where nothing is run
    ask: Callable[[str, str, str], Verdict] | None = field(default=None, init=False)
    #: asks the submission's tests: the issue, the question; None likewise
    test: Callable[[str, str], Verdict] | None = field(default=None, init=False)
    _artifacts: dict[ArtifactRef, Artifact] = field(default_factory=dict, init=False)

    def artifact(self, source: ArtifactRef) -> Artifact:
        """Return an artifact, read and validated on first use under the exercise's profile."""
        found = self._artifacts.get(source)
        if found is None:
            found = self._artifacts[source] = self._load(source)
        return found

    def _load(self, source: ArtifactRef) -> Artifact:
        file = source.located(self.exercise)
        try:
            data = self.submission.read(actual_path(self.submission, file))
        except Unreadable as error:
            return Artifact(file, unreadable=error)
        if source.schema is not None:
            return Artifact(file, *source.schema.validate(data), data)
        return Artifact(file, *validate(data, source.kind, self.exercise.profile), data)


CheckFunction = Callable[[Context], Verdict]


def actual_path(
    submission: Submission, path: str, seen: dict[str, dict[str, str]] | None = None
) -> str:
    """Return the path as the submission writes it, the path itself where there is none.

    Names are compared after NFC. `seen` are the folders that were listed before, for the next path.
    """
    if path.isascii():
        return path
    seen = {} if seen is None else seen
    walked = ""
    for name in path.split("/"):
        if walked not in seen:
            seen[walked] = _by_form(submission, walked)
        there = seen[walked].get(name) or seen[walked].get(composed(name))
        if there is None:
            return path
        walked = f"{walked}/{there}" if walked else there
    return walked


def likely_path(submission: Submission, path: str) -> str:
    """Return the one file whose path is loosely this one, empty where there is none."""
    walked: list[str] = []
    for name in path.split("/"):
        names = _by_form(submission, "/".join(walked)).values()
        near = {there for there in names if there == name or loose(there) == loose(name)}
        if name not in near and len(near) != 1:
            return ""
        walked.append(name if name in near else near.pop())
    found = "/".join(walked)
    return found if submission.is_file(found) else ""


def names_in(submission: Submission, folder: str) -> list[str]:
    """Return the names in a folder, none if it cannot be listed."""
    try:
        return submission.names(folder)
    except Unreadable:
        return []


def _by_form(submission: Submission, folder: str) -> dict[str, str]:
    """Return a folder's names by name and by NFC form (the first name of each form)."""
    names = names_in(submission, folder)
    return {**{composed(name): name for name in reversed(names)}, **{name: name for name in names}}
