# Written by tools/generate_sync.py from _async/covering.py. Do not edit.
"""States that a server copied into a fork and that are none of the fork's."""

from __future__ import annotations

from actae_client._types.forks import ForkReceipt
from actae_client.session._sync.persistence import persistently
from actae_client.session._sync.transport import SyncSessionTransport


def forget_copied_state(transport: SyncSessionTransport, receipt: ForkReceipt) -> None:
    """See to it that a fork which was to have no state shows none.

    A server that does not know the wish has copied a snapshot. A snapshot of null on top of it makes
    the latest state of the child empty, and so that of forks of the child. A child that has begun to
    record has states of its own, and is left alone.
    """
    child = receipt.child_channel_id
    if not receipt.restorable or _has_begun(transport, child):
        return
    copied = transport.latest_state(child)
    if copied is not None and copied["state"] is not None:
        cursor = copied["cursor"]
        persistently(lambda: transport.save_state(child, cursor, None))


def _has_begun(transport: SyncSessionTransport, channel_id: str) -> bool:
    """Whether a fork has recorded anything besides that it is one."""
    return len(transport.replay(channel_id, limit=2)) > 1
