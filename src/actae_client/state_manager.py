"""The smallest way to keep a state: save, load, fork."""

from __future__ import annotations

from actae_client._async.state_manager import StateManager
from actae_client._sync.state_manager import SyncStateManager

__all__ = ["StateManager", "SyncStateManager"]
