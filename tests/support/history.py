"""What a server tells of the past, read once."""

from collections import Counter
from typing import Any

from tests.support.server import RunningServer

_PAGE = 1000


class History:
    """Reads whole channels, and remembers them."""

    def __init__(self, server: RunningServer) -> None:
        self._server = server
        self._logs: dict[str, list[dict[str, Any]]] = {}

    def log(self, channel_id: str) -> list[dict[str, Any]]:
        """Every event of a channel; none is missing."""
        if channel_id not in self._logs:
            events: list[dict[str, Any]] = []
            while page := self._page(channel_id, after=len(events)):
                events += page
            assert [event["cursor"] for event in events] == list(range(1, len(events) + 1))
            self._logs[channel_id] = events
        return self._logs[channel_id]

    def event(self, channel_id: str, cursor: int) -> dict[str, Any]:
        """One event."""
        log = self.log(channel_id)
        assert cursor <= len(log), f"{channel_id} ends at {len(log)}; acknowledged event {cursor} is gone"
        return log[cursor - 1]

    def state(self, channel_id: str, version: int) -> tuple[int, Any]:
        """Cursor and content of a snapshot."""
        body = self._get(f"/state/{channel_id}/version/{version}")
        assert body["cursor"] is not None, f"acknowledged version {version} of {channel_id} is gone"
        return body["cursor"], body["state"]

    def execution(self, execution_id: str) -> Any:
        """One row of the ledger."""
        return self._get(f"/executions/{execution_id}")["execution"]

    def metadata(self, channel_id: str) -> Any:
        """What is known of a channel."""
        return self._get(f"/channels/{channel_id}/metadata")

    def sent(self, event_id: str) -> list[dict[str, Any]]:
        """The sending of a message, wherever it was sent."""
        found = self._get(f"/events/{event_id}/causal-graph?max_nodes=1")["events"]
        return [event for event in found if event["type"] == "message.sent"]

    def no_letter_is_there_twice(self, *channel_ids: str) -> None:
        """Each letter has a text of its own, and is told once on either side."""
        for type_ in ("message.sent", "message.received"):
            texts = Counter(
                event["payload"]["payload"]
                for channel_id in channel_ids
                for event in self.log(channel_id)
                if event["type"] == type_
            )
            assert {text: times for text, times in texts.items() if times > 1} == {}

    def no_note_is_there_twice(self, channel_id: str) -> None:
        """Each note has a text of its own."""
        texts = Counter(event["payload"] for event in self.log(channel_id) if event["type"] == "note")
        assert {text: times for text, times in texts.items() if times > 1} == {}

    def each_move_has_its_state(self, channel_id: str) -> None:
        """Transitions only: event n and snapshot n are both there, whether acknowledged or not."""
        versions = self._get(f"/state/{channel_id}/versions?limit=10000")["versions"]
        saved = [(each["version"], each["cursor"]) for each in reversed(versions)]
        assert saved == [(event["cursor"], event["cursor"]) for event in self.log(channel_id)]

    def _page(self, channel_id: str, *, after: int) -> Any:
        return self._get(f"/events/replay/{channel_id}?cursor={after}&limit={_PAGE}")["events"]

    def _get(self, path: str) -> Any:
        reply = self._server.get(path)
        assert reply.status == 200, reply
        return reply.body
