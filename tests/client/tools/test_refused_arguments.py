"""What is wrong with a call shows before anything is claimed."""

from __future__ import annotations

import asyncio

import pytest

from actae_client.client import ActaeClient
from actae_client.tools import ActaeToolExecutor
from tests.client.tools.support.tools import Charge


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("", "t", {}), {}),
        (("k", "", {}), {}),
        (("k", "t", {}), {"lease_seconds": 0}),
        (("k", "t", {}), {"lease_seconds": 86_401}),
        (("k", "t", {}), {"lease_seconds": True}),
        (("k", "t", {}), {"heartbeat_interval": 60, "lease_seconds": 60}),
        (("k", "t", {}), {"on_cancel": "perhaps"}),
        (("k", "t", {}), {"wait_seconds": -1}),
        (("k", "t", {}), {"mark_dispatched": "no"}),
        (("k", "t", {}), {"emit_replay_event": 1}),
        (("k", "t", {}), {"on_lapse": "perhaps"}),
        (("k", "t", {}), {"on_failure": "ignore"}),
        (("k", "t", {}), {"ttl_seconds": 0}),
        (("k", "t", {}), {"ttl_seconds": 1.5}),
        (("k", "t", {}), {"ambiguous_on": TimeoutError, "on_lapse": "ambiguous"}),
        (("k", "t", {}), {"ambiguous_on": ("TimeoutError",), "on_lapse": "ambiguous"}),
        (("k", "t", {}), {"ambiguous_on": (TimeoutError,)}),
        (("k", "t", {}), {"reconcile": "look it up"}),
        (("k", "t", {}), {"ask": 1}),
        (("k", "t", {"x": float("nan")}), {}),
        (("k", "t", {"x": b"bytes"}), {}),
        (("k", "t", {"x": {1: "int key"}}), {}),
    ],
)
async def test_bad_arguments_claim_nothing(
    executor: ActaeToolExecutor, client: ActaeClient, arguments: tuple, options: dict
) -> None:
    """They are refused before the first request is sent."""
    charge = Charge()
    with pytest.raises((TypeError, ValueError)):
        await executor.execute(*arguments, charge, **options)
    claim = await client.claim_execution(executor.channel_id, "k", "t", {})
    assert (claim.status, charge.runs) == ("claimed", 0)


@pytest.mark.parametrize("option", ["wait_seconds", "completion_timeout", "heartbeat_interval"])
async def test_seconds_are_a_number(executor: ActaeToolExecutor, option: str) -> None:
    """The option is named, not a comparison."""
    with pytest.raises(TypeError, match=f"^{option} must be a number of seconds, not str"):
        await executor.execute("k", "t", {}, Charge(), **{option: "x"})


async def test_an_option_that_is_not_there_is_named(executor: ActaeToolExecutor) -> None:
    """Together with those that are; by whom the options are held is nobody's business."""
    with pytest.raises(TypeError, match=r"^there is no option 'wait' of an effect; there are dedup_fields, "):
        await executor.execute("k", "t", {}, Charge(), wait=1)


async def test_the_place_of_a_bad_argument_is_named(executor: ActaeToolExecutor) -> None:
    """Nobody has to search a large argument for the one value that is not JSON."""
    with pytest.raises(TypeError, match=r"params\.orders\[1\]\.paid_by"):
        await executor.execute("k", "t", {"orders": [{}, {"paid_by": object()}]}, Charge())


async def test_arguments_changed_after_the_call_do_not_reach_the_ledger(
    executor: ActaeToolExecutor, client: ActaeClient
) -> None:
    """The parameters are those of the moment of the call."""
    params = {"cents": 100}
    call = executor.execute("k", "t", params, Charge())
    running = asyncio.ensure_future(call)
    await asyncio.sleep(0)
    params["cents"] = 999
    await running
    claim = await client.claim_execution(executor.channel_id, "k", "t", {"cents": 100})
    assert claim.status == "replayed"
