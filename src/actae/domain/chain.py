"""The chain hash: each event carries the SHA-256 of its predecessor's hash and its own content.

Whoever changes, removes or reorders an event afterwards breaks every later link. It shows tampering by
somebody who cannot rewrite the whole tail; keep a head hash elsewhere to catch somebody who can.
"""

from hashlib import sha256
from typing import Final

GENESIS: Final = bytes(32)


def link(
    before: bytes | None,
    *,
    channel_id: str,
    cursor: int,
    event_id: str,
    event_type: str,
    actor: str,
    agent_id: str | None,
    user_id: str | None,
    payload: bytes,
    metadata: bytes | None,
    depends_on: str | None,
    dependencies: bytes | None,
    recorded_at_us: int,
) -> bytes:
    """The hash of one event, 32 bytes.

    Fields are joined by NUL, which neither stored text nor JSON can contain; an absent field is
    told from an empty one by its mark.
    """
    words = "\0".join(
        (
            channel_id,
            str(cursor),
            event_id,
            str(recorded_at_us),
            event_type,
            actor,
            "-" if agent_id is None else "=" + agent_id,
            "-" if user_id is None else "=" + user_id,
            "-" if depends_on is None else "=" + depends_on,
            "",
        )
    )
    digest = sha256(before or GENESIS)
    digest.update(words.encode())
    digest.update(payload)
    digest.update(b"\0-" if metadata is None else b"\0=" + metadata)
    digest.update(b"\0-" if dependencies is None else b"\0=" + dependencies)
    return digest.digest()
