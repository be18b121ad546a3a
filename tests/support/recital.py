"""A server that says the same to everybody, for clients that must cope with whatever arrives."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager


@asynccontextmanager
async def reciting(pieces: Sequence[bytes]) -> AsyncIterator[int]:
    """Its port. After the head of a request it sends each piece in a packet of its own, then hangs up."""
    conversations: set[asyncio.Task[None]] = set()

    async def recite(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
        writer.write_eof()
        await reader.read()  # Until the client has left too, so that nothing it was sent is lost on the way.
        writer.close()
        await writer.wait_closed()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conversations.add(asyncio.create_task(recite(reader, writer)))

    server = await asyncio.start_server(begin, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
        await asyncio.gather(*conversations, return_exceptions=True)
