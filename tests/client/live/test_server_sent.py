"""Server-sent events, put together."""

import pytest

from actae_client.live.server_sent import ServerSent


def messages_in(*pieces: bytes) -> list[bytes]:
    """What the pieces complete."""
    parser = ServerSent()
    return [message for piece in pieces for message in parser.take_in(piece)]


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (b"id: 1\ndata: a\n\n", [b"a"]),
        (b"data: a\n\ndata: b\n\n", [b"a", b"b"]),
        (b": hello\n\nretry: 1000\n\ndata: a\n\n", [b"a"]),
        (b"data:a\n\n", [b"a"]),
        (b"data:  a\n\n", [b" a"]),
        (b"data: a: b\n\n", [b"a: b"]),
        (b"data: a\ndata: b\n\n", [b"a\nb"]),
        (b"data\n\n", [b""]),
        (b"id: 1\nevent: x\n\n", []),
        (b"data: a\n", []),
        (b"data: a", []),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", [b"a", b"b"]),
        (b"data: a\r\rdata: b\r\r\n", [b"a", b"b"]),
        ("data: é漢\n\n".encode(), ["é漢".encode()]),
    ],
)
def test_messages_are_complete_however_they_arrive(text: bytes, messages: list[bytes]) -> None:
    """In one piece, byte by byte, and cut in two at any byte."""
    assert messages_in(text) == messages
    assert messages_in(*(text[at : at + 1] for at in range(len(text)))) == messages
    for at in range(len(text)):
        assert messages_in(text[:at], text[at:]) == messages
