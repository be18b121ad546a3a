"""Keys and parameters of effects, and what is refused."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from actae_client.client import ActaeClient
from actae_client.runtime import Actae


async def test_parameters_and_key_may_be_functions(actae: Actae, client: ActaeClient, channel: str) -> None:
    """For arguments that are not JSON, or more than what identifies the call."""

    @actae.effect(
        lambda order, _session: f"k:{order['id']}", params=lambda order, _session: {"id": order["id"]}
    )
    async def charge(order: dict[str, int], session: object) -> str:
        return "paid"

    async with actae.run("r", channel_id=channel):
        await charge({"id": 7, "noise": 1}, object())
        await charge({"id": 7, "noise": 2}, object())
    (execution,) = await client.list_executions(channel)
    assert (execution.key_name, execution.params, execution.attempts) == ("k:7", {"id": 7}, 1)


@pytest.mark.parametrize(
    ("key", "error"),
    [
        ("charge:{missing}", ValueError),
        ("charge:{order[0][0]}", ValueError),
        ("charge:{", ValueError),
        ("", ValueError),
        ("{order}", ValueError),
        (lambda order: 7, ValueError),
        (lambda order: "é" * 300, ValueError),
    ],
)
async def test_a_key_that_cannot_be_made_is_refused(
    actae: Actae, client: ActaeClient, channel: str, key: Any, error: type[Exception]
) -> None:
    """Before anything is claimed."""

    @actae.effect(key)
    async def charge(order: str) -> None:
        pytest.fail("ran")

    async with actae.run("r", channel_id=channel):
        with pytest.raises(error):
            await charge("")
    assert await client.list_executions(channel) == []


@pytest.mark.parametrize("order", [None, ""])
@pytest.mark.parametrize(
    ("key", "named"), [("charge:{order}", "'order'"), ("c:{order!s:>3}:{who[id]}", "'order'")]
)
async def test_a_key_needs_all_of_its_parts(
    actae: Actae, client: ActaeClient, channel: str, key: str, named: str, order: str | None
) -> None:
    """All calls without an order would have one key. A function may make such a key, if it is meant."""

    @actae.effect(key, name="charge")
    async def charge(order: str | None, who: dict[str, str]) -> None:
        pytest.fail("ran")

    @actae.effect(lambda order, who: f"charge:{order}", name="charge")
    async def charge_anyway(order: str | None, who: dict[str, str]) -> None:
        pass

    async with actae.run("r", channel_id=channel):
        with pytest.raises(ValueError, match=named):
            await charge(order, {"id": "7"})
        assert await client.list_executions(channel) == []
        await charge_anyway(order, {"id": "7"})


async def test_arguments_that_are_not_json_are_refused(actae: Actae, channel: str) -> None:
    """The place is named."""

    @actae.effect("k")
    async def charge(order: object) -> None:
        pytest.fail("ran")

    async with actae.run("r", channel_id=channel):
        with pytest.raises(TypeError, match=r"params\.order\.at"):
            await charge({"at": object()})


async def test_an_effect_needs_a_run(actae: Actae) -> None:
    """There is no ledger without a channel."""

    @actae.effect("k")
    async def charge() -> None:
        pytest.fail("ran")

    with pytest.raises(RuntimeError, match="No run is open"):
        await charge()


def test_bad_options_show_when_the_function_is_defined(actae: Actae) -> None:
    """Not when the first customer is charged."""
    with pytest.raises(ValueError, match="lease_seconds"):
        actae.effect("k", lease_seconds=0)
    with pytest.raises(TypeError, match="key"):
        actae.effect(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        actae.effect("k", lease=5)  # type: ignore[call-arg]


def test_generators_cannot_be_decorated(actae: Actae) -> None:
    """Calling one has no result that could be stored."""

    def some() -> Any:
        yield 1

    async def more() -> Any:
        yield 1

    class Some:
        def __call__(self) -> Any:
            yield 1

    for decorate in (actae.effect("k"), actae.observe("r"), actae.tool):
        for function in (some, more, Some(), functools.partial(Some())):
            with pytest.raises(TypeError, match="generator"):
                decorate(function)
