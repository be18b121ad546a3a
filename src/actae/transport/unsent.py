"""How much the kernel may hold of what was written for a reader, before the reader's line takes it."""

import socket
from asyncio.transports import BaseTransport
from contextlib import suppress
from typing import Final

_UNSENT_BYTES_MAX: Final = 128 * 2**10


def keep_unsent_short(transport: BaseTransport) -> None:
    """Let the transport be full while its line is busy, and not megabytes later.

    Then a slow reader is known as one at once, and a ping does not wait behind what it could not take yet.
    """
    held = transport.get_extra_info("socket")
    if held is not None and held.family in {socket.AF_INET, socket.AF_INET6}:
        with suppress(OSError, AttributeError):  # a system that has no such bound goes without it
            held.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_BYTES_MAX)
