"""The exit codes of every command: an interface, the same everywhere."""

PASSED = 0  # everything that was graded or validated passed
FAILED = 1  # graded or validated, and something failed
UNUSABLE = 2  # wrong usage, or nothing that could be graded
BROKEN = 3  # the harness itself failed, or its report could not be delivered
INTERRUPTED = 130
