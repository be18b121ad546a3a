"""Claiming a call that a person has to approve: they are asked when nobody was, and about this very call."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from actae_client.approvals import ApprovalOperation
from actae_client.deterministic import deterministic_operation_key
from actae_client.errors import (
    ApprovalError,
    ApprovalExpiredError,
    ApprovalMismatchError,
    ApprovalNotFoundError,
)
from actae_client.tools.call import ToolCall
from actae_client.tools.ledger import Ledger

_UNASKED = (ApprovalNotFoundError, ApprovalMismatchError, ApprovalExpiredError)


async def claim_approved(ledger: Ledger, call: ToolCall) -> Any:
    """Claim; where nobody was asked about this call, ask, and claim again.

    Raises ApprovalPendingError and ApprovalRejectedError, which name the request.
    """
    try:
        return await ledger.claim(call)
    except _UNASKED as unasked:
        if call.terms.approval is None:
            raise
        await _ask(ledger, call, unasked)
    return await ledger.claim(call)


async def _ask(ledger: Ledger, call: ToolCall, unasked: ApprovalError) -> None:
    operation: ApprovalOperation = {
        "key_name": call.key_name,
        "tool_name": call.tool_name,
        "params": call.params,
        "dedup_fields": call.terms.dedup_fields,
    }
    # Whoever finds the same to be unasked, asks the same question: it is asked once.
    content = json.dumps([call.terms.approval, operation, unasked.approval_request_id], sort_keys=True)
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    request_id = deterministic_operation_key("actae.effect", "approval", digest)
    await ledger.request_approval(call, request_id, operation)
