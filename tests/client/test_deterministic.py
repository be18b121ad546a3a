"""Identifiers shared with the clients in other languages."""

import uuid
from decimal import Decimal
from typing import Any

import pytest

from actae_client import channel_for_run, deterministic_operation_key
from actae_client._canonical import canonical_json
from actae_client.client import validate_channel_id
from actae_client.deterministic import step_operation_id


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        (("demo", "create", "a", "b"), "0104638e-aa6f-585d-a421-ad78cfaf4984"),
        (("demo", "create"), "5361775d-fc71-5486-ada2-ea0d1e6dbec1"),
        (("demo", "create", None, 7, True), "b45e841c-8bfc-5985-8a2c-110bd96a6996"),
        (("demo", "create", "x" * 300), "7ef4560e-1883-56cb-91cd-d86042022308"),
        (("demo", "create", "x" * 400), "7ef4560e-1883-56cb-91cd-d86042022308"),
    ],
)
def test_operation_keys_are_those_of_every_client(parts: tuple[Any, ...], key: str) -> None:
    """Names longer than 256 bytes are cut."""
    assert deterministic_operation_key(*parts) == key


def test_a_short_name_gives_the_standard_uuid() -> None:
    """Without the cut it is UUID version 5, as every library makes it."""
    namespace = uuid.UUID("3f74e5f1-9b2c-4a7e-8f1d-000000000001")
    assert deterministic_operation_key("demo", "é", "漢") == str(uuid.uuid5(namespace, "demo\0é\0漢"))


@pytest.mark.parametrize(("scope", "action"), [("", "a"), ("a", ""), (None, "a"), ("a", 5)])
def test_scope_and_action_are_needed(scope: Any, action: Any) -> None:
    """An identity of nothing would be everybody's."""
    with pytest.raises(ValueError, match="scope and action"):
        deterministic_operation_key(scope, action)


def test_text_without_utf8_has_a_key() -> None:
    """Different lone surrogates have different keys."""
    keys = {deterministic_operation_key("demo", "create", text) for text in ("\ud800", "\ud801", "?")}
    assert len(keys) == 3


def test_a_step_has_the_id_of_its_content() -> None:
    """The worked example of the contract."""
    step = step_operation_id(
        "run-1", "tool_call", 2, input={"q": "é<1>"}, output=1.0, metadata={"model": "m"}
    )
    assert step == "83d96d52-4868-520b-b29b-a6f7c8d1d3fa"


def test_a_step_with_a_context_is_another_step() -> None:
    """A context that is given takes part; one that is not leaves no trace."""
    without = step_operation_id("run-1", "t", 1, context=None)
    assert without == step_operation_id("run-1", "t", 1)
    assert without != step_operation_id("run-1", "t", 1, context={})


class Scalar(float):
    """Stands for the number types of array libraries, which have other reprs."""

    def __repr__(self) -> str:
        return f"Scalar({float(self)})"


class Count(int):
    """An integer with a repr of its own."""

    def __repr__(self) -> str:
        return "Count"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (2**70, "1180591620717411303424"),
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (100.0, "100"),
        (1.5e16, "15000000000000000"),
        (123456789012345680.0, "123456789012345680"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.5e21, "1.5e+21"),
        (-1.25e300, "-1.25e+300"),
        (1e-6, "0.000001"),
        (-1e-5, "-0.00001"),
        (1.5e-6, "0.0000015"),
        (1e-7, "1e-7"),
        (-1.5e-7, "-1.5e-7"),
        (5e-324, "5e-324"),
        (Scalar(1.5), "1.5"),
        (Count(7), "7"),
        ("é<&>\u2028\u2029", '"é\\u003c\\u0026\\u003e\\u2028\\u2029"'),
        ('"\\\n\x01\x7f', '"\\"\\\\\\n\\u0001\x7f"'),
        ("a\ud800b", '"a\\ufffdb"'),
        ([1, (2.0, [])], "[1,[2,[]]]"),
        ({"b": 1, "a": {"d": 1, "c": 2}, "é": 3, "Z": 4}, '{"Z":4,"a":{"c":2,"d":1},"b":1,"é":3}'),
    ],
)
def test_canonical_json_is_that_of_go(value: Any, text: str) -> None:
    """Sorted keys, raw UTF-8, and numbers in the shortest form."""
    assert canonical_json(value) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_not_json_have_no_canonical_form(value: float) -> None:
    """They are refused, not written as something else."""
    with pytest.raises(ValueError, match="not JSON"):
        canonical_json([value])


@pytest.mark.parametrize("value", [b"raw", {1: 2}, {1, 2}, object(), Decimal("1.5")])
def test_values_that_are_not_json_have_no_canonical_form(value: Any) -> None:
    """A key that is not str included."""
    with pytest.raises(TypeError):
        canonical_json({"a": value})


@pytest.mark.parametrize(
    ("run_id", "namespace", "channel_id"),
    [
        ("nightly-7", "etl", "etl:nightly-7"),
        ("job 9/éa", "worker", "worker:job-9-a:761b509dbfdc672f"),
    ],
)
def test_the_channel_of_a_run(run_id: str, namespace: str, channel_id: str) -> None:
    """The run id itself where it can be, a shortened form with a digest where not."""
    assert channel_for_run(run_id, namespace) == channel_id


@pytest.mark.parametrize("run_id", ["é", "...", "x" * 300, "a\nb", "\ud800", " lead"])
def test_every_run_has_a_channel(run_id: str) -> None:
    """Whatever it is called."""
    validate_channel_id(channel_for_run(run_id))
    validate_channel_id(channel_for_run(run_id, "é" * 90))
    validate_channel_id(channel_for_run(run_id, "n" * 300))


def test_runs_that_look_alike_have_different_channels() -> None:
    """The digest is that of the whole run id."""
    assert channel_for_run("a b") != channel_for_run("a/b")


def test_a_run_needs_an_id() -> None:
    """All runs without one would share a channel."""
    with pytest.raises(ValueError, match="run_id"):
        channel_for_run("")
