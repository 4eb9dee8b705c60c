"""tools/site_hooks.py: links of a forge become links of the site, or text that names the file."""

from __future__ import annotations

import pytest
from markdown import Markdown

from tools.site_hooks import RepositoryLinks, shown_elsewhere, without_marks

PLACES = {
    "docs/reference/checks.md": "reference/checks.md",
    "docs/foundation/tutorials/01-plan.md": "foundation/tutorials/01-plan.md",
    "docs/foundation/tutorials/02-implement.md": "foundation/tutorials/02-implement.md",
    **shown_elsewhere(),
}


def shown(text: str, page: str = "foundation/tutorials/01-plan.md") -> str:
    """Return what a line of a page becomes, without its paragraph."""
    links = RepositoryLinks()
    links.places, links.page = PLACES, page
    html: str = Markdown(extensions=[links]).convert(text)
    return html.removeprefix("<p>").removesuffix("</p>")


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("02-implement.md#f02-1", "02-implement.md#f02-1"),
        ("../../../sandbox/issues/ISSUE-101.md", "../../issues/ISSUE-101.md"),
        ("../../../CONTRIBUTING.md#style", "../../contributing.md#style"),
        ("https://example.org/a.md", "https://example.org/a.md"),
        ("../../../no-such-file.md", "../../../no-such-file.md"),
    ],
)
def test_a_link_leads_where_the_site_has_the_file(link: str, address: str) -> None:
    assert shown(f"[x]({link})") == f'<a href="{address}">x</a>'


def test_a_page_from_elsewhere_links_as_seen_from_its_own_folder() -> None:
    html = shown("[the checks](docs/reference/checks.md)", page="contributing.md")

    assert html == '<a href="reference/checks.md">the checks</a>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "[the *contract*](../../../pipeline/schema.py#L1), read",
            "<span>the contract (<code>pipeline/schema.py</code>)</span>, read",
        ),
        (
            "[`pipeline/schema.py`](../../../pipeline/schema.py).",
            "<span><code>pipeline/schema.py</code></span>.",
        ),
        ("[`fixtures/`](../../../fixtures/)", "<span><code>fixtures</code></span>"),
        ("[verify.py](verify.py)", "<span><code>docs/foundation/tutorials/verify.py</code></span>"),
    ],
)
def test_a_file_that_the_site_has_not_is_named_by_its_path(text: str, html: str) -> None:
    assert shown(text) == html


def test_the_marks_of_generated_regions_are_taken_out_but_not_of_code() -> None:
    text = "a\n<!-- generated: x -->\nb\n<!-- end -->\n```\n<!-- end -->\n```\n"

    assert without_marks(text) == "a\n\nb\n\n```\n<!-- end -->\n```\n"
