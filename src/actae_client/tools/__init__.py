"""Tools whose effects happen once: claim, run, record."""

from actae_client.tools.errors import (
    AdapterContractError,
    EffectNotRecordedError,
    LeaseLostError,
    OutcomeUnknownError,
    RecordedFailureError,
    ToolExecutionInProgressError,
)
from actae_client.tools.executor import ActaeToolExecutor
from actae_client.tools.operation import Operation, current_operation

__all__ = [
    "ActaeToolExecutor",
    "AdapterContractError",
    "EffectNotRecordedError",
    "LeaseLostError",
    "Operation",
    "OutcomeUnknownError",
    "RecordedFailureError",
    "ToolExecutionInProgressError",
    "current_operation",
]
