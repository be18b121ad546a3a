# Written by tools/generate_sync.py from _async/test_argument_names.py. Do not edit.
"""A refusal of the server names what the caller passed, also where it is sent under another name."""

from typing import Any

import pytest

from actae_client import SyncActaeClient, errors
from tests.client.support.scripted_server import ScriptedServer

OPERATION = {"key_name": "k", "tool_name": "t"}


@pytest.mark.parametrize(
    ("method", "args", "kwargs", "argument"),
    [
        ("record", ("note", 1), {"actor": ""}, "actor"),
        ("record", ("note", 1), {"actor": "a", "agent_id": 7}, "agent_id"),
        ("record", ("note", 1), {"actor": "a", "user_id": 7}, "user_id"),
        ("record", ("note", 1), {"actor": "a", "metadata": [1]}, "metadata"),
        ("transition", ("", 1, {}), {"actor": "a"}, "event_type"),
        ("transition", ("note", 1, {}), {"actor": ""}, "actor"),
        ("request_approval", (), {"summary": "?", "requester": ""}, "requester"),
        ("request_approval", (), {"summary": "?", "request_id": "x" * 257}, "request_id"),
        (
            "request_approval",
            (),
            {"summary": "?", "operation": {**OPERATION, "tool_name": ""}},
            "operation.tool_name",
        ),
        ("decide_approval", ("r",), {"decision": "approved", "actor": ""}, "actor"),
    ],
)
def test_the_argument_is_named(
    actae: SyncActaeClient,
    channel: str,
    method: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    argument: str,
) -> None:
    """In the sentence, and in `details`."""
    with pytest.raises(errors.InvalidRequestError) as caught:
        getattr(actae, method)(channel, *args, **kwargs)
    assert caught.value.details["field"] == argument
    assert f"'{argument}'" in str(caught.value)


@pytest.mark.parametrize("argument", ["from_time", "to_time"])
def test_the_bounds_of_a_search_are_named(actae: SyncActaeClient, argument: str) -> None:
    """They are sent as `from` and `to`."""
    with pytest.raises(errors.InvalidRequestError, match=f"'{argument}' must be an RFC 3339 moment"):
        actae.query(**{argument: "yesterday"})


def test_the_type_of_a_message_is_named(actae: SyncActaeClient, channel: str) -> None:
    """It is sent as `type`."""
    group = f"{channel}.crew"
    actae.create_execution_group(group)
    for name in ("a", "b"):
        actae.add_execution_group_member(group, name, f"{channel}.{name}")
    with pytest.raises(errors.InvalidRequestError, match="'message_type'"):
        actae.send_group_message(group, "a", "b", "", {})


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("metadata.actor", "actor"),
        ("metadata.metadata.a", "metadata.a"),
        ("metadata.metadata[0]", "metadata[0]"),
        ("metadata.actors", "metadata.actors"),
        ("payload", "payload"),
        (7, 7),
    ],
)
def test_only_what_has_another_name_is_named_anew(
    client: SyncActaeClient, scripted: ScriptedServer, field: Any, told: Any
) -> None:
    """With what is below it; the words around it stay as the server said them."""
    refusal = {"status": "invalid_request", "error": f"Odd: '{field}' metadata.actor.", "field": field}
    scripted.answers({**refusal, "hint": f"Mend '{field}'."}, status=400)
    with pytest.raises(errors.InvalidRequestError) as caught:
        client.record("run-7", "note", 1, actor="a")
    assert (str(caught.value), caught.value.details["field"]) == (f"Odd: '{told}' metadata.actor.", told)
    assert caught.value.hint == f"Mend '{told}'."
