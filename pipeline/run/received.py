"""The text of an issue that a forge has: fetched, and kept beside the artifacts."""

from __future__ import annotations

import os

from pipeline.files import Unreadable, read_file, system_path, write_whole
from pipeline.forges.issues import source_of
from pipeline.git import Repository
from pipeline.protocol.layout import PLAN, artifact_folder
from pipeline.protocol.markdown_issue import seen
from pipeline.run.artifacts import is_real_path
from pipeline.run.assignment import COPY, Prompt, target_of
from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable


def received(
    prompt: Prompt, root: str, project: str, *, remote: str, forge: str, fetch: bool
) -> Prompt:
    """Return a prompt by the id of the forge's issue that it names, whose text is then in a file.

    With `fetch` it is fetched again until there is a plan, which is made for one text.
    """
    source = source_of(prompt.place, Repository(root), os.environ, remote=remote, forge=forge)
    folder = system_path(root, artifact_folder(target_of(root, project), source.id))
    try:
        is_planned = is_real_path(folder) and os.path.exists(os.path.join(folder, PLAN))
    except Unreadable as error:
        raise unusable(str(error)) from None
    path = os.path.join(folder, COPY)
    last = f"Source: {source.page}"  # the id has no more than the number
    if is_planned and os.path.exists(path):
        if _last_line(path) != last:
            raise unusable(
                f"{visible(folder, 300)}: is of an issue {source.id} at another address (expected "
                f"{visible(source.page, 300)}): move this folder away, or work in another clone"
            )
    elif fetch:
        title, text = source.fetch()
        os.makedirs(folder, exist_ok=True)
        copy = f"# {source.id}: {title or 'Untitled'}\n\n{seen(text)}\n\n{last}\n"
        write_whole(path, copy.encode())
    closes = prompt.place if prompt.place.startswith("#") else source.page
    return Prompt(source.id, prompt.task, closes)


def _last_line(path: str) -> str:
    try:
        return read_file(path, follow=False).decode("utf-8", "replace").rstrip().rpartition("\n")[2]
    except Unreadable as error:
        raise unusable(str(error)) from None
