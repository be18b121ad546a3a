"""One run as Actae's ledger tells it, with the moments that the ledger could not see."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from actae.demo.story import Outcome
from actae_client import Event, ExecutionInfo, SyncActaeClient

_EVENTS_MAX = 100


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A line of the timeline. Without a cursor it was seen from outside and stands in no ledger."""

    cursor: int | None = None
    at: datetime
    event_type: str
    what: str


@dataclass(frozen=True, kw_only=True)
class LedgerRun:
    """What Actae holds of one run: the events, the charge, and all as lines to read, oldest first."""

    channel_id: str
    events: tuple[Event, ...]
    charge: ExecutionInfo
    moments: tuple[Moment, ...]

    def charge_attempts(self) -> list[int]:
        """The attempt number of each `tool.started` of the charge."""
        started = (event.payload for event in self.events if event.event_type == "tool.started")
        return [payload["attempt"] for payload in started if payload["tool_name"] == "charge_customer"]


def read_ledger(client: SyncActaeClient, outcome: Outcome) -> LedgerRun:
    """Read the run of one cell from the ledger."""
    channel_id = f"demo:{outcome.order_id}"
    events = tuple(client.replay(channel_id, limit=_EVENTS_MAX))
    executions = client.list_executions(channel_id)
    moments = [*map(_recorded, events), *_seen_from_outside(outcome)]
    return LedgerRun(
        channel_id=channel_id,
        events=events,
        charge=next(execution for execution in executions if execution.tool_name == "charge_customer"),
        moments=tuple(sorted(moments, key=lambda moment: moment.at)),
    )


def _recorded(event: Event) -> Moment:
    return Moment(
        cursor=event.cursor,
        at=datetime.fromisoformat(event.timestamp),
        event_type=event.event_type,
        what=_what(event.event_type, event.payload),
    )


def _seen_from_outside(outcome: Outcome) -> Iterator[Moment]:
    killed, restarted, again = outcome.killed, outcome.restarted, outcome.started_again
    nobody_wrote = f"{killed.confirmed_charge_id} is confirmed, nobody wrote it down"
    yield Moment(at=killed.started_at, event_type="agent started", what=f"pid {killed.pid}")
    yield Moment(at=killed.killed_at, event_type="SIGKILL", what=nobody_wrote)
    yield Moment(at=restarted.started_at, event_type="agent started", what=f"pid {restarted.pid}")
    if again is not None:
        after_the_end = f"pid {again.pid}, once more after the end"
        yield Moment(at=again.started_at, event_type="agent started", what=after_the_end)


def _what(event_type: str, payload: Any) -> str:
    match event_type:
        case "sources.gathered":
            return ", ".join(source["source"] for source in payload)
        case "invoice.drafted":
            return f"{payload['amount_cents'] / 100:.2f} EUR"
        case "tool.started" if payload["attempt"] > 1:
            return f"{payload['tool_name']}, attempt {payload['attempt']}: reclaimed"
        case "tool.started":
            return f"{payload['tool_name']}, attempt {payload['attempt']}"
        case "tool.completed":
            return f"{payload['tool_name']} → {payload['result']}"
        case "tool.replayed":
            return f"{payload['tool_name']}: as recorded, no call"
        case _:
            return ""
