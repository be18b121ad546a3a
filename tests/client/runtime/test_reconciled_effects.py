"""Effects of which nobody knows what became of them, as decorated functions."""

from __future__ import annotations

import asyncio

import pytest

from actae_client import Actae, ActaeClient, OutcomeUnknownError, SyncActaeClient
from actae_client.reconcile import lookup
from tests.support.server import RunningServer


async def test_a_decorated_effect_finds_out_before_it_is_called_again(actae: Actae, channel: str) -> None:
    """The probe gets the parameters by name; the answer is the result."""
    sent: dict[str, int] = {}

    @actae.effect(
        "wire:{reference}",
        on_lapse="ambiguous",
        ambiguous_on=(TimeoutError,),
        reconcile=lookup(lambda operation: sent.get(operation.params["reference"])),
    )
    async def wire(reference: str, cents: int) -> int:
        sent[reference] = cents
        raise TimeoutError

    async with actae.run("r", channel_id=channel):
        with pytest.raises(TimeoutError):
            await wire("INV-1", 4200)
        sent["INV-1"] += 1  # so that the answer is seen to be the provider's
        assert await wire("INV-1", 4200) == 4201


async def test_the_question_is_made_from_the_call(actae: Actae, client: ActaeClient, channel: str) -> None:
    """A template or a function, like the key."""

    @actae.effect("fax:{number}", on_lapse="ambiguous", ambiguous_on=(OSError,), ask="Fax {number} again?")
    async def fax(number: str) -> None:
        raise ConnectionResetError

    async with actae.run("r", channel_id=channel):
        with pytest.raises(ConnectionResetError):
            await fax("030-1")
        with pytest.raises(OutcomeUnknownError):
            await fax("030-1")
    (asked,) = await client.list_approvals(channel_id=channel)
    assert asked.summary == "Fax 030-1 again?"


def test_a_blocking_effect_has_the_same(server: RunningServer, channel: str) -> None:
    """With an async probe, too."""
    calls: list[int] = []

    async def find(_operation: object) -> str:
        await asyncio.sleep(0)
        return "found"

    with Actae(SyncActaeClient(api_key=server.api_key, endpoint=server.url)) as actae:

        @actae.effect(
            "wire:{cents}", on_lapse="ambiguous", ambiguous_on=(TimeoutError,), reconcile=lookup(find)
        )
        def wire(cents: int) -> str:
            calls.append(cents)
            raise TimeoutError

        with actae.run_sync("r", channel_id=channel):
            with pytest.raises(TimeoutError):
                wire(1)
            assert wire(1) == "found"
    assert calls == [1]


@pytest.mark.parametrize(
    "options",
    [
        {"ask": 1},
        {"reconcile": "look"},
        {"on_lapse": "perhaps"},
        {"ambiguous_on": (TimeoutError,)},
        {"on_failure": "ignore"},
    ],
)
def test_bad_terms_show_where_the_function_is_decorated(actae: Actae, options: dict) -> None:
    """Not at the first call."""
    with pytest.raises((TypeError, ValueError)):
        actae.effect("k", **options)
