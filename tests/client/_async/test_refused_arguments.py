"""What is refused before anything is sent."""

from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from actae_client import ActaeClient
from tests.client.support.replies import EVENT
from tests.client.support.scripted_server import ScriptedServer

BAD_IDS = ["", "a b", "run-7\n", "é", "a/b", ".", "..", "x" * 257, "a~b"]


@pytest.mark.parametrize("channel_id", BAD_IDS)
@pytest.mark.parametrize(
    ("method", "args", "kwargs"),
    [
        ("record", ("note", None), {"actor": "a"}),
        ("transition", ("note", None, None), {}),
        ("replay", (), {}),
        ("get_cursor", (), {}),
        ("verify_chain", (), {}),
        ("save_state", (0, None), {}),
        ("latest_state", (), {}),
        ("list_states", (), {}),
        ("get_state", (1,), {}),
        ("delete_state", (1,), {}),
        ("get_channel_metadata", (), {}),
        ("update_metadata", (), {}),
        ("resolve_step", (1,), {}),
        ("latest_step_number", (), {}),
        ("close_channel", (), {}),
        ("delete_channel", (), {}),
        ("claim_execution", ("k", "tool"), {}),
        ("list_executions", (), {}),
    ],
)
async def test_a_bad_channel_id_is_refused(
    client: ActaeClient,
    scripted: ScriptedServer,
    channel_id: str,
    method: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> None:
    """The whole id must be of the grammar, a trailing line break included."""
    with pytest.raises(ValueError, match="channel_id"):
        await getattr(client, method)(channel_id, *args, **kwargs)
    assert scripted.heard == []


CYCLE: list[Any] = []
CYCLE.append({"again": CYCLE})


@pytest.mark.parametrize(
    ("value", "error", "where"),
    [
        ({"a": [1, float("nan")]}, ValueError, r"params\.a\[1\] is nan"),
        ({"a": float("-inf")}, ValueError, r"params\.a is -inf"),
        ({"a": {"b": b"raw"}}, TypeError, r"params\.a\.b is a bytes"),
        ([datetime(2026, 3, 1)], TypeError, r"params\[0\] is a datetime"),  # noqa: DTZ001
        ({"a": {1: "one"}}, TypeError, r"params\.a has the key 1"),
        ({None: 1}, TypeError, r"params has the key None"),
        ({"a": {1, 2}}, TypeError, r"params\.a is a set"),
        (CYCLE, ValueError, r"params\[0\]\.again contains itself"),
        pytest.param(10**5000, ValueError, r"params has more digits", id="endless digits"),
    ],
)
async def test_what_is_not_json_is_refused_with_its_path(
    client: ActaeClient, scripted: ScriptedServer, value: Any, error: type[Exception], where: str
) -> None:
    """Nothing is claimed for arguments that cannot be recorded."""
    with pytest.raises(error, match=where):
        await client.claim_execution("run-7", "k", "tool", value)
    assert scripted.heard == []


async def test_what_is_nested_too_deeply_is_refused(client: ActaeClient, scripted: ScriptedServer) -> None:
    """And with a sentence, not with a RecursionError."""
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        await client.save_state("run-7", 0, deep)
    assert scripted.heard == []


@pytest.mark.parametrize("execution_id", ["", ".", ".."])
async def test_an_id_that_cannot_be_addressed_is_refused(
    client: ActaeClient, scripted: ScriptedServer, execution_id: str
) -> None:
    """It would reach another route."""
    with pytest.raises(ValueError, match="execution_id"):
        await client.complete_execution(execution_id, "token", None)
    assert scripted.heard == []


@pytest.mark.parametrize("argument", ["value", "field", "tool_name", "key_prefix"])
async def test_half_a_surrogate_pair_in_an_address_is_refused(
    client: ActaeClient, scripted: ScriptedServer, argument: str
) -> None:
    """An address has no escape for it; the argument is named."""
    asked = {"field": "order", "value": "7", argument: "hi \ud83d"}
    with pytest.raises(ValueError, match=rf"^{argument} is 'hi \\ud83d', which holds half"):
        [each.id async for each in client.search_executions(**asked)]
    with pytest.raises(ValueError, match="execution_id is"):
        await client.get_execution("\ud83d")
    assert scripted.heard == []


@pytest.mark.parametrize("limit", [1.5, Decimal("0.1")])
async def test_a_fraction_of_an_operation_is_no_budget(
    client: ActaeClient, scripted: ScriptedServer, limit: float | Decimal
) -> None:
    """Only what a field adds up to can be one."""
    with pytest.raises(ValueError, match=rf"^limit is {limit}; without a field"):
        await client.add_budget(limit)
    assert scripted.heard == []


async def test_one_str_is_not_a_list_of_str(client: ActaeClient, scripted: ScriptedServer) -> None:
    """It would be read as single characters."""
    with pytest.raises(TypeError, match="dedup_fields"):
        await client.claim_execution("run-7", "k", "tool", {"id": 1}, dedup_fields="id")
    with pytest.raises(TypeError, match="channel_ids"):
        await client.query(channel_ids="run-7")
    assert scripted.heard == []


async def test_a_time_without_a_zone_is_refused(client: ActaeClient, scripted: ScriptedServer) -> None:
    """Nobody could say which moment it is."""
    with pytest.raises(ValueError, match="from_time has no time zone"):
        await client.query(from_time=datetime(2026, 3, 1))  # noqa: DTZ001
    assert scripted.heard == []


@pytest.mark.parametrize(
    "moment",
    [
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=12))),
        datetime(9999, 12, 31, 18, tzinfo=timezone(timedelta(hours=-12))),
    ],
    ids=str,
)
async def test_a_moment_beyond_the_calendar_is_refused(
    client: ActaeClient, scripted: ScriptedServer, moment: datetime
) -> None:
    """It is one where it was written, and none in UTC."""
    with pytest.raises(ValueError, match=r"run_at is .*UTC"):
        await client.schedule_wakeup("run-7", moment)
    assert scripted.heard == []


async def test_a_dependency_is_a_dict(client: ActaeClient, scripted: ScriptedServer) -> None:
    """The bad one is named, and what it must be."""
    good = {"event_id": "e", "dependency_type": "caused_by"}
    for bad, kind in (("id", "str"), (["id"], "list"), (None, "NoneType")):
        dependencies: Any = [good, bad]
        with pytest.raises(TypeError, match=rf"dependencies\[1\] must be a dict of event_id .* not {kind}"):
            await client.record("run-7", "note", None, actor="a", dependencies=dependencies)
        with pytest.raises(TypeError, match=r"dependencies\[1\]"):
            await client.save_state("run-7", 1, {}, dependencies=dependencies)
    assert scripted.heard == []


async def test_tuples_travel_as_lists(client: ActaeClient, scripted: ScriptedServer) -> None:
    """They are JSON arrays, as Python's own encoder has it."""
    scripted.answers({"event": EVENT})
    await client.record("run-7", "note", {"a": (1, (2,))}, actor="a")
    assert scripted.last.json["payload"] == {"a": [1, [2]]}
