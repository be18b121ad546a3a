"""An interrupt (Ctrl-C) while an object that closes itself is being made."""

import gc
import sys
from types import FrameType
from typing import Any

import pytest

from actae_client._background import _Loop
from actae_client.live.following import Source, SyncStream
from actae_client.live.stream import Stream


def nothing(*_arguments: Any) -> Any:
    """Not called: nothing is read."""
    raise AssertionError


MADE: dict[type, tuple[Any, ...]] = {
    Stream: (nothing,),
    SyncStream: (Source(nothing, nothing, nothing), "run-1", 0),
    _Loop: (),
}


def is_interrupted(kind: type, line: int) -> bool:
    """Make an object, with an interrupt before a line of its `__init__`; whether it has so many lines."""
    code = kind.__init__.__code__  # type: ignore[misc]
    lines_left = line

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines_left
        if frame.f_code is not code:
            return None
        if event == "line":
            if lines_left == 0:
                raise KeyboardInterrupt
            lines_left -= 1
        return trace

    usual = sys.gettrace()
    sys.settrace(trace)
    try:
        kind(*MADE[kind])
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(usual)
    return False


@pytest.mark.parametrize("kind", MADE)
def test_what_is_half_made_ends_in_silence(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it was interrupted; only sockets that nobody got to close are warned of."""
    said: list[BaseException | None] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: said.append(told.exc_value))
    line = 0
    while is_interrupted(kind, line):
        gc.collect()
        line += 1
    assert (line > 1, [it for it in said if not isinstance(it, ResourceWarning)]) == (True, [])
