"""Attests the artifacts of a run: holds the key, counts the turns, and puts envelopes in place."""

from __future__ import annotations

import hashlib
import json
import os
import re
from importlib import metadata
from typing import TYPE_CHECKING

from pipeline.files import Unreadable, read_file, sweep, write_json
from pipeline.signing.envelope import Expected, signed, why_not
from pipeline.signing.keys import private_key
from pipeline.signing.statement import (
    FOLDER,
    INPUTS,
    MAX_ENVELOPE,
    envelope_name,
    resource,
    statement,
)
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.signing.statement import Predicate, Seen, Tool

_DISTRIBUTION = "issue-pipeline-course"
# git's own settings are of one machine, and the runner writes the others between the turns
_OF_RUN = rf"{FOLDER}(?:/.*)?|[^/]*(?:test|review)-result\.json|test-output\.txt|history\.jsonl"
_APART = re.compile(rf"\.git/.*|(?:.*/)?\.pipeline/[^/]+/(?:{_OF_RUN})", re.DOTALL)


class Attester:
    """Signs the artifacts of one run; `turns` counts the prompts of the run."""

    def __init__(self, key_path: str, root: str) -> None:
        self._key = private_key(key_path, root)
        self.turns = 0

    def attest(self, folder: str, path: str, digests: Mapping[str, str], seen: Seen) -> str:
        """Write the envelope of the artifact at `path` and return its name in the issue's folder.

        `folder` is the absolute path of that folder, `path` relative to the repository. `digests`
        are those of the issue's artifacts by their names.

        Raises:
            Fault: a link leads to another folder.
            OSError: it cannot be written; an envelope that was there stays.
        """
        shown, _, artifact = path.rpartition("/")
        name = envelope_name(artifact)
        place = os.path.join(folder, FOLDER)
        if os.path.realpath(place) != os.path.join(os.path.realpath(folder), FOLDER):
            raise Fault(f"{shown}/{FOLDER} leads to a different folder: remove the link")
        sweep(place)
        inputs = [
            resource(f"{shown}/{source}", digests[source])
            for source in INPUTS[artifact]
            if source in digests
        ]
        tool: Tool = {"name": _DISTRIBUTION, "version": metadata.version(_DISTRIBUTION)}
        predicate: Predicate = {**seen, "inputs": inputs, "tool": tool}
        payload = statement(path, digests[artifact], predicate)
        write_json(os.path.join(folder, name), signed(payload, self._key))
        return name

    def has_attested(self, folder: str, path: str, issue: str, role: str) -> bool:
        """Return whether the artifact at `path` has an envelope by this key that fits it."""

        def digest_of(source: str) -> str:
            name = source.rpartition("/")[2]
            return hashlib.sha256(read_file(os.path.join(folder, name))).hexdigest()

        envelope = os.path.join(folder, envelope_name(path.rpartition("/")[2]))
        try:
            data = read_file(envelope, MAX_ENVELOPE)
            expected = Expected(path, digest_of(path), issue, role, digest_of)
            return not why_not(data, self._key.public_key(), expected)
        except Unreadable:
            return False

    @staticmethod
    def tree_digest(sha: str, files: Mapping[str, str]) -> str:
        """Return the SHA-256, in hexadecimal, of a commit and the marks of what differs from it.

        It is that of a JSON array in ASCII: the commit's id, then path and mark of each file,
        sorted.
        """
        marks = [[name, mark] for name, mark in sorted(files.items()) if not _APART.fullmatch(name)]
        return hashlib.sha256(json.dumps([sha, *marks]).encode("ascii")).hexdigest()
