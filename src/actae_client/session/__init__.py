"""Sessions: runs of an agent that are recorded step by step, resumed, and forked at a step."""

from actae_client.session._async.session import AgentSession
from actae_client.session._async.transport import SessionTransport
from actae_client.session._sync.session import SyncAgentSession
from actae_client.session._sync.transport import SyncSessionTransport
from actae_client.session.draft import StepIdentity
from actae_client.session.fork_order import BoundaryMode
from actae_client.session.names import (
    MAX_LINEAGE_DEPTH,
    SESSION_COMPLETED,
    SESSION_FENCE_KEY,
    SESSION_FENCE_TOOL,
    SESSION_STARTED,
)

__all__ = [
    "MAX_LINEAGE_DEPTH",
    "SESSION_COMPLETED",
    "SESSION_FENCE_KEY",
    "SESSION_FENCE_TOOL",
    "SESSION_STARTED",
    "AgentSession",
    "BoundaryMode",
    "SessionTransport",
    "StepIdentity",
    "SyncAgentSession",
    "SyncSessionTransport",
]
