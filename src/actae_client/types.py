"""What the client's calls answer with.

Plain frozen dataclasses with the field names of the wire; keys that this version does not know
are ignored. Moments are RFC 3339 strings, as the server sends them.
"""

from __future__ import annotations

from actae_client._types.accounts import AuthResult, Capabilities, UserInfo
from actae_client._types.channels import ChannelMetadata, ResolvedStep
from actae_client._types.events import ChainVerification, Event, TransitionResult
from actae_client._types.execution_groups import (
    ExecutionGroup,
    ExecutionGroupMember,
    GroupMessage,
    MemberLease,
)
from actae_client._types.executions import (
    Claimed,
    ExecutionClaim,
    ExecutionInfo,
    InProgress,
    Owned,
    Reclaimed,
    Replayed,
)
from actae_client._types.forks import ForkInfo, ForkReceipt
from actae_client._types.health import HealthComponent, HealthStatus, MetricsSnapshot, ReadinessResult
from actae_client._types.json import Json
from actae_client._types.states import LatestState, Snapshot, SnapshotVersion

__all__ = [
    "AuthResult",
    "Capabilities",
    "ChainVerification",
    "ChannelMetadata",
    "Claimed",
    "Event",
    "ExecutionClaim",
    "ExecutionGroup",
    "ExecutionGroupMember",
    "ExecutionInfo",
    "ForkInfo",
    "ForkReceipt",
    "GroupMessage",
    "HealthComponent",
    "HealthStatus",
    "InProgress",
    "Json",
    "LatestState",
    "MemberLease",
    "MetricsSnapshot",
    "Owned",
    "ReadinessResult",
    "Reclaimed",
    "Replayed",
    "ResolvedStep",
    "Snapshot",
    "SnapshotVersion",
    "TransitionResult",
    "UserInfo",
]
