"""The call that lists channels with what they did."""

from __future__ import annotations

from typing import Any, NamedTuple

from actae_client._calls.call import Call, read
from actae_client._types.runs import RunInfo


class FoundRuns(NamedTuple):
    """One page; `next_page` is what brings the one that follows, None after the last."""

    runs: list[RunInfo]
    next_page: str | None


def list_runs(*, prefix: str | None, limit: int, after: str | None) -> Call[FoundRuns]:
    """List channels with what they did."""
    return read("/api/v1/runs", _found_of, {"prefix": prefix, "limit": limit, "after": after})


def _found_of(reply: Any) -> FoundRuns:
    return FoundRuns([RunInfo.from_dict(item) for item in reply["runs"]], reply.get("next"))
