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
        ask="What changes besides the one word: any code, any test?",
        reason="One file, documentation only, and no test: find the case that names these.",
        signals=("single file", "documentation only", "no tests"),
    ),
    Scenario(
        name="endpoint",
        task="Add a GET endpoint that returns a user's profile, with input validation and tests.",
        tier="standard",
        domain_scope="single",
        least_files=3,
        most_files=3,
        ask="Is anything new in kind, or does all of it follow patterns that are there?",
        reason="A route, its validation and its tests follow patterns of one domain.",
        signals=("follows patterns that are there", "no new abstractions", "tests needed"),
    ),
    Scenario(
        name="chat",
        task="Build a real-time chat over WebSocket with message persistence and rate limiting.",
        tier="complex",
        domain_scope="cross-domain",
        least_files=6,
        ask="What has to be invented before it works, and what stays open or is shared meanwhile?",
        reason="New abstractions come together with open connections, limits and stored messages.",
        signals=("new abstractions", "concurrency", "security"),
    ),
    Scenario(
        name="rename",
        task="Rename the class UserManager to AccountManager across the whole codebase.",
        tier="trivial",
        domain_scope="single",
        least_files=2,
        ask="Does any edit differ from the others, however many there are?",
        reason="The same edit everywhere, without new logic: the number of files does not decide.",
        signals=("purely mechanical", "no new logic"),
    ),
    Scenario(
        name="access-control",
        task="Introduce role-based access control: three roles and middleware that enforces them.",
        tier="complex",
        domain_scope="cross-domain",
        least_files=4,
        ask="Who may do what afterwards, and what has to be built for that first?",
        reason="Authorization that needs roles and a middleware: few files do not make it small.",
        signals=("security: authorization", "new abstractions"),
    ),
)
