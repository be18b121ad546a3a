"""The keys that a tool may give its provider: the same at each attempt of an operation."""

from hashlib import sha1, sha256
from typing import Final
from uuid import UUID

# A contract with the clients: what `current_operation().idempotency_key` is made of.
_NAMESPACE: Final = UUID("3f74e5f1-9b2c-4a7e-8f1d-000000000001")
_SCOPE: Final = ("actae.provider", "effect")
_BYTES_MAX: Final = 256


def client_idempotency_key(channel_id: str, key_name: str) -> str:
    """The UUID that the clients give to a provider."""
    name = _joined(*_SCOPE, channel_id, key_name)
    if len(name) > _BYTES_MAX:
        name = _joined(*_SCOPE, sha256(_joined(channel_id, key_name)).hexdigest())
    digest = sha1(_NAMESPACE.bytes + name, usedforsecurity=False).digest()
    return str(UUID(bytes=digest[:16], version=5))


def _joined(*parts: str) -> bytes:
    return "\0".join(parts).encode("utf-8", "surrogatepass")
