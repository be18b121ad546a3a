"""The words that sessions write to their channels."""

from __future__ import annotations

from typing import Final

SESSION_STARTED: Final = "session.started"
SESSION_COMPLETED: Final = "session.completed"
FORK_STARTED: Final = "fork.started"

SESSION_FENCE_KEY: Final = "__session_lock__"
SESSION_FENCE_TOOL: Final = "agent.session"

ACTOR: Final = "agent_session"

MAX_LINEAGE_DEPTH: Final = 10
"""How many forks above a channel are searched for a step, where the server has no index of steps."""
