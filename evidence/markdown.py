"""The little Markdown that reports need."""

from __future__ import annotations

from collections.abc import Sequence


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1) -> str:
    """A table whose first `words` columns are words, on the left; the rest are numbers, on the right."""
    rules = ["---" if index < words else "---:" for index in range(len(headings))]
    return "\n".join(_row(cells) for cells in (headings, rules, *rows))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def quote(text: str) -> str:
    """Somebody else's text, line by line; nothing in it is markup."""
    longest = max((len(run) for run in _runs_of_backticks(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _runs_of_backticks(text: str) -> list[str]:
    return "".join(character if character == "`" else " " for character in text).split()


def folded(summary: str, body: str) -> str:
    """A part that a reader opens."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def prose(text: str) -> str:
    """One paragraph, however it was laid out in the code."""
    return " ".join(text.split())


def points(texts: Sequence[str]) -> str:
    """A list."""
    return "\n".join(f"- {prose(text)}" for text in texts)
