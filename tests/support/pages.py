"""The pages that people read, taken apart: code blocks, commands, headings, links."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]

_MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})
_FILE_NAME = re.compile(r"# (\S+\.py)\n")


class Block(NamedTuple):
    """A fenced block of code, and where it stands."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def file_name(self) -> str | None:
        """The name that the reader is told to save it under, if it begins with one."""
        named = _FILE_NAME.match(self.text)
        return named[1] if named else None

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    """Every page of the product."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "benchmarks/README.md"])


def blocks(page: Path, language: str) -> list[Block]:
    """The code blocks of a page in one language, in order."""
    return [
        Block(page, token.map[0] + 2, language, token.content)
        for token in _MARKDOWN.parse(page.read_text())
        if token.type == "fence" and token.map is not None and token.info.split()[:1] == [language]
    ]


def commands(block: Block) -> Iterator[str]:
    """What a reader would type in a console block, one command each, without comments."""
    for line in block.text.splitlines():
        if line.startswith("$ "):
            yield from (part.strip() for part in re.sub(r"\s+# .*", "", line[2:]).split("&&"))


@cache
def anchors(page: Path) -> set[str]:
    """The names under which the headings of a page can be reached."""
    found: dict[str, int] = {}
    tokens = _MARKDOWN.parse(page.read_text())
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            name = re.sub(r"[^\w\- ]", "", inline.content.lower()).replace(" ", "-")
            found[name] = found.get(name, -1) + 1
    return {f"{name}-{again}" if again else name for name, most in found.items() for again in range(most + 1)}


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """The links of a page into this tree: the file, and the anchor or an empty string."""
    for token in _MARKDOWN.parse(page.read_text()):
        for child in token.children or ():
            target = str(child.attrGet("href") or "")
            if child.type == "link_open" and "://" not in target:
                name, _, anchor = target.partition("#")
                yield (page.parent / name).resolve() if name else page, anchor
