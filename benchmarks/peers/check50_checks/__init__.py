"""The four checks of benchmarks/peers.py for check50; each waits for the one before it."""

import json
from typing import Any

import check50  # type: ignore[import-not-found]  # installed by the benchmark, beside the project


def plan() -> Any:
    """Return the parsed plan."""
    with open("plan.json", encoding="utf-8") as file:
        return json.load(file)


@check50.check()  # type: ignore[untyped-decorator]  # check50 has no types
def exists() -> None:
    """plan.json exists"""  # noqa: D415  # shown to learners as the check's name
    check50.exists("plan.json")


@check50.check(exists)  # type: ignore[untyped-decorator]  # as above
def valid() -> None:
    """plan.json is JSON"""  # noqa: D415  # as above
    try:
        plan()
    except ValueError as error:
        raise check50.Failure(str(error)) from None


@check50.check(valid)  # type: ignore[untyped-decorator]  # as above
def fields() -> None:
    """plan.json has its fields"""  # noqa: D415  # as above
    for field in ("affected_files", "steps"):
        if field not in plan():
            raise check50.Failure(f"{field} is missing")


@check50.check(fields)  # type: ignore[untyped-decorator]  # as above
def agree() -> None:
    """affected_files and steps name the same files"""  # noqa: D415  # as above
    document = plan()
    planned = sorted({step["file"] for step in document["steps"]})
    affected = sorted(set(document["affected_files"]))
    if planned != affected:
        raise check50.Mismatch(str(planned), str(affected))
