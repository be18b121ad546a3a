"""Effects on forks: what a child inherits under a key that it has no row for, and what its policies say.

| policy | the same operation, completed before the boundary | anything else |
|---|---|---|
| auto   | replayed, from the ancestor                       | runs live     |
| live   | runs live                                         | runs live     |
| replay | replayed                                          | refused       |
| block  | refused                                           | refused       |

A refusal is an answer like any other: the `tool.blocked` event that it leaves commits with its batch.
"""

from collections.abc import Mapping

import msgspec

from actae.domain.answers import Refused
from actae.domain.channels import Head
from actae.domain.errors import CounterfactualBlockedError, ForkToolBlockedError
from actae.domain.executions import Claim, ExecutionRow, Replayed, lifecycle_payload, show
from actae.domain.forks import Policy, policy_for
from actae.domain.identity import Identity, identify
from actae.domain.view import View

_NOTHING = b""


class Inheritance(msgspec.Struct):
    """What the lineage holds for one claim. Mutable: the first refusal of a batch is known to the next."""

    policies: Mapping[str, Policy] | None
    heir: ExecutionRow | None
    blocked_event_id: str | None = None
    is_of_a_group: bool = False  # whether the fork is a member's, made with its whole group


def blocked_identity(ask: Claim) -> Identity:
    """One `tool.blocked` per key and input, so that a retry loop does not flood the log."""
    return identify("blocked", f"{ask.key_digest}:{ask.fingerprint.hex()}", _NOTHING)


def told_identity(ask: Claim) -> Identity:
    """One `tool.replayed` per key."""
    return identify("inherited", ask.key_digest, _NOTHING)


def decide_inherited(view: View, ask: Claim, head: Head, inherited: Inheritance) -> Replayed | Refused | None:
    """The inherited answer; None means that the tool runs live, under a row of the fork's own."""
    heir = inherited.heir
    matches = heir is not None and heir.fingerprint == ask.fingerprint
    policy = policy_for(inherited.policies, ask.tool_name)
    if policy == "block":
        return _block(view, ask, head, inherited, policy, "the tool must not run here")
    if heir is not None and matches and policy in ("auto", "replay"):
        return _replay(view, ask, head, heir)
    if policy == "replay":
        reason = (
            "nothing is inherited under this key" if heir is None else "the inherited call had other input"
        )
        return _block(view, ask, head, inherited, policy, reason)
    return None


def _replay(view: View, ask: Claim, head: Head, heir: ExecutionRow) -> Replayed:
    told = told_identity(ask)
    if ask.emit_replay_event and view.operation(ask.channel_id, told.operation_digest) is None:
        payload = lifecycle_payload(
            heir.id, heir.key_name, heir.tool_name, heir.attempts, "inherited_from", _encode(heir.channel_id)
        )
        event = view.append_event(
            head,
            "tool.replayed",
            ask.actor,
            payload,
            metadata=b'{"execution_id":"%b"}' % heir.id.encode(),
            depends_on=heir.completed_event_id,
        )
        view.put_operation(ask.channel_id, told, cursor=event.cursor, version=None)
    execution = show(heir)
    return Replayed(execution, execution.result)


def _block(
    view: View, ask: Claim, head: Head, inherited: Inheritance, policy: Policy, reason: str
) -> Refused:
    if inherited.blocked_event_id is None:
        payload = _encode(
            {"policy": policy, "key_name": ask.key_name, "tool_name": ask.tool_name, "reason": reason}
        )
        event = view.append_event(head, "tool.blocked", ask.actor, payload)
        view.put_operation(ask.channel_id, blocked_identity(ask), cursor=event.cursor, version=None)
        inherited.blocked_event_id = event.event_id
    blocked = ForkToolBlockedError(
        ask.tool_name, ask.key_name, policy=policy, reason=reason, boundary=inherited.blocked_event_id
    )
    if inherited.is_of_a_group:
        return Refused(CounterfactualBlockedError(blocked.message, **blocked.details))
    return Refused(blocked)


_encode = msgspec.json.encode
