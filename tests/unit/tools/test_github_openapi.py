"""The kept cut of GitHub's description holds the operations that are used, and nothing else."""

from __future__ import annotations

import copy
import json

from tools.github_openapi import CUT, OPERATIONS, cut


def test_the_kept_cut_is_what_is_used_as_it_is_without_texts() -> None:
    kept = json.loads(CUT.read_text(encoding="utf-8"))
    whole = copy.deepcopy(kept)
    whole["paths"]["/unused"] = {"get": {"responses": {}}}
    whole["components"]["schemas"]["unused"] = {"type": "string"}
    first = next(iter(OPERATIONS))
    whole["paths"][first][OPERATIONS[first][0]]["summary"] = "text"

    assert kept["paths"].keys() == OPERATIONS.keys()
    assert cut(whole) == cut(kept) == kept
