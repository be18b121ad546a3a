"""Retention over HTTP."""

from typing import Any

from tests.support.server import Reply, RunningServer


def keep(server: RunningServer, pattern: str, seconds: int | None, **options: Any) -> Reply:
    """Set a policy."""
    body = {"keep_for_seconds": seconds}
    return server.request("PUT", f"/api/v1/retention/policies/{pattern}", body, **options)


def drop(server: RunningServer, pattern: str, **options: Any) -> Reply:
    """Remove a policy."""
    return server.request("DELETE", f"/api/v1/retention/policies/{pattern}", **options)


def policies(server: RunningServer, **options: Any) -> dict[str, int | None]:
    """The policies that somebody sees."""
    reply = server.get("/retention/policies", **options)
    assert reply.status == 200, reply
    return {each["pattern"]: each["keep_for_seconds"] for each in reply.body["policies"]}


def run(server: RunningServer, **fields: Any) -> Any:
    """Remove what is past its policy; what became of it."""
    options = {"api_key": fields.pop("api_key")} if "api_key" in fields else {}
    reply = server.post("/retention/run", fields, **options)
    assert reply.status == 200, reply
    return reply.body


def end(server: RunningServer, channel: str) -> None:
    """A channel with one event, that is closed."""
    server.record(channel)
    assert server.post(f"/channels/{channel}/close", {}).status == 200


def is_there(server: RunningServer, channel: str) -> bool:
    """Whether it holds what it held."""
    metadata = server.get(f"/channels/{channel}/metadata").body
    return metadata["deleted_at"] is None
