"""The text of an issue that a forge has: fetched, and kept beside the artifacts."""

from __future__ import annotations

import os

from pipeline.files import Unreadable, write_whole
from pipeline.forges.issues import source_of
from pipeline.git import Repository
from pipeline.protocol.layout import PLAN, artifact_folder
from pipeline.protocol.markdown_issue import seen
from pipeline.run.artifacts import is_real_path
from pipeline.run.assignment import COPY, Prompt, target_of
from pipeline.terminal.fault import unusable


def received(
    prompt: Prompt, root: str, project: str, *, remote: str, forge: str, fetch: bool
) -> Prompt:
    """Return a prompt by the id of the forge's issue that it names, whose text is then in a file.

    With `fetch` it is fetched again until there is a plan, which is made for one text.
    """
    source = source_of(prompt.place, Repository(root), os.environ, remote=remote, forge=forge)
    folder = os.path.join(root, *artifact_folder(target_of(root, project), source.id).split("/"))
    try:
        is_planned = is_real_path(folder) and os.path.exists(os.path.join(folder, PLAN))
    except Unreadable as error:
        raise unusable(str(error)) from None
    path = os.path.join(folder, COPY)
    if fetch and not (is_planned and os.path.exists(path)):
        title, text = source.fetch()
        os.makedirs(folder, exist_ok=True)
        write_whole(path, f"# {source.id}: {title or 'Untitled'}\n\n{seen(text)}\n".encode())
    closes = prompt.place if prompt.place.startswith("#") else source.page
    return Prompt(source.id, prompt.task, closes)
