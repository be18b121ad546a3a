"""The listening socket. Apart from the server, because whoever starts workers needs nothing else of it."""

import socket
from typing import Final

from actae.settings import Settings

_BACKLOG: Final = 2048
_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # how to reach ourselves there


def listen(settings: Settings) -> socket.socket:
    """The listening socket; with port 0 the system chooses one.

    Raises:
        OSError: the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError:
        listener.close()
        raise
    listener.listen(_BACKLOG)
    return listener


def url_of(listener: socket.socket) -> str:
    """The address that clients on this machine use."""
    host, port = listener.getsockname()[:2]
    host = _ANY_ADDRESS.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
