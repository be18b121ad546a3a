"""Claiming a call that a person has to approve: they are asked when nobody was, and about this very call.

What somebody has approved stays approved: a call with other arguments is refused and asks nobody, for a new
question would take the yes away.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from typing import Any

from actae_client.approvals import ApprovalOperation
from actae_client.deterministic import deterministic_operation_key
from actae_client.errors import (
    ApprovalError,
    ApprovalExpiredError,
    ApprovalMismatchError,
    ApprovalNotFoundError,
    ApprovalNotNeededError,
)
from actae_client.tools.call import ToolCall
from actae_client.tools.ledger import Ledger

_UNASKED = (ApprovalNotFoundError, ApprovalMismatchError, ApprovalExpiredError)


async def claim_approved(ledger: Ledger, call: ToolCall) -> Any:
    """Claim; where nobody was asked about this call, ask, and claim again.

    Raises ApprovalPendingError and ApprovalRejectedError, which name the request, and ApprovalMismatchError
    while another call is approved and has not happened.
    """
    try:
        return await ledger.claim(call)
    except _UNASKED as unasked:
        if call.terms.approval is None or _is_a_yes_to_another(unasked):
            raise
        with suppress(ApprovalNotNeededError):  # it has happened meanwhile
            await _ask(ledger, call, unasked)
    return await ledger.claim(call)


def _is_a_yes_to_another(unasked: ApprovalError) -> bool:
    return isinstance(unasked, ApprovalMismatchError) and unasked.approval_status == "approved"


async def _ask(ledger: Ledger, call: ToolCall, unasked: ApprovalError) -> None:
    operation: ApprovalOperation = {
        "key_name": call.key_name,
        "tool_name": call.tool_name,
        "params": call.params,
        "dedup_fields": call.terms.dedup_fields,
    }
    # Whoever finds the same to be unasked, asks the same question: it is asked once.
    terms = call.terms
    narrowing = [] if terms.approval_fields is None else [list(terms.approval_fields)]
    content = json.dumps([terms.approval, operation, unasked.approval_request_id, *narrowing], sort_keys=True)
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    request_id = deterministic_operation_key("actae.effect", "approval", digest)
    await ledger.request_approval(call, request_id, operation)
