"""Attests the artifacts of a run: holds the key, counts the turns, and puts envelopes in place."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.files import Unreadable, read_file, sweep, write_json
from pipeline.witness.checking import Expected, why_not
from pipeline.witness.envelope import signed
from pipeline.witness.keys import private_key
from pipeline.witness.statement import FOLDER, MAX_ENVELOPE, envelope_name, statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.witness.statement import Predicate


class Misplaced(Exception):
    """The folder of the envelopes is somewhere else: nothing was written there."""


class Attester:
    """The witness of one run.

    `models` are the ids of models that the user asked for by role, `*` for every role. `turns`
    counts the prompts of the run.

    Raises:
        KeyFault: the key cannot be used.
    """

    def __init__(self, key_path: str, root: str, models: Mapping[str, str]) -> None:
        self._key = private_key(key_path, root)
        self._models = dict(models)
        self.turns = 0

    def asked(self, role: str, otherwise: str) -> str:
        """Return the model that was asked for a role: the user's, else the routing table's."""
        return self._models.get(role) or self._models.get("*") or otherwise

    def attest(self, folder: str, path: str, sha256: str, predicate: Predicate) -> str:
        """Write the envelope of the artifact at `path` and return its name in the issue's folder.

        Args:
            folder: the absolute path of the issue's folder.
            path: the artifact's, relative to the repository.
            sha256: the digest of its bytes.
            predicate: what was seen.

        Raises:
            Misplaced: a link leads to another folder.
            OSError: it cannot be written; an envelope that was there stays.
        """
        name = envelope_name(path.rpartition("/")[2])
        place = os.path.join(folder, FOLDER)
        if os.path.lexists(place) and os.path.realpath(place) != os.path.join(
            os.path.realpath(folder), FOLDER
        ):
            raise Misplaced(place)
        sweep(place)
        payload = statement(path, sha256, predicate)
        write_json(os.path.join(folder, *name.split("/")), signed(payload, self._key))
        return name

    def has_attested(self, folder: str, expected: Expected) -> bool:
        """Tell whether an artifact has an envelope by this key that fits it."""
        name = envelope_name(expected.path.rpartition("/")[2])
        try:
            data = read_file(os.path.join(folder, *name.split("/")), MAX_ENVELOPE)
        except Unreadable:
            return False
        return not why_not(data, self._key.public_key(), expected)
