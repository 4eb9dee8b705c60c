"""foundation 03: the work of exercise 02, published by the git agent."""

from verify.course.checks import results, validity
from verify.course.exercises.shared import (
    GIT_JSON,
    GIT_RULES,
    check,
    marked,
    named_branch,
    readable,
)
from verify.grading.model import Exercise

EXERCISE = Exercise(
    level="foundation",
    number=3,
    slug="publish",
    title="Publish the work",
    target="sandbox",
    issue="ISSUE-101",
    profile="exercise",
    artifacts=(GIT_JSON,),
    checks=(
        *readable("F03", 1, GIT_JSON, apart_from=GIT_RULES),
        check("F03.4", validity.keeps_rules(GIT_JSON, "branch"), "F03.3"),
        check("F03.5", validity.keeps_rules(GIT_JSON, "commit-sha"), "F03.3"),
        check("F03.6", validity.keeps_rules(GIT_JSON, "commit-message"), "F03.3", points=2),
        marked("F03.7", GIT_JSON, "F03.3", "x-git"),
        named_branch("F03.8", GIT_JSON, "F03.4"),
        check("F03.9", results.has_pull_request(GIT_JSON), "F03.3", points=0),
        check("F03.10", validity.has_no_note(GIT_JSON, "commit-type"), "F03.6", points=0),
    ),
)
