"""Approvals: a question to a person, what they answered, and the very call that it was about.

A request and its answers are ordinary events. A request that names an operation is *bound* to it: to the
key, the tool and all the params that the person saw, whatever `dedup_fields` makes of them in the ledger; or,
if the request says so itself in `approval_fields`, to these fields of the params. A row remembers what the
events say, so that a claim need not read the log.

```
            approved               rejected
 pending ────────────► approved ────────────► rejected
    │ rejected                                   ▲
    ├────────────────────────────────────────────┘
    │ expired, or its deadline passed
    └────────────► expired

 pending or approved ── somebody is asked about the same key anew ──► superseded
```

The three ends are final: what comes after them is an event like any other, and changes nothing.
"""

from datetime import datetime
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec import Raw

from actae.domain.fingerprint import ClaimInput
from actae.domain.literal_json import members_of

REQUESTED: Final = "approval.requested"
DECIDED: Final = "approval.decided"
EXPIRED: Final = "approval.expired"

Status = Literal["pending", "approved", "rejected", "expired", "superseded"]

NULL: Final = Raw(b"null")


class Binding(NamedTuple):
    """What an answer counts for: a key, and the fingerprint of the tool and the params that bind."""

    key_digest: str
    fingerprint: bytes


class Request(NamedTuple):
    """What an `approval.requested` says. Without a binding it is a question about nothing in the ledger."""

    request_id: str
    request_digest: str
    binding: Binding | None
    timeout_seconds: float | None

    @property
    def key_digest(self) -> str | None:
        """The key that it is bound to."""
        return None if self.binding is None else self.binding.key_digest


class Answer(NamedTuple):
    """What an `approval.decided` or `approval.expired` says; None where it says no such word."""

    request_digest: str
    verdict: Literal["approved", "rejected", "expired"] | None


class ApprovalRow(msgspec.Struct, frozen=True):
    """One request as it is stored.

    `requested_payload` is the payload of its event, where a claim with other input has to be told the
    difference; it is not stored here.
    """

    channel_id: str
    request_digest: str
    request_id: str
    key_digest: str | None
    fingerprint: bytes | None
    status: Status
    requested_cursor: int
    requested_event_id: str
    expires_at: datetime | None
    decided_cursor: int | None = None
    requested_payload: bytes | None = None

    @property
    def binding(self) -> Binding | None:
        """The call that it is bound to."""
        if self.key_digest is None or self.fingerprint is None:
            return None
        return Binding(self.key_digest, self.fingerprint)

    def standing(self, now: datetime) -> Status:
        """The status; nobody has to come by for a deadline to pass."""
        has_passed = self.expires_at is not None and self.expires_at <= now
        return "expired" if self.status == "pending" and has_passed else self.status


class Approval(msgspec.Struct, frozen=True):
    """One request as people see it, with exactly what they are asked about.

    `operation` is what the answer is bound to, null where it is bound to nothing. `approval_fields` names the
    fields of its params that bind; null says that all of them do. `decided_cursor` is that of the event which
    made the status what it is.
    """

    request_id: str
    channel_id: str
    status: Status
    summary: Raw
    details: Raw
    operation: Raw
    approval_fields: Raw
    requester: str
    requested_at: datetime
    requested_cursor: int
    requested_event_id: str
    expires_at: datetime | None
    decided_by: str | None
    decided_at: datetime | None
    decided_cursor: int | None
    reason: Raw


def operation_of(payload: bytes) -> ClaimInput:
    """What a bound request binds to, as its fingerprint was made: tool, params, and the fields that count."""
    members = members_of(payload)
    operation = members_of(members.get("operation", NULL))
    return (
        msgspec.json.decode(operation["tool_name"], type=str),
        bytes(operation.get("params", NULL)),
        msgspec.json.decode(members.get("approval_fields", NULL), type=list[str] | None),
    )
