"""basics 02: what the team learned, as an artifact of this course."""

from verify.api import (
    Check,
    Context,
    Exercise,
    Problem,
    Verdict,
    listed,
    own_artifact,
    quoted,
    readable,
)

RETRO = own_artifact("retro.json", beside=__file__)


def owners_are_in_the_team(context: Context) -> Verdict:
    """Pass where every action belongs to a member of the team: a schema cannot express that."""
    artifact = context.artifact(RETRO)
    team = artifact.value["team"]
    problems = [
        Problem(
            rule="owner",
            path=("actions", index, "owner"),
            message="the team has no member of this name",
            expected=f"one of {listed(team)}",
            found=quoted(action["owner"]),
        )
        for index, action in enumerate(artifact.value["actions"])
        if action["owner"] not in team
    ]
    return artifact.failed_at(problems)


EXERCISE = Exercise(
    level="basics",
    number=2,
    slug="retro",
    title="Look back",
    issue="ISSUE-1",
    artifacts=(RETRO,),
    checks=(
        *readable("B02", 1, RETRO),
        Check(
            code="B02.4",
            title="every action belongs to a member of the team",
            run=owners_are_in_the_team,
            look_at="The owner of each action and the names in `team`. Every letter must match.",
            hint="Give each action to a member of the team, or add the missing member.",
            why="An action without an owner is rarely done.",
            example='"team": ["Ada", "Grace"],\n"actions": [{"what": "…", "owner": "Ada", …}]',
            points=2,
            requires=("B02.3",),
        ),
    ),
)
