"""Keys made from what they identify."""

from __future__ import annotations

import hashlib

from actae_client.deterministic import deterministic_operation_key

_BYTES_MAX = 256  # deterministic_operation_key looks at no more of the joined name.


def distinct_operation_key(scope: str, action: str, *identity: str) -> str:
    """`deterministic_operation_key`, but long identities that differ late get different keys too.

    An identity too long for the shared derivation enters it as its SHA-256.
    """
    if fits_operation_key(scope, action, *identity):
        return deterministic_operation_key(scope, action, *identity)
    digest = hashlib.sha256("\0".join(identity).encode("utf-8", "surrogatepass")).hexdigest()
    return deterministic_operation_key(scope, action, digest)


def fits_operation_key(scope: str, action: str, *identity: str) -> bool:
    """Whether the shared derivation sees the whole identity."""
    return len("\0".join((scope, action, *identity)).encode("utf-8", "surrogatepass")) <= _BYTES_MAX
