"""What the client's calls answer with.

Plain frozen dataclasses with the field names of the wire; keys that this version does not know
are ignored. Moments are RFC 3339 strings, as the server sends them.
"""

from __future__ import annotations

from actae_client._types.accounts import AuthResult, Capabilities, UserInfo
from actae_client._types.approvals import Approval
from actae_client._types.channels import ChannelMetadata, ResolvedStep
from actae_client._types.consumer_groups import ClaimedWork, GroupInfo, GroupOffset
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
    LateEvidence,
    Owned,
    Reclaimed,
    Replayed,
)
from actae_client._types.forks import ForkInfo, ForkReceipt, ToolPolicy
from actae_client._types.guards import BudgetUse, Guard, SimilarCall
from actae_client._types.health import HealthComponent, HealthStatus, MetricsSnapshot, ReadinessResult
from actae_client._types.json import Json
from actae_client._types.retention import (
    ChannelSize,
    RemovedChannel,
    RetentionPolicy,
    RetentionRun,
    StorageReport,
    TableSize,
)
from actae_client._types.runs import EffectCounts, LastEvent, RunInfo, TokenCounts
from actae_client._types.states import LatestState, Snapshot, SnapshotVersion
from actae_client._types.wakeups import Wakeup
from actae_client.approvals import ApprovalOperation

__all__ = [
    "Approval",
    "ApprovalOperation",
    "AuthResult",
    "BudgetUse",
    "Capabilities",
    "ChainVerification",
    "ChannelMetadata",
    "ChannelSize",
    "Claimed",
    "ClaimedWork",
    "EffectCounts",
    "Event",
    "ExecutionClaim",
    "ExecutionGroup",
    "ExecutionGroupMember",
    "ExecutionInfo",
    "ForkInfo",
    "ForkReceipt",
    "GroupInfo",
    "GroupMessage",
    "GroupOffset",
    "Guard",
    "HealthComponent",
    "HealthStatus",
    "InProgress",
    "Json",
    "LastEvent",
    "LateEvidence",
    "LatestState",
    "MemberLease",
    "MetricsSnapshot",
    "Owned",
    "ReadinessResult",
    "Reclaimed",
    "RemovedChannel",
    "Replayed",
    "ResolvedStep",
    "RetentionPolicy",
    "RetentionRun",
    "RunInfo",
    "SimilarCall",
    "Snapshot",
    "SnapshotVersion",
    "StorageReport",
    "TableSize",
    "TokenCounts",
    "ToolPolicy",
    "TransitionResult",
    "UserInfo",
    "Wakeup",
]
