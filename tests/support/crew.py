"""An execution group with sensible defaults, over HTTP."""

from typing import Any

from tests.support.server import Reply, RunningServer, new_channel


class Crew:
    """A group with one member for each name, on the channel `{group}.{name}` unless said otherwise."""

    def __init__(self, server: RunningServer, *names: str, **channels: str) -> None:
        self.server = server
        self.id = new_channel("crew")
        self.made = server.post("/execution-groups", {"group_id": self.id, "metadata": {}})
        for name in names:
            self.add(name)
        for name, channel in channels.items():
            self.add(name, channel)

    def channel(self, name: str) -> str:
        """The usual channel of a member."""
        return f"{self.id}.{name}"

    def add(self, name: str, channel: str | None = None, **fields: Any) -> Reply:
        """Add a member."""
        body = {"member_id": name, "channel_id": channel or self.channel(name), "metadata": {}, **fields}
        return self.post("/members", body)

    def post(self, path: str, body: Any, **options: Any) -> Reply:
        """POST below the group."""
        return self.server.post(f"/execution-groups/{self.id}{path}", body, **options)

    def get(self, path: str, **options: Any) -> Reply:
        """GET below the group."""
        return self.server.get(f"/execution-groups/{self.id}{path}", **options)

    def members(self, **options: Any) -> list[dict[str, Any]]:
        """All members."""
        found: list[dict[str, Any]] = self.get("/members", **options).body["members"]
        return found

    def claim(self, name: str, owner: str = "owner", lease_seconds: int = 60) -> Reply:
        """Claim a member."""
        return self.post(f"/members/{name}/claim", {"owner_id": owner, "lease_seconds": lease_seconds})

    def send(
        self, sender: str, recipient: str, type_: str = "note", payload: Any = None, **fields: Any
    ) -> Reply:
        """Send a message."""
        api_key = fields.pop("api_key", "")
        body = {"from_member_id": sender, "to_member_id": recipient, "type": type_, "payload": payload}
        return self.post("/messages", {**body, **fields}, api_key=api_key)

    def sent(
        self, sender: str, recipient: str, type_: str = "note", payload: Any = None, **fields: Any
    ) -> Any:
        """The message of a sending that must succeed."""
        reply = self.send(sender, recipient, type_, payload, **fields)
        assert reply.status == 200, reply
        return reply.body["message"]

    def mail(self, name: str, query: str = "", **options: Any) -> list[dict[str, Any]]:
        """A member's messages."""
        reply = self.get(f"/members/{name}/messages{query}", **options)
        assert reply.status == 200, reply
        found: list[dict[str, Any]] = reply.body["messages"]
        return found

    def acknowledge(self, message_id: str, owner: str = "owner", generation: int = 1) -> Reply:
        """Acknowledge a message."""
        held = {"owner_id": owner, "generation": generation}
        return self.server.post(f"/execution-group-messages/{message_id}/ack", held)

    def fork(self, name: str, member: str, cursor: int, **fields: Any) -> Reply:
        """Fork the group where this member is to go on differently."""
        body = {
            "fork_group_id": name,
            "source_group_id": self.id,
            "intervention_member_id": member,
            "intervention_cursor": cursor,
            "member_policies": {},
            "tool_policies": {},
        }
        return self.server.post("/execution-group-forks", {**body, **fields})

    def forked(self, name: str, member: str, cursor: int, **fields: Any) -> Any:
        """The receipt of a fork that must succeed."""
        reply = self.fork(name, member, cursor, **fields)
        assert reply.status == 200, reply
        return reply.body["fork"]

    def fork_crew(self, name: str) -> "Crew":
        """The forked group, to be spoken to in the same way."""
        crew = object.__new__(Crew)
        crew.server, crew.id = self.server, name
        return crew


def refused(reply: Reply) -> tuple[int, str]:
    """Status and code of a refusal."""
    return reply.status, reply.body["status"]
