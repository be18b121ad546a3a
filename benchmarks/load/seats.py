"""Lets readers in, so many at a time: a server's door is only so wide."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar, cast
from urllib.parse import urlsplit

from actae.transport.open_files import allow_many_open_files

AT_ONCE = 100


class Reader(Protocol):
    """The protocol of a connection; it can tell when it follows its channel."""

    is_ready: asyncio.Future[None]


AnyReader = TypeVar("AnyReader", bound=Reader)


async def seat(count: int, url: str, make: Callable[[str, int], AnyReader]) -> Sequence[AnyReader]:
    """So many readers, connected and ready; `make` gets the server's `host:port` and the reader's number.

    Raises:
        LookupError: one was refused.
    """
    allow_many_open_files()
    address = urlsplit(url)
    loop = asyncio.get_running_loop()

    async def let_in(number: int) -> AnyReader:
        reader = make(address.netloc, number)
        await loop.create_connection(lambda: cast("asyncio.Protocol", reader), address.hostname, address.port)
        await reader.is_ready
        return reader

    seated: list[AnyReader] = []
    while len(seated) < count:
        some = range(len(seated), min(count, len(seated) + AT_ONCE))
        seated += await asyncio.gather(*map(let_in, some))
    return seated
