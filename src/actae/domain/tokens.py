"""Claim tokens: unguessable, bound to one attempt, and never stored.

A token is a keyed hash of the operation, the number of the attempt and the attempt id. Who repeats
a claim with the same attempt id therefore gets the same token again, although only its digest is kept.
"""

import re
from hashlib import blake2b, sha256

_TOKEN = re.compile(r"ct_[0-9a-f]{32}")


def make_token(secret: bytes, execution_id: str, attempts: int, attempt_id: str) -> str:
    """The token of one attempt: `ct_` and 128 bits in hex."""
    mac = blake2b(f"{execution_id}\0{attempts}\0{attempt_id}".encode(), key=secret, digest_size=16)
    return "ct_" + mac.hexdigest()


def is_token(text: str) -> bool:
    """Whether it looks like a token that was given out."""
    return _TOKEN.fullmatch(text) is not None


def digest_token(token: str) -> bytes:
    """What is kept of a token: 16 bytes of its SHA-256."""
    return sha256(token.encode("utf-8", "surrogatepass")).digest()[:16]
