"""One TCP connection to a server, kept from request to request, with bodies byte for byte."""

import http.client
import json
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from tests.support.server import RunningServer


class RawReply(NamedTuple):
    """What came back, undecoded."""

    status: int
    content: bytes
    headers: Mapping[str, str]

    @property
    def body(self) -> Any:
        """Decoded."""
        return json.loads(self.content)


class Wire:
    """Never opened anew behind the test's back: a server that closes the connection fails the test."""

    def __init__(self, server: RunningServer) -> None:
        at = urlsplit(server.url)
        self._connection = http.client.HTTPConnection(at.hostname or "", at.port, timeout=30)
        self._connection.connect()
        self._connection.auto_open = 0
        self._api_key = server.api_key

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def send(
        self,
        method: str,
        path: str,
        body: bytes | Iterable[bytes] | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> RawReply:
        """One request; an iterable goes in chunks. A header of None is left out."""
        wanted = {"x-api-key": self._api_key, "content-type": "application/json", **(headers or {})}
        sent = {name: value for name, value in wanted.items() if value is not None}
        chunked = body is not None and not isinstance(body, bytes)
        if chunked:
            sent["transfer-encoding"] = "chunked"
        self._connection.request(method, path, body, sent, encode_chunked=chunked)
        answer = self._connection.getresponse()
        content = answer.read()
        return RawReply(answer.status, content, {name.lower(): value for name, value in answer.getheaders()})

    def post(self, path: str, body: Any) -> RawReply:
        """POST a value, or bytes as they are, below /api/v1."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.send("POST", f"/api/v1{path}", raw)
