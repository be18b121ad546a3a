"""Keys for providers and operation ids."""

from __future__ import annotations

from actae_client.deterministic import deterministic_operation_key
from actae_client.tools.keys import distinct_operation_key
from actae_client.tools.operation import Operation


def operation(channel_id: str, key_name: str) -> Operation:
    """An operation under a key."""
    return Operation(channel_id, key_name, "charge", "execution", 1)


def test_the_key_for_the_provider_follows_the_shared_derivation() -> None:
    """So that a worker in another language computes the same."""
    expected = deterministic_operation_key("actae.provider", "effect", "run-1", "charge:7")
    assert operation("run-1", "charge:7").idempotency_key == expected


def test_long_names_that_differ_late_get_different_keys() -> None:
    """A provider must not take one charge for a repetition of another."""
    channel = "c" * 256
    keys = {operation(channel, "k" * 500 + end).idempotency_key for end in ("a", "b")}
    assert len(keys) == 2
    assert len({operation(channel, key).idempotency_key for key in ("a", "b")}) == 2


def test_lone_surrogates_have_keys_too() -> None:
    """Model-written text is not always well formed."""
    assert distinct_operation_key("scope", "action", "\ud800" * 300)
