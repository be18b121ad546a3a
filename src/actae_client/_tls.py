"""Which certificates the client shows and believes."""

from __future__ import annotations

import os
import ssl
from pathlib import Path


def client_context(
    endpoint: str,
    *,
    ssl_context: ssl.SSLContext | None,
    client_cert: str | os.PathLike[str] | None,
    client_key: str | os.PathLike[str] | None,
    ca_cert: str | os.PathLike[str] | None,
) -> ssl.SSLContext | None:
    """The TLS context for an endpoint, None for the system's default.

    Files that are given win over `ssl_context`. When nothing is given for an https endpoint, an
    identity is looked for in `$ACTAE_CONFIG_DIR`, by default `~/.actae`: `ca.crt`, `client.crt`
    and `client.key`, all three or none.
    """
    if client_cert is not None or ca_cert is not None:
        return _context(ca_cert, client_cert, client_key)
    if client_key is not None:
        raise ValueError("client_key is given without client_cert")
    if ssl_context is not None or not endpoint.startswith("https:"):
        return ssl_context
    folder = Path(os.environ.get("ACTAE_CONFIG_DIR") or Path.home() / ".actae")
    files = (folder / "ca.crt", folder / "client.crt", folder / "client.key")
    return _context(*files) if all(file.is_file() for file in files) else None


def _context(
    ca_cert: str | os.PathLike[str] | None,
    client_cert: str | os.PathLike[str] | None,
    client_key: str | os.PathLike[str] | None,
) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=ca_cert)
    if client_cert is not None:
        context.load_cert_chain(client_cert, client_key)
    return context
