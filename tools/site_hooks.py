"""Fits the pages to the documentation site: one source reads well on a forge and on the site.

MkDocs calls the functions `on_…` (mkdocs.yml, `hooks`). Links are written for a forge: a link that
leaves `docs/` leads to a page of the site if the file is shown there, and becomes text that names
the file if not. A target that the repository does not have is left for MkDocs to report.
"""

from __future__ import annotations

import os
import posixpath
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit
from xml.etree import ElementTree as ET  # builds elements, parses nothing

from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString
from mkdocs.structure.files import File, InclusionLevel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown import Markdown
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ET.HTML_EMPTY.add("wbr")  # which Python 3.10 does not know yet
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ISSUES = "sandbox/issues"
TABBED = "## Do it"
_MARK = re.compile(r"<!-- (?:generated: .*|end) -->")
_SEARCH = '<div class="md-search" data-md-component="search" role="dialog"'
_INNER_NAV = re.compile(
    r'(<nav class="md-nav" data-md-level="[1-9]") aria-labelledby="[^"]*" aria-expanded="[^"]*"'
)
_COMMANDS = re.compile(r'<div class="language-(sh|powershell|console) .*?</pre>', re.DOTALL)
# a command, but not one of --help: its explanation has a column of its own
_COMMAND = re.compile(r"\s*(\$|python3) (?!.*\S {2,}\S)")
_TAG = re.compile(r"<[^>]*>")
_GAP = re.compile(r"<[^>]*>|[/ (]+")
# x-planner, --model: short enough to stay on one line of a phone
_NAME = re.compile(r"(?=.{3,12}$)[\w-]*-[\w-]*")
_FENCE = re.compile(r"(?:> ?)*\s*(```+|~~~+)")


def shown_elsewhere() -> dict[str, str]:
    """Return the files outside `docs/` that the site shows, with their places on the site."""
    names = sorted(os.listdir(os.path.join(ROOT, ISSUES)))
    issues = [name for name in names if name.endswith(".md")]
    return {
        "CONTRIBUTING.md": "contributing.md",
        "CHANGELOG.md": "changelog.md",
        "sandbox/README.md": "issues/index.md",
        **{f"{ISSUES}/{name}": f"issues/{name}" for name in issues},
    }


class RepositoryLinks(Extension):
    """The Markdown extension that rewrites the links of one page after the other.

    `places` leads from paths of the repository to those of the site.
    """

    def __init__(self) -> None:
        super().__init__()
        self.places: dict[str, str] = {}
        self.page = ""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  # Markdown's own name
        """Register the rewriting after inline parsing (20) and before MkDocs' own look (0)."""
        md.treeprocessors.register(_Rewriting(self), "repository-links", 15)

    def target(self, url: str) -> str:
        """Return the path, from the repository's root, that a link leads to; empty for none."""
        parts = urlsplit(url)
        if parts.scheme or parts.netloc or not parts.path or parts.path.startswith("/"):
            return ""
        origins = {place: path for path, place in self.places.items()}
        folder = posixpath.dirname(origins[self.page])
        return posixpath.normpath(posixpath.join(folder, unquote(parts.path)))

    def on_site(self, url: str, target: str) -> str:
        """Return the link as it is written between pages of the site."""
        path = posixpath.relpath(self.places[target], posixpath.dirname(self.page) or ".")
        return urlunsplit(("", "", path, "", urlsplit(url).fragment))


class _Rewriting(Treeprocessor):
    def __init__(self, links: RepositoryLinks) -> None:
        super().__init__()
        self.links = links

    def run(self, root: ET.Element) -> None:
        for element in list(root.iter("a")):
            url = element.get("href", "")
            target = self.links.target(url)
            if target in self.links.places:
                element.set("href", self.links.on_site(url, target))
            elif target and os.path.exists(os.path.join(ROOT, target)):
                _unlink(element, target)
        for code in root.iter("code"):
            if _NAME.fullmatch(code.text or ""):
                code.set("class", "name")
        for cell in root.iter("td"):
            for code in cell.iter("code"):
                _let_break(code)


def _unlink(element: ET.Element, path: str) -> None:
    """Make a link plain text, followed by the path of its target unless it is the text."""
    tail, text = element.tail, "".join(element.itertext())
    element.clear()
    element.tag, element.tail = "span", tail
    named = path.endswith(text.strip("./"))
    element.text = None if named else AtomicString(f"{text} (")
    code = ET.SubElement(element, "code")
    code.text, code.tail = AtomicString(path), None if named else ")"


def _let_break(code: ET.Element) -> None:
    r"""Let a long name in a cell break after its separators, never within a word.

    A forge needs `\|` for a bar in a cell; Markdown for the site would show the backslash.
    """
    first, *parts = re.split(r"(?<=[/_.=])(?=\w)", (code.text or "").replace("\\|", "|"))
    code.text = AtomicString(first)
    for part in parts:
        ET.SubElement(code, "wbr").tail = AtomicString(part)


LINKS = RepositoryLinks()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the rewriting, and leave out the page for wrong addresses: only a server shows it."""
    config.markdown_extensions.append(LINKS)  # type: ignore[arg-type]  # an instance is as good as a name
    config.theme.static_templates.discard("404.html")
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside `docs/` and record the place of every file of the site."""
    places = shown_elsewhere()
    for path, place in places.items():
        files.append(File.generated(config, place, abs_src_path=os.path.join(ROOT, path)))
    inside = {
        f"docs/{f.src_uri}": f.src_uri for f in files if f.inclusion is not InclusionLevel.EXCLUDED
    }
    LINKS.places = {**inside, **places}
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001  # MkDocs' names
    """Tell the rewriting which page comes next, remove the regions' marks, and make the tabs."""
    LINKS.page = page.file.src_uri
    return with_tabs(without_marks(markdown))


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001  # MkDocs' names
    """Name the search, leave one landmark of the nested navigations, let commands break."""
    named = output.replace(_SEARCH, f'{_SEARCH} aria-label="Search"')
    return _COMMANDS.sub(_breakable, _INNER_NAV.sub(r'\1 role="none"', named))


def _breakable(block: re.Match[str]) -> str:
    """Return a block in which commands may break between words and after a slash."""
    lines = block[0].split("\n")
    if block[1] == "console":  # the rest is tables
        return "\n".join(
            _broken(line) if _COMMAND.match(_TAG.sub("", line)) else line for line in lines
        )
    return "\n".join(map(_broken, lines))


def _broken(line: str) -> str:
    return _GAP.sub(lambda gap: gap[0] if gap[0].startswith("<") else f"{gap[0]}<wbr>", line)


def without_marks(markdown: str) -> str:
    """Return a page without the comments around its generated regions; code keeps its own."""
    return "\n".join(
        "" if not code and _MARK.fullmatch(line) else line for line, code in _lines(markdown)
    )


def with_tabs(markdown: str) -> str:
    """Return a page in which the parts of the section "Do it" are content tabs."""
    lines, within, tab = [], False, False
    for line, code in _lines(markdown):
        if not code and line.startswith("## "):
            within, tab = line == TABBED, False
        if within and not code and line.startswith("### "):
            tab = True
            lines += [f'=== "{line[4:]}"', ""]
        else:
            lines.append(f"    {line}" if tab and line else line)
    return "\n".join(lines)


def _lines(markdown: str) -> Iterator[tuple[str, bool]]:
    """Yield each line of a page, and whether it is in a block of code."""
    fence = ""
    for line in markdown.split("\n"):
        match = _FENCE.match(line)
        if match and not fence:
            fence = match[1]
        elif match and line.strip("> ") == fence:
            fence = ""
        yield line, bool(fence)
