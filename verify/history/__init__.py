"""The git history that came with a submission, read by dulwich: bounded, from bytes alone."""

from pipeline.files import TOO_LARGE, Unreadable

GIT = ".git"
BUNDLE = ".pipeline/history.bundle"
SUBMODULE = 0o160000  # git's mode


class BeyondLimits(Unreadable):
    """A question that needs more of a history than is read; `what` is the limit."""

    def __init__(self, what: str) -> None:
        super().__init__(TOO_LARGE, f"cannot be read within the limits: {what}")
