"""Execution groups, to be worked with: claim a member, send, wait for what others send."""

from actae_client.groups._async.claimed import ClaimedMember
from actae_client.groups._async.member import GroupMemberSession
from actae_client.groups._async.session import GroupSession
from actae_client.groups._async.transport import GroupTransport
from actae_client.groups._sync.claimed import SyncClaimedMember
from actae_client.groups._sync.member import SyncGroupMemberSession
from actae_client.groups._sync.session import SyncGroupSession
from actae_client.groups._sync.transport import SyncGroupTransport

__all__ = [
    "ClaimedMember",
    "GroupMemberSession",
    "GroupSession",
    "GroupTransport",
    "SyncClaimedMember",
    "SyncGroupMemberSession",
    "SyncGroupSession",
    "SyncGroupTransport",
]
