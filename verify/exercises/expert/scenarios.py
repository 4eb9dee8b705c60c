"""The five scenarios of the classification exercise (specification, section 2.5)."""

from verify.checks.classification import Scenario

SCENARIOS = (
    Scenario(
        name="typo",
        task="Fix a typo in the README: one word of the introduction is misspelt.",
        tier="trivial",
        domain_scope="single",
        least_files=1,
        most_files=1,
    ),
    Scenario(
        name="endpoint",
        task="Add a GET endpoint that returns a user's profile, with input validation and tests.",
        tier="standard",
        domain_scope="single",
        least_files=3,
        most_files=3,
    ),
    Scenario(
        name="chat",
        task="Build a real-time chat over WebSocket with message persistence and rate limiting.",
        tier="complex",
        domain_scope="cross-domain",
        least_files=6,
    ),
    Scenario(
        name="rename",
        task="Rename the class UserManager to AccountManager across the whole codebase.",
        tier="trivial",
        domain_scope="single",
        least_files=2,
    ),
    Scenario(
        name="access-control",
        task="Introduce role-based access control: three roles and middleware that enforces them.",
        tier="complex",
        domain_scope="cross-domain",
        least_files=4,
    ),
)
