"""The forges by name: a new one is one line here."""

from collections.abc import Callable

from pipeline.forges.base import Forge
from pipeline.forges.gitea import Gitea
from pipeline.forges.github import GitHub
from pipeline.forges.gitlab import GitLab
from pipeline.forges.local import Local

FORGES: dict[str, Callable[[str], Forge]] = {
    "local": lambda _: Local(),
    "github": GitHub,
    "gitlab": GitLab,
    "gitea": Gitea,
}
