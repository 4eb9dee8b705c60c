"""foundation 03: the work of exercise 02, published by the git agent."""

from verify.course.checks import results, validity
from verify.course.exercises.shared import GIT_JSON, GIT_RULES, marked, named_branch, readable
from verify.grading.model import Check, Exercise

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
        Check(
            code="F03.4",
            title="the branch is feature/<slug>",
            run=validity.keeps_rules(GIT_JSON, "branch"),
            hint="Name the branch `feature/<slug>`. The slug has the issue's id and a short title.",
            look_at="What `git branch` prints, and the value of `branch`.",
            why="People and scripts find the work on an issue by a branch name of this form.",
            example='"branch": "feature/issue-7-health"',
            requires=("F03.3",),
        ),
        Check(
            code="F03.5",
            title="the commit is given by its hash",
            run=validity.keeps_rules(GIT_JSON, "commit-sha"),
            hint="Copy the hash that git printed: 7 hexadecimal digits or more.",
            look_at="The first line that `git log -1` prints, and the value of `commit_sha`.",
            why="The hash is the only name that always means the same commit.",
            example='"commit_sha": "3f1c9ab"',
            requires=("F03.3",),
        ),
        Check(
            code="F03.6",
            title="the message is a conventional commit",
            run=validity.keeps_rules(GIT_JSON, "commit-message"),
            hint="Write `<type>: <description>`, for example `feat: add a health endpoint`.",
            look_at="The first line of `commit_message`, up to its colon.",
            why="Tools generate changelogs and version numbers from messages in this form.",
            example='"commit_message": "feat: add a health endpoint"',
            points=2,
            requires=("F03.3",),
        ),
        marked("F03.7", GIT_JSON, "F03.3", "x-git"),
        named_branch("F03.8", GIT_JSON, "F03.4"),
        Check(
            code="F03.9",
            title="the pull request's URL is given",
            run=results.has_pull_request(GIT_JSON),
            hint="Open the pull request, and write its URL to `pr_url`.",
            look_at="The value of `pr_url`, and the URL of the pull request in your browser.",
            why="A run ends with a pull request that a person can open and review.",
            example='"pr_url": "https://git.example.org/team/project/pull/7"',
            points=0,
            requires=("F03.3",),
        ),
        Check(
            code="F03.10",
            title="the commit has one of the usual types",
            run=validity.has_no_note(GIT_JSON, "commit-type"),
            hint="Choose the type that says what the work is, such as `feat`, `fix` or `docs`.",
            look_at="The first word of `commit_message`.",
            why="Tools sort a changelog by these types, and leave out what they do not know.",
            example='"commit_message": "feat: add a health endpoint"',
            points=0,
            requires=("F03.6",),
        ),
    ),
)
