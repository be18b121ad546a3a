"""A write that is sent again under its operation id: wherever the id stands, and whatever happened since."""

from typing import Any
from uuid import uuid4

import pytest

from tests.support.keys import make_key
from tests.support.server import Reply, RunningServer

Write = tuple[str, dict[str, Any]]


@pytest.fixture(params=["record", "transition", "save"])
def write(request: pytest.FixtureRequest, channel: str) -> Write:
    """The path and body of a write without an operation id."""
    note = {"channel_id": channel, "type": "note", "payload": {"n": 1}, "metadata": {"actor": "a"}}
    writes: dict[str, Write] = {
        "record": ("/events/record", note),
        "transition": ("/events/transition", {**note, "state": {"n": 1}}),
        "save": (f"/state/{channel}", {"cursor": 0, "state": {"n": 1}}),
    }
    return writes[request.param]


def send(server: RunningServer, write: Write, *, header: str | None = None, **fields: Any) -> Reply:
    """Send it, with more fields, and perhaps the header that gateways use."""
    path, body = write
    headers = {} if header is None else {"Idempotency-Key": header}
    return server.request("POST", f"/api/v1{path}", {**body, **fields}, headers=headers)


def test_the_operation_id_may_stand_in_the_header(server: RunningServer, write: Write) -> None:
    """It is the same id as in the body, which wins where there are both."""
    first = send(server, write, header="op-1")
    assert first.status == 200
    assert send(server, write, header="op-1").body == first.body
    assert send(server, write, operation_id="op-1").body == first.body
    assert send(server, write, operation_id="op-1", header="op-2").body == first.body
    assert send(server, write, header="op-2").body != first.body
    _, body = write
    changed = {name: {"n": 2} for name in ("payload", "state") if name in body}
    refused = send(server, write, header="op-1", **changed)
    assert (refused.status, refused.body["status"]) == (409, "idempotency_conflict")


def test_the_operation_id_of_a_fork_may_stand_in_the_header(server: RunningServer, channel: str) -> None:
    """It has to stand somewhere."""
    server.record(channel, "note", {})
    named = ("/channels/fork", {"source_channel_id": channel, "new_channel_id": f"{channel}.b"})
    refused = send(server, named)
    assert (refused.status, refused.body["field"]) == (400, "operation_id")
    first = send(server, named, header="op-1")
    assert first.status == 200
    again = send(server, named, operation_id="op-1")
    assert again.body == {**first.body, "replayed": True}
    other = send(server, named, header="op-1", new_channel_id=f"{channel}.c")
    assert (other.status, other.body["status"]) == (409, "idempotency_conflict")


def test_a_header_that_is_no_operation_id_is_refused(server: RunningServer, write: Write) -> None:
    """Nothing is written under half an id."""
    refused = send(server, write, header="x" * 257)
    assert (refused.status, refused.body["field"]) == (400, "operation_id")


def test_a_repetition_outlives_what_it_depended_on(server: RunningServer, channel: str, write: Write) -> None:
    """Its event was written; a parent that was deleted since changes nothing about that."""
    elsewhere = f"{channel}-parent"
    parent = server.record(elsewhere, "note", {}).body["event"]["id"]
    depends = {"operation_id": "op-1", "dependencies": [{"event_id": parent}]}
    first = send(server, write, **depends)
    assert first.status == 200
    assert server.request("DELETE", f"/api/v1/channels/{elsewhere}").status == 200
    assert send(server, write, **depends).body == first.body
    refused = send(server, write, **{**depends, "operation_id": "op-2"})
    assert (refused.status, refused.body["field"]) == (400, "dependencies[0].event_id")


def test_who_may_only_write_may_depend_on_what_was_written_there(
    server: RunningServer, channel: str, write: Write
) -> None:
    """The event's id came from the reply to its own request; events elsewhere stay unknown."""
    key = make_key(server, write=(f"{channel}*",))

    def depend(event_id: str) -> Reply:
        path, body = write
        body = {**body, "dependencies": [{"event_id": event_id}]}
        return server.request("POST", f"/api/v1{path}", body, api_key=key)

    own = server.record(channel, "note", {}).body["event"]["id"]
    other = server.record(f"{channel}-other", "note", {}).body["event"]["id"]
    assert depend(own).status == 200
    for event_id in (other, str(uuid4())):
        assert depend(event_id).status == 400
