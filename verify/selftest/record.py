"""The proof for programs: one JSON document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verify.selftest.proof import Proof


def record(proof: Proof) -> str:
    """Return the proof as JSON in ASCII: rows, excuses with their mutants, defects."""
    value = {
        "schema": "urn:issue-pipeline:self-test:1",
        "version": 1,
        "proven": not proof.defects,
        "exercises": [row._asdict() for row in proof.rows],
        "excuses": [{**excuse._asdict(), "mutants": n} for excuse, n in proof.excused],
        "defects": [defect._asdict() for defect in proof.defects],
    }
    return json.dumps(value, indent=2) + "\n"
