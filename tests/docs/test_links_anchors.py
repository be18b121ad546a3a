"""Links lead where they say; that the files exist is checked by tools/tidy.py."""

from pathlib import Path

import pytest

from tests.support.pages import ROOT, anchors, links, pages


def name_of(page: Path) -> str:
    """How a page is called in a test's name."""
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_anchor_is_a_heading(page: Path) -> None:
    """A reader lands at the section, not at the top of its page."""
    wrong = [
        f"{target.name}#{anchor}"
        for target, anchor in links(page)
        if anchor and anchor not in anchors(target)
    ]
    assert not wrong, f"no such headings: {', '.join(wrong)}"


def test_every_page_is_reachable_from_the_contents() -> None:
    """Whoever follows links from docs/README.md meets all pages below it."""
    seen: set[Path] = set()
    waiting = [ROOT / "docs/README.md"]
    while waiting:
        page = waiting.pop()
        if page not in seen and page.suffix == ".md":
            seen.add(page)
            waiting.extend(target for target, _ in links(page))
    missing = set(ROOT.glob("docs/**/*.md")) - seen
    assert not missing, f"nobody links to {', '.join(sorted(map(name_of, missing)))}"
