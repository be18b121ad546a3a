"""Pages that end where they would become too large, so that no reader can fill the server's memory."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

T = TypeVar("T")

PAGE_BYTES_MAX: Final = 32 * 2**20

# The first look is short: until then nobody knows whether a row has a hundred bytes or sixteen million.
_FIRST_LOOK: Final = 8


@dataclass(slots=True)
class Page(Generic[T]):
    """Rows, and whether their size ended the page before their number did."""

    rows: list[T] = field(default_factory=list)
    was_cut: bool = False


async def read_page(
    read: Callable[[T | None, int], Awaitable[list[T]]],
    *,
    most: int,
    size: Callable[[T], int],
    bytes_max: int = PAGE_BYTES_MAX,
) -> Page[T]:
    """Up to `most` rows, and up to `bytes_max` bytes of them; one row at least, if there is one.

    `read(last, count)` brings up to `count` rows that follow `last`. What was read says how many rows the
    next look may bring.
    """
    page: Page[T] = Page()
    total = 0
    count = min(most, _FIRST_LOOK)
    while count > 0:
        rows = await read(page.rows[-1] if page.rows else None, count)
        for row in rows:
            total += size(row)
            if page.rows and total > bytes_max:
                page.was_cut = True
                return page
            page.rows.append(row)
        if len(rows) < count:
            return page
        average = max(1, total // len(page.rows))
        count = min(most - len(page.rows), max(1, (bytes_max - total) // average))
    return page
