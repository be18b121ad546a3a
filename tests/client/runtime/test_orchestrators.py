"""Carriers, workflows and activities."""

from __future__ import annotations

import json

import pytest

from actae_client.client import ActaeClient
from actae_client.runtime import (
    RUN_CARRIER_SCHEMA,
    Actae,
    ActaeCarrier,
    channel_for_run,
    deterministic_operation_key,
)
from tests.client.runtime.conftest import Types

CARRIER = ActaeCarrier("celery:order-7", "order-7", "celery", "order-7")


def test_a_carrier_travels_as_json() -> None:
    """What comes out of a queue is what went in, and holds no credentials."""
    sent = json.dumps(CARRIER.to_dict())
    assert json.loads(sent) == {
        "schema": RUN_CARRIER_SCHEMA,
        "channel_id": "celery:order-7",
        "run_id": "order-7",
        "framework": "celery",
        "workflow_id": "order-7",
    }
    assert ActaeCarrier.from_dict(json.loads(sent)) == CARRIER
    assert ActaeCarrier.from_dict(ActaeCarrier("c", "r", "f").to_dict()).workflow_id is None


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "actae.run-carrier/v2"},
        {"schema": None},
        {"api_key": "sk-secret"},
        {"run_id": ""},
        {"run_id": None},
        {"framework": 7},
        {"workflow_id": ""},
        {"channel_id": "not a channel"},
    ],
)
def test_a_damaged_carrier_is_refused(change: dict) -> None:
    """Another schema, unknown keys, and values that are missing or empty."""
    with pytest.raises(ValueError):
        ActaeCarrier.from_dict({**CARRIER.to_dict(), **change})


def test_a_carrier_is_made_without_a_server() -> None:
    """Replayed workflow code may make one: no I/O, no clock, no chance."""

    class Silent:
        def record(self) -> None:
            pytest.fail("asked the server")

    actae = Actae(Silent())
    assert actae.orchestrator("celery").carrier("order-7") == CARRIER
    assert actae.orchestrator("temporal").carrier("order-7").channel_id == "temporal:order-7"


async def test_a_workflow_is_a_run(actae: Actae, client: ActaeClient, channel: str) -> None:
    """Its id is its workflow's and its native one; its framework is the orchestrator."""
    async with actae.orchestrator("celery").workflow(channel, attempt=1) as scope:
        assert scope.carrier() == actae.orchestrator("celery").carrier(channel)
    started = (await client.replay(scope.channel_id))[0].payload
    assert started["framework"] == "celery"
    assert started["data"]["workflow_id"] == started["data"]["native_run_id"] == channel


@pytest.mark.parametrize("name", ["temporal", "Durable-Functions", "azure-durable-functions"])
def test_engines_that_replay_workflow_code_are_refused(actae: Actae, name: str) -> None:
    """I/O in workflow code that is replayed would happen again."""
    for refused in (
        lambda: actae.workflow("w", orchestrator=name),
        lambda: actae.workflow_sync("w", orchestrator=name),
        lambda: actae.orchestrator(name).workflow("w"),
        lambda: actae.orchestrator("home-grown", deterministic=True).workflow("w"),
    ):
        with pytest.raises(RuntimeError, match="replays"):
            refused()
    assert actae.orchestrator(name, deterministic=False).workflow("w")


@pytest.mark.parametrize("as_json", [False, True])
async def test_an_activity_belongs_to_its_workflow(
    actae: Actae, client: ActaeClient, channel: str, as_json: bool
) -> None:
    """From a carrier or its JSON; on the workflow's channel where that is asked for."""
    engine = actae.orchestrator("temporal")
    carrier = engine.carrier(channel)
    parent = carrier.to_dict() if as_json else carrier
    chosen = {"channel_id": carrier.channel_id}
    async with engine.activity("charge", parent=parent, attempt=2, **chosen) as scope:
        assert scope.channel_id == carrier.channel_id
    started = (await client.replay(carrier.channel_id))[0].payload
    assert started["framework"] == "temporal.activity"
    assert (started["run_id"], started["parent_run_id"]) == ("charge", channel)
    assert started["data"]["workflow_id"] == channel
    assert started["data"]["native_run_id"] == "charge"
    assert started["data"]["attempt"] == 2


async def test_a_retried_activity_repeats_no_effect(actae: Actae, types: Types, channel: str) -> None:
    """The key of an effect knows the task, not the attempt."""
    engine = actae.orchestrator("celery")
    carrier = engine.carrier(channel)
    charged = []
    for attempt in (1, 2):
        async with engine.activity(f"charge-{channel}", parent=carrier, attempt=attempt) as scope:
            key = engine.effect_key("charge", "capture", "order-7")
            await scope.effect(key, "capture", {}, lambda: charged.append(1))
    assert charged == [1]
    assert scope.channel_id == channel_for_run(f"charge-{channel}", "celery.activity")
    assert (await types(scope.channel_id)).count("tool.completed") == 1


def test_a_blocking_worker_opens_activities_too(actae: Actae, channel: str) -> None:
    """The blocking counterparts."""
    engine = actae.orchestrator("celery")
    with engine.workflow_sync(channel) as scope:
        carrier = scope.carrier()
    with engine.activity_sync("charge", parent=carrier.to_dict()) as scope:
        assert scope.parent_run_id == channel


def test_effect_keys_follow_the_shared_derivation(actae: Actae) -> None:
    """So that workers in several languages agree."""
    engine = actae.orchestrator("celery")
    expected = deterministic_operation_key("actae.orchestrator.effect", "capture", "task", "order-7")
    assert engine.effect_key("task", "capture", "order-7") == expected


def test_parts_of_an_effect_key_that_would_be_cut_are_refused(actae: Actae) -> None:
    """Two orders must not share a key because their names are long."""
    with pytest.raises(ValueError, match="too long"):
        actae.orchestrator("celery").effect_key("t" * 250, "capture", "order-7")
    with pytest.raises(ValueError):
        actae.orchestrator("celery").effect_key("", "capture", "order-7")


def test_an_orchestrator_has_a_name(actae: Actae) -> None:
    """It is the framework of its runs."""
    with pytest.raises(ValueError, match="name"):
        actae.orchestrator("")
