"""Operation ids: how a repeated write is recognised."""

from hashlib import sha256
from typing import Final, NamedTuple

EVENT_NAMESPACE: Final = "event"  # record, transition and publish share one
STATE_NAMESPACE: Final = "state"


class Identity(NamedTuple):
    """An operation id, its digest within its namespace, and the digest of the content it names."""

    operation_id: str
    operation_digest: str
    content_digest: bytes


def identify(namespace: str, operation_id: str, content_digest: bytes) -> Identity:
    """The identity of one write; the channel, under which it is stored, is not part of it."""
    digest = sha256(f"{namespace}\0{operation_id}".encode()).hexdigest()[:32]
    return Identity(operation_id, digest, content_digest)
