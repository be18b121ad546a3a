# Written by tools/generate_sync.py from _async/approvals.py. Do not edit.
"""Methods about approvals."""

from __future__ import annotations

from collections.abc import Sequence

from actae_client._calls import approvals, events
from actae_client._calls.call import Call, identity
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._sync.decisions import DECISIONS_A_PAGE, Decisions
from actae_client._sync.sender import Sender
from actae_client._types.approvals import Approval
from actae_client._types.events import Event
from actae_client._types.json import Json
from actae_client.approvals import APPROVAL_DECIDED, ApprovalDecision, ApprovalOperation


class ApprovalMethods(Sender):
    """A person is asked, and answers, perhaps long after the process that asked has ended.

    A request that names its `operation` is bound to it: the ledger then hands out that key with the
    tool and the params that were asked about, once it was approved, and refuses every other claim of it.
    """

    def request_approval(
        self,
        channel_id: str,
        *,
        summary: str,
        details: Json = None,
        timeout_seconds: float | None = None,
        requester: str = "agent",
        request_id: str | None = None,
        operation: ApprovalOperation | None = None,
        approval_fields: Sequence[str] | None = None,
    ) -> str:
        """Ask a person; returns the id of the request, made for this call unless it is given.

        With a `request_id` of your own the question can be asked again by a process that does not
        know whether it was asked: it is one question. With `timeout_seconds` it expires by itself, and
        a `scheduler.wakeup` event says so on its channel.

        The answer binds all of the operation's params, whatever its `dedup_fields`. With
        `approval_fields` it binds these top-level fields and leaves every other open; who is asked sees
        which. A newer question about the same key supersedes this one, approved or not.

        Raises IdempotencyConflictError when the id names another question, ApprovalNotNeededError when
        the key is completed, ConflictError when the channel is closed or deleted; ValueError and
        TypeError for an operation that names no call.
        """
        request_id = identity(request_id)
        call = approvals.request_approval(
            channel_id,
            request_id,
            summary=summary,
            details=details,
            timeout_seconds=timeout_seconds,
            requester=requester,
            operation=operation,
            approval_fields=approval_fields,
        )
        return self._request_approval(call, request_id, timeout_seconds)

    def _request_approval(self, call: Call[Event], request_id: str, timeout_seconds: float | None) -> str:
        asked = self._send(call)
        if timeout_seconds is not None:
            self._send(approvals.wake_at_deadline(asked, request_id, timeout_seconds))
        return request_id

    def decide_approval(
        self,
        channel_id: str,
        request_id: str,
        *,
        decision: ApprovalDecision,
        actor: str,
        reason: str | None = None,
        operation_id: str | None = None,
    ) -> Event:
        """Answer a request: `approved` or `rejected` (ValueError). `actor` is who decides.

        The same decision again is the same event, with another reason an IdempotencyConflictError.
        A rejection withdraws an approval that nobody has used yet. What comes after a rejection or
        an expiry is recorded, and changes nothing.
        """
        return self._send(
            approvals.decide_approval(
                channel_id,
                request_id,
                decision=decision,
                actor=actor,
                reason=reason,
                operation_id=operation_id,
            )
        )

    def wait_for_approval(
        self,
        channel_id: str,
        request_id: str,
        *,
        timeout_seconds: float | None = None,
        poll_interval: float = 1.0,
        start_cursor: int = 0,
    ) -> Event | None:
        """The first decision on the request after `start_cursor`, as soon as there is one.

        When nobody has decided after `timeout_seconds`, that is recorded as `approval.expired`, and
        the answer is None. Raises ApprovalSupersededError once somebody was asked about the same key
        anew: no answer to this question would count. That is looked at every tenth time.
        """
        validate_channel_id(channel_id)
        decisions = Decisions(
            lambda cursor: self._send(
                events.replay(channel_id, cursor=cursor, limit=DECISIONS_A_PAGE, event_type=APPROVAL_DECIDED)
            ),
            request_id,
            start_cursor,
        )
        return self._wait_for_approval(decisions, channel_id, request_id, timeout_seconds, poll_interval)

    def _wait_for_approval(
        self,
        decisions: Decisions,
        channel_id: str,
        request_id: str,
        timeout_seconds: float | None,
        poll_interval: float,
    ) -> Event | None:
        # What is there already may be a long log: it is searched once, not at every look.
        newest = self._send(events.get_cursor(channel_id))
        answer = decisions.next()
        if answer is not None:
            return answer
        decisions.skip_to(newest)
        return decisions.wait(
            timeout_seconds,
            poll_interval,
            lambda: self._send(approvals.expire_approval(channel_id, request_id)),
            lambda: self._send(approvals.find_approval(channel_id, request_id)),
        )

    def list_approvals(
        self,
        *,
        channel_id: str | None = None,
        status: str | None = None,
        request_id: str | None = None,
        limit: int = 100,
        before: str | None = None,
    ) -> list[Approval]:
        """Requests on all channels that the key may read, newest first; `pending` is what waits.

        A `request_id` is looked for on its channel, which has to be named.
        Page by passing the last `requested_event_id` as `before` until the list is empty.
        """
        return self._send(
            approvals.list_approvals(
                channel_id=channel_id, status=status, request_id=request_id, limit=limit, before=before
            )
        )
