"""The two clients: `ActaeClient` for asyncio and `SyncActaeClient` for everybody else."""

from __future__ import annotations

import os
import ssl
from types import TracebackType
from typing import Any, Self

from actae_client._async._io import AiohttpTransport
from actae_client._blocking import BlockingMethods
from actae_client._calls.channel_ids import validate_channel_id
from actae_client._calls.requests import Requests
from actae_client._endpoint import from_environment, http_endpoint, socket_endpoint
from actae_client._facade import facade
from actae_client._marking import returning_coroutines
from actae_client._sync._io import Urllib3Transport
from actae_client._sync.methods import Methods as SyncMethods
from actae_client._tls import client_context
from actae_client._types.accounts import Capabilities
from actae_client.approvals import APPROVAL_DECIDED, APPROVAL_EXPIRED, APPROVAL_REQUESTED
from actae_client.live.connection import Address
from actae_client.live.methods import LiveMethods
from actae_client.live.sync_methods import FollowingMethods
from actae_client.retry import COMPLETION_RETRY, DEFAULT_RETRY, RetryPolicy
from actae_client.transport import AsyncTransport, SyncTransport

__all__ = [
    "APPROVAL_DECIDED",
    "APPROVAL_EXPIRED",
    "APPROVAL_REQUESTED",
    "ActaeClient",
    "Capabilities",
    "SyncActaeClient",
    "validate_channel_id",
]


@returning_coroutines
class ActaeClient(BlockingMethods):
    """Actae over asyncio.

    One client serves any number of tasks and several event loops. Connections are opened when
    they are first needed; `async with` or `disconnect` closes them. Calls that are safe to repeat
    are repeated by `retry`, completions by `completion_retry`; `timeout` is that of one attempt,
    in seconds.

    `subscribe`, `stream` and `publish` share one WebSocket per event loop, opened by the first of them. When
    it is lost it is opened again, unless `auto_reconnect` is off. With `echo_self` this client's own
    publishes come to its subscriptions and streams too.

    The methods ending in `_sync` block, for code without an event loop.

    Raises ValueError without an `api_key`, or without both `endpoint` and `ws_endpoint`.
    """

    def __init__(
        self,
        *,
        api_key: str,
        endpoint: str = "",
        ws_endpoint: str = "",
        ssl_context: ssl.SSLContext | None = None,
        client_cert: str | os.PathLike[str] | None = None,
        client_key: str | os.PathLike[str] | None = None,
        ca_cert: str | os.PathLike[str] | None = None,
        timeout: float = 30.0,
        auto_reconnect: bool = True,
        echo_self: bool = False,
        transport: AsyncTransport | None = None,
        retry: RetryPolicy = DEFAULT_RETRY,
        completion_retry: RetryPolicy = COMPLETION_RETRY,
    ) -> None:
        requests = Requests(api_key)
        self._endpoint = http_endpoint(endpoint, ws_endpoint)
        context = client_context(
            self._endpoint,
            ssl_context=ssl_context,
            client_cert=client_cert,
            client_key=client_key,
            ca_cert=ca_cert,
        )
        carrier = transport or AiohttpTransport(self._endpoint, timeout_seconds=timeout, ssl_context=context)
        address = Address(socket_endpoint(self._endpoint, ws_endpoint), api_key, timeout, context)
        super().__init__(
            carrier,
            requests,
            retry,
            completion_retry,
            address=address,
            auto_reconnect=auto_reconnect,
            echo_self=echo_self,
        )

    @classmethod
    def from_env(cls, **overrides: Any) -> Self:
        """A client from `ACTAE_URL` (or `ACTAE_ENDPOINT`), `ACTAE_WS_URL` and `ACTAE_API_KEY`.

        Keyword arguments win. Raises ValueError when the key or every URL is missing.
        """
        return cls(**from_environment(overrides))

    @property
    def ws(self) -> LiveMethods:
        """The methods about what happens now."""
        return facade(self, LiveMethods)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.disconnect()

    def __repr__(self) -> str:
        return f"ActaeClient(endpoint={self._endpoint!r})"


class SyncActaeClient(FollowingMethods, SyncMethods):
    """Actae for code that blocks. One client serves any number of threads.

    The same methods as `ActaeClient`, with the same arguments, answers and errors.
    """

    def __init__(
        self,
        *,
        api_key: str,
        endpoint: str = "",
        ssl_context: ssl.SSLContext | None = None,
        client_cert: str | os.PathLike[str] | None = None,
        client_key: str | os.PathLike[str] | None = None,
        ca_cert: str | os.PathLike[str] | None = None,
        timeout: float = 30.0,
        transport: SyncTransport | None = None,
        retry: RetryPolicy = DEFAULT_RETRY,
        completion_retry: RetryPolicy = COMPLETION_RETRY,
    ) -> None:
        requests = Requests(api_key)
        self._endpoint = http_endpoint(endpoint)
        context = client_context(
            self._endpoint,
            ssl_context=ssl_context,
            client_cert=client_cert,
            client_key=client_key,
            ca_cert=ca_cert,
        )
        carrier = transport or Urllib3Transport(self._endpoint, timeout_seconds=timeout, ssl_context=context)
        super().__init__(carrier, requests, retry, completion_retry)

    @classmethod
    def from_env(cls, **overrides: Any) -> Self:
        """A client from `ACTAE_URL` (or `ACTAE_ENDPOINT`) and `ACTAE_API_KEY`.

        Keyword arguments win. Raises ValueError when the key or the URL is missing.
        """
        arguments = from_environment(overrides)
        ws_endpoint = arguments.pop("ws_endpoint", "")
        return cls(**{**arguments, "endpoint": http_endpoint(arguments.get("endpoint", ""), ws_endpoint)})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.disconnect()

    def __repr__(self) -> str:
        return f"SyncActaeClient(endpoint={self._endpoint!r})"
