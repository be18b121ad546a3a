"""The lean frames against those of a complete implementation."""

import pytest
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from benchmarks.load.web_socket import PONG, TEXT, frame, frame_at, handshake

SIZES = (0, 1, 125, 126, 127, 65_535, 65_536)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("before", [b"", b"abc"])
def test_a_frame_is_found_only_when_it_is_whole(size: int, before: bytes) -> None:
    """However long it is, and wherever it begins."""
    sent = before + Frame(Opcode.TEXT, b"x" * size).serialize(mask=False)
    assert frame_at(sent, len(before)) == (TEXT, len(sent) - size, len(sent))
    for missing in (1, size // 2 + 1, size + 1):
        assert frame_at(sent[:-missing], len(before)) is None


def test_frames_follow_each_other() -> None:
    """The end of one is the beginning of the next."""
    sent = b"".join(Frame(Opcode.TEXT, text).serialize(mask=False) for text in (b"one", b"three"))
    first = frame_at(sent, 0)
    assert first is not None
    second = frame_at(sent, first.end)
    assert second is not None
    assert [sent[each.begin : each.end] for each in (first, second)] == [b"one", b"three"]
    assert frame_at(sent, second.end) is None


def test_a_server_understands_what_is_sent() -> None:
    """The handshake, and frames of both lengths that a client needs."""
    server = ServerProtocol()
    server.receive_data(handshake("127.0.0.1:8002"))
    [request] = server.events_received()
    assert isinstance(request, Request)
    answer = server.accept(request)
    assert answer.status_code == 101
    server.send_response(answer)
    for opcode, payload in [(TEXT, b"short"), (TEXT, b"long" * 100), (PONG, b"1234")]:
        server.receive_data(frame(payload, opcode))
        [heard] = server.events_received()
        assert isinstance(heard, Frame)
        assert (heard.opcode | 0x80, bytes(heard.data)) == (opcode, payload)
