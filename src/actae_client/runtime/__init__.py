"""Ambient runs: what an application does, recorded without being threaded through it."""

from actae_client.deterministic import channel_for_run, deterministic_operation_key
from actae_client.runtime.carrier import RUN_CARRIER_SCHEMA, ActaeCarrier
from actae_client.runtime.facade import Actae
from actae_client.runtime.framework_event import FrameworkEvent
from actae_client.runtime.orchestrator import ActaeOrchestrator
from actae_client.runtime.run_context import ActaeRunContext
from actae_client.runtime.scope import ActaeScope

__all__ = [
    "RUN_CARRIER_SCHEMA",
    "Actae",
    "ActaeCarrier",
    "ActaeOrchestrator",
    "ActaeRunContext",
    "ActaeScope",
    "FrameworkEvent",
    "channel_for_run",
    "deterministic_operation_key",
]
