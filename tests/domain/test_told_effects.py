"""What the log tells of effects that did not run, whatever else its events hold."""

import pytest

from actae.domain.told_effects import BLOCKED, BlockedCall, ToldEffects

NAMED = b'{"key_name":"k","tool_name":"mail","policy":"block"'


@pytest.mark.parametrize("rest", [b"", b',"note":"hi \\ud83d"', b',"n":' + b"9" * 5_000])
def test_a_blocked_call_is_told(rest: bytes) -> None:
    """Half a surrogate pair and endless numbers beside its names are passed over."""
    told = ToldEffects()
    told.add(BLOCKED, NAMED + rest + b"}", 7)
    assert told.show(ran=0, inherited=0).blocked == [BlockedCall("k", "mail", "block", 7)]


@pytest.mark.parametrize(
    "payload",
    [
        b"1",
        b"{}",
        b'"\\ud83d"',
        b'{"key_name":1,"tool_name":"mail","policy":"block"}',
        b'{"key_name":"\\ud83d","tool_name":"mail","policy":"block"}',
    ],
)
def test_what_is_not_ours_tells_nothing(payload: bytes) -> None:
    """Names must be texts."""
    told = ToldEffects()
    told.add(BLOCKED, payload, 7)
    assert told.show(ran=0, inherited=0).blocked == []
