"""Small correct examples, shown with a failure when hints are asked for."""

FILES_AND_STEPS = """\
"affected_files": ["src/health/routes.js", "test/health/routes.test.js"],
"steps": [
  {"order": 1, "file": "src/health/routes.js", "description": "Add a route"},
  {"order": 2, "file": "test/health/routes.test.js", "description": "Test it"}
]"""

TWO_DOMAINS = """\
"steps": [
  {"order": 1, "file": "src/health/routes.js", "description": "Add a route"},
  {"order": 2, "file": "src/metrics/store.js", "description": "Count its calls"},
  {"order": 3, "file": "test/health/routes.test.js", "description": "Cover the route"},
  {"order": 4, "file": "test/metrics/store.test.js", "description": "Cover the count"}
]"""

MAPPING = """\
"acceptance_mapping": {
  "AC1_status": "test/health/routes.test.js",
  "AC2_shape": "test/health/routes.test.js"
}"""

_FIELDS = f'{FILES_AND_STEPS},\n{MAPPING},\n"produced_by": "x-subplanner"'.replace("\n", "\n  ")
_PLAN = f"{{\n  {_FIELDS}\n}}"

PLAN_OF_PLANNER = _PLAN.replace("x-subplanner", "x-planner")  # for a plan that is written by hand
EXAMPLES = {
    "plan.json": _PLAN,
    "worker-result.json": """\
{
  "status": "completed",
  "files_changed": ["src/health/routes.js", "test/health/routes.test.js"],
  "blockers": [],
  "summary": "Adds the health endpoint, with its tests",
  "produced_by": "x-worker"
}""",
    "git-result.json": """\
{
  "branch": "feature/issue-7-health",
  "commit_sha": "3f1c9ab",
  "commit_message": "feat: add a health endpoint",
  "pr_url": "https://git.example.org/team/project/pull/7",
  "produced_by": "x-git"
}""",
}

CLASSIFICATION = """\
{
  "task": "Fix a typo in the README",
  "file_count": 1,
  "domain_scope": "single",
  "signals": ["single file", "documentation only", "no tests"],
  "tier": "trivial",
  "agents": ["x-worker-fast", "x-reviewer-fast"]
}"""

STRICT_JSON = '{"issue_id": "ISSUE-7", "blockers": []}'
