"""Who sends a word that is none of the allowed ones is told which these are."""

from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from actae.transport.allowed_values import allowed_values
from tests.support.server import RunningServer

Colour = Literal["red", "blue"]


class Inner(msgspec.Struct):
    """In something else."""

    colour: Annotated[Colour | None, Meta(description="Of the inside.")] = None
    text: str = ""


class Outer(msgspec.Struct, rename={"from_": "from"}):
    """Every way to hold one."""

    colour: Colour
    from_: Colour
    inner: Inner | None
    many: list[Inner]
    named: dict[str, Colour]
    mixed: Literal["a", 1]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("colour", ["blue", "red"]),
        ("from", ["blue", "red"]),
        ("inner.colour", ["blue", "red"]),
        ("many[3].colour", ["blue", "red"]),
        ("named[...]", ["blue", "red"]),
        ("mixed", ["a"]),
        ("inner.text", []),
        ("inner", []),
        ("from_", []),
        ("nothing.of.it", []),
        ("many.colour", []),
        ("", []),
    ],
)
def test_the_words_at_a_path(path: str, words: list[str]) -> None:
    """As the decoder writes paths; none where it leads nowhere."""
    assert allowed_values(Outer, path) == words
    assert allowed_values(None, path) == []


def test_a_refusal_lists_them(server: RunningServer, channel: str) -> None:
    """In a query and in a body."""
    refused = server.get("/approvals?status=all")
    assert (refused.status, refused.body["field"]) == (400, "status")
    assert refused.body["error"].endswith(
        "'status'; it is one of 'approved', 'expired', 'pending', 'rejected', 'superseded'."
    )
    refused = server.claim(channel, "k", on_lapse="explode")
    assert (refused.status, refused.body["field"]) == (400, "on_lapse")
    assert refused.body["error"].endswith("it is one of 'ambiguous', 'reclaim'.")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_json_has_not_is_named(server: RunningServer, channel: str, number: str) -> None:
    """With the place where it stands."""
    raw = f'{{"channel_id":"{channel}","key_name":"k","tool_name":"t","params":{{"n":{number}}}}}'
    refused = server.request("POST", "/api/v1/executions/claim", raw=raw.encode())
    assert (refused.status, refused.body["status"]) == (400, "invalid_json")
    assert refused.body["error"].endswith(f", which is {number}.")
    assert "byte" in refused.body["error"]


def test_below_the_first_cursor_there_is_none(server: RunningServer, channel: str) -> None:
    """However the log is read."""
    for path in ("replay", "stream"):
        refused = server.get(f"/events/{path}/{channel}?cursor=-1")
        assert (refused.status, refused.body["field"]) == (400, "cursor")


def test_a_moment_that_is_one_elsewhere_only(server: RunningServer, channel: str) -> None:
    """It is told from what is no moment at all."""
    body = {"channel_id": channel, "run_at": "9999-12-31T23:59:59-14:00"}
    refused = server.post("/scheduler/wakeups", body)
    assert (refused.status, refused.body["field"]) == (400, "run_at")
    assert "in UTC is not in one of the years" in refused.body["error"]
