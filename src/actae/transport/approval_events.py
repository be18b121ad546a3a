"""Events about approvals: what their payloads mean to the ledger.

Anybody may record an event of any type. One that asks for approval of an operation has to say which, without
a mistake; every other is taken as it comes.
"""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Raw

from actae.domain import approvals
from actae.domain.approvals import Answer, Binding, Request
from actae.domain.channels import FENCE_KEY
from actae.domain.errors import InvalidRequestError
from actae.domain.executions import digest_key
from actae.domain.fingerprint import FingerprintRefusal, fingerprint
from actae.domain.literal_json import members_of
from actae.operations.aside import aside
from actae.transport.bodies import decode_body
from actae.transport.fields import NULL, KeyName, Name

_TYPES: Final = frozenset({approvals.REQUESTED, approvals.DECIDED, approvals.EXPIRED})
_DEPTH_MAX: Final = 10**9  # the body that it came in was measured before

RequestId = Annotated[str, Meta(min_length=1, max_length=256)]
TimeoutSeconds = Annotated[float, Meta(gt=0, le=315_360_000)]  # ten years


class _Operation(msgspec.Struct):
    key_name: KeyName
    tool_name: Name
    params: Raw = NULL
    dedup_fields: list[str] | None = None


class _Bound(msgspec.Struct):
    request_id: RequestId
    operation: _Operation
    approval_fields: list[str] | None = None
    timeout_seconds: TimeoutSeconds | None = None


class _Event(msgspec.Struct):
    payload: _Bound  # so that the path of a bad value is the caller's


_event_decoder = msgspec.json.Decoder(_Event)


async def approval_of(event_type: str, payload: bytes) -> Request | Answer | None:
    """The request or answer that an event holds; None for every other event.

    Raises:
        InvalidRequestError: it asks for approval of an operation, and does not say which.
    """
    if event_type not in _TYPES:
        return None
    return await aside(len(payload), _read, event_type, payload)


def _read(event_type: str, payload: bytes) -> Request | Answer | None:
    members = members_of(payload)
    if event_type == approvals.REQUESTED and bytes(members.get("operation", approvals.NULL)) != b"null":
        return _bound(payload)
    request_id = _if_it_is(RequestId, members.get("request_id"))
    if request_id is None or "\0" in request_id:
        return None
    digest = digest_key(request_id)
    if event_type == approvals.REQUESTED:
        return Request(request_id, digest, None, _if_it_is(TimeoutSeconds, members.get("timeout_seconds")))
    if event_type == approvals.DECIDED:
        return Answer(digest, _if_it_is(Literal["approved", "rejected"], members.get("decision")))
    return Answer(digest, "expired")


def _bound(payload: bytes) -> Request:
    asked = decode_body(b'{"payload":%b}' % payload, _event_decoder, depth_max=_DEPTH_MAX).payload
    operation = asked.operation
    if operation.key_name == FENCE_KEY:
        raise InvalidRequestError(
            f"{FENCE_KEY!r} fences sessions and needs no approval.", field="payload.operation.key_name"
        )
    if operation.dedup_fields is not None:  # such a claim would be refused
        _fingerprint(operation, operation.dedup_fields, "payload.operation.dedup_fields")
    digest = _fingerprint(operation, asked.approval_fields, "payload.approval_fields")
    return Request(
        asked.request_id,
        digest_key(asked.request_id),
        Binding(digest_key(operation.key_name), digest),
        asked.timeout_seconds,
    )


def _fingerprint(operation: _Operation, fields: list[str] | None, path: str) -> bytes:
    try:
        return fingerprint(operation.tool_name, bytes(operation.params), fields)
    except FingerprintRefusal as refusal:
        field = "payload.operation.params" if refusal.field == "params" else path
        raise InvalidRequestError(refusal.worded(path.rpartition(".")[2]), field=field) from None


def _if_it_is(kind: Any, value: Raw | None) -> Any:
    """The value if it is of this kind, else None."""
    if value is None:
        return None
    try:
        return msgspec.json.decode(value, type=kind)
    except msgspec.DecodeError:
        return None
