"""How the loss of a lease on a member is told."""

from __future__ import annotations

from typing import Final

from actae_client.errors import (
    CounterfactualBlockedError,
    GroupNotFoundError,
    MemberLeaseLostError,
    MemberNotFoundError,
)

# Answers to a renewal that say that there is nothing to renew any more.
TAKEN: Final = (
    MemberLeaseLostError,
    MemberNotFoundError,
    GroupNotFoundError,
    CounterfactualBlockedError,
)

_CONFLICT: Final = 409


def loss_of(name: str, cause: Exception | None) -> MemberLeaseLostError:
    """The server's refusal, or that no renewal came through before the lease ended."""
    if isinstance(cause, MemberLeaseLostError):
        return cause
    loss = MemberLeaseLostError(_CONFLICT, f"the lease on {name} could not be renewed before it ended")
    loss.__cause__ = cause
    return loss
