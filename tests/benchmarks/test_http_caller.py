"""The lean reader of HTTP replies: every way in which a reply may arrive."""

import asyncio
from collections.abc import Sequence

import pytest

from benchmarks.load.http_caller import Caller, Script
from benchmarks.load.tally import Tally
from tests.support.recital import reciting

OK = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n{"a": 1}'


async def played(pieces: Sequence[bytes]) -> tuple[list[bytes], Tally]:
    """What a script of one request was given, and what the tally heard."""
    bodies: list[bytes] = []
    tally = Tally(seconds=60, warm_up_seconds=0)

    def script() -> Script:
        bodies.append((yield b"GET / HTTP/1.1\r\n\r\n"))

    async with reciting(pieces) as port:
        loop = asyncio.get_running_loop()
        _, caller = await loop.create_connection(lambda: Caller(script(), tally.refuse), "127.0.0.1", port)
        caller.begin()
        await caller.is_done
    return bodies, tally


@pytest.mark.parametrize(
    "pieces",
    [
        [OK],
        [OK[:10], OK[10:]],
        [OK[:-3], OK[-3:]],
        [bytes([byte]) for byte in OK],
        [OK.replace(b"content-length", b"Content-Length")],
    ],
    ids=["whole", "head in two", "body in two", "byte by byte", "capital letters"],
)
async def test_the_body_is_read_however_it_arrives(pieces: Sequence[bytes]) -> None:
    """Packets end where they like; header names are written as the server likes."""
    bodies, tally = await played(pieces)
    assert bodies == [b'{"a": 1}']
    assert not tally.refusals


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (OK.replace(b"200 OK", b"429 Too Many Requests"), "429 Too Many Requests"),
        (OK.replace(b"200 OK", b"500 Internal Server Error"), "500 Internal Server Error"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", "without Content-Length"),
        (b"", "closed the connection"),
    ],
)
async def test_anything_but_success_is_told(reply: bytes, told: str) -> None:
    """A benchmark that counts refusals as work would praise a broken server."""
    bodies, tally = await played([reply])
    assert not bodies
    assert told in tally.refusals[0]
