"""Three of the four checks of benchmarks/peers.py as gatorgrade runs them: one process each."""

import json
import sys

with open("plan.json", encoding="utf-8") as file:
    plan = json.load(file)
if sys.argv[1] == "fields" and not {"affected_files", "steps"} <= plan.keys():
    sys.exit(1)
if sys.argv[1] == "agree":
    sys.exit({step["file"] for step in plan["steps"]} != set(plan["affected_files"]))
