"""A consumer group as a test talks to it."""

from typing import Any

from tests.support.server import Reply, RunningServer, new_channel


class GroupCalls:
    """Calls about one group, of a server."""

    def __init__(
        self, server: RunningServer, channel_id: str, group_id: str | None = None, *, api_key: str = ""
    ) -> None:
        self.server = server
        self.channel_id = channel_id
        self.id = group_id or new_channel("group")
        self.api_key = api_key

    def create(self, **fields: Any) -> Reply:
        """POST /groups"""
        body = {"group_id": self.id, "channel_id": self.channel_id, **fields}
        return self.server.post("/groups", body, api_key=self.api_key)

    def call(self, verb: str, consumer_id: str, **fields: Any) -> Reply:
        """POST /groups/{group_id}/{verb}"""
        body = {"consumer_id": consumer_id, **fields}
        return self.server.post(f"/groups/{self.id}/{verb}", body, api_key=self.api_key)

    def join(self, *consumer_ids: str, **fields: Any) -> None:
        """Each of these consumers joins."""
        for each in consumer_ids:
            joined = self.call("join", each, **fields)
            assert joined.status == 200, joined.body

    def work(self, consumer_id: str, limit: int = 100) -> list[int]:
        """The cursors of the events that a consumer is handed."""
        handed = self.call("work", consumer_id, limit=limit)
        assert handed.status == 200, handed.body
        return [event["cursor"] for event in handed.body["events"]]

    def ack(self, consumer_id: str, cursor: int) -> Any:
        """Acknowledge."""
        acked = self.call("ack", consumer_id, cursor=cursor)
        assert acked.status == 200, acked.body
        return acked.body

    def offsets(self) -> dict[str, tuple[int, int]]:
        """Last and claimed cursor by consumer."""
        reply = self.server.get(f"/groups/{self.id}/offsets", api_key=self.api_key)
        assert reply.status == 200, reply.body
        found = reply.body["offsets"]
        return {each["consumer_id"]: (each["last_cursor"], each["claimed_cursor"]) for each in found}

    def seen(self) -> dict[str, Any]:
        """The group as it is listed."""
        listed = self.server.get(f"/groups?channel_id={self.channel_id}", api_key=self.api_key)
        [found] = [each for each in listed.body["groups"] if each["group_id"] == self.id]
        return dict(found)

    def watermark(self) -> int:
        """Up to which cursor everything is done."""
        watermark: int = self.seen()["watermark"]
        return watermark

    def delete(self) -> Reply:
        """DELETE /groups/{group_id}"""
        return self.server.request("DELETE", f"/api/v1/groups/{self.id}", api_key=self.api_key)


def record_many(server: RunningServer, channel_id: str, count: int) -> None:
    """So many events."""
    for number in range(count):
        assert server.record(channel_id, payload=number).status == 200
