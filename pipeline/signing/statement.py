"""The statement about one artifact: an in-toto Statement v1 with a predicate of our own.

https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md and, for the envelope,
https://github.com/secure-systems-lab/dsse.
"""

from __future__ import annotations

import json
from typing import Literal

from typing_extensions import NotRequired, TypedDict

from pipeline.protocol.layout import GIT_RESULT, PLAN, WORKER_RESULT
from pipeline.protocol.patterns import open_fields

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:issue-pipeline:turn:1"
PAYLOAD = "application/vnd.in-toto+json"

FOLDER = "witness"  # in the issue's folder, beside the artifacts
MAX_ENVELOPE = 1 << 16  # bytes: an envelope of ours has about three thousand
INPUTS = {PLAN: (), WORKER_RESULT: (PLAN,), GIT_RESULT: (PLAN, WORKER_RESULT)}


@open_fields
class Digest(TypedDict):
    """A digest, in hexadecimal."""

    sha256: str


@open_fields
class Resource(TypedDict):
    """A file by its path relative to the repository, and the digest of its bytes."""

    name: str
    digest: Digest


@open_fields
class Tree(TypedDict):
    """The repository around a turn: the commit that was checked out, and what differed from it.

    `before` and `after` are digests (SHA-256, hexadecimal) of the commit and of a mark for each
    file that differs from it, as the runner saw them.
    """

    commit: str
    before: str
    after: str


@open_fields
class Model(TypedDict):
    """The model that was requested and the one that the client confirmed; empty: not known."""

    asked: str
    confirmed: str


@open_fields
class Tool(TypedDict):
    """The program that witnessed the turn."""

    name: str
    version: str


class Seen(TypedDict):
    """What the runner saw of a turn, without what the signature adds."""

    issue: str
    target: str
    stage: Literal["plan", "implement", "publish"]
    role: str
    prompted: str
    mode: Literal["sequential", "delegated"]
    wrote: Literal["agent", "runner"]
    driver: str
    client: str
    model: Model
    turn: int
    tree: Tree


@open_fields
class Predicate(Seen):
    """What the runner saw of the turn that left an artifact.

    `role` is who was asked for it, `prompted` whose session got the prompt: the planner if
    `mode` is `delegated`, empty if an earlier run had asked. `wrote` says who wrote it: the
    runner writes git-result.json itself. `turn` counts the prompts of the run from 1; 0 where
    no agent was prompted. `inputs` are the artifacts that it was made from.
    """

    inputs: list[Resource]
    tool: Tool


@open_fields
class Statement(TypedDict):
    """An in-toto Statement v1 about one artifact."""

    _type: Literal["https://in-toto.io/Statement/v1"]
    subject: list[Resource]
    predicateType: Literal["urn:issue-pipeline:turn:1"]
    predicate: Predicate


@open_fields
class Signature(TypedDict):
    """A signature over the payload, base64; `keyid` is a hint that nothing relies on."""

    sig: str
    keyid: NotRequired[str]


@open_fields
class EnvelopeRecord(TypedDict):
    """A DSSE envelope; `payload` is the statement as JSON, in base64."""

    payload: str
    payloadType: Literal["application/vnd.in-toto+json"]
    signatures: list[Signature]


def resource(name: str, sha256: str) -> Resource:
    """Return a file as statements name it."""
    return {"name": name, "digest": {"sha256": sha256}}


def statement(path: str, sha256: str, predicate: Predicate) -> bytes:
    """Return the bytes to sign: a statement about the artifact at a path."""
    value = {
        "_type": STATEMENT,
        "subject": [resource(path, sha256)],
        "predicateType": PREDICATE,
        "predicate": predicate,
    }
    return json.dumps(value, sort_keys=True).encode()


def envelope_name(artifact: str) -> str:
    """Return the path of an artifact's envelope, relative to the issue's folder."""
    return f"{FOLDER}/{artifact.removesuffix('.json')}.dsse.json"
