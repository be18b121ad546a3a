"""Writes to a channel, and sees to it that a line is cut meanwhile."""

import asyncio
import threading

from actae_client import ActaeClient
from tests.support.cutting_proxy import CuttingProxy
from tests.support.server import RunningServer
from tests.support.waiting import until_async


class CutWriter(threading.Thread):
    """Records `cuts * batch` events; after each batch the line has been cut once more, at least."""

    def __init__(
        self, server: RunningServer, channel: str, proxy: CuttingProxy, *, cuts: int, batch: int = 20
    ) -> None:
        super().__init__(name="cut writer")
        self._server, self._channel, self._proxy = server, channel, proxy
        self._cuts, self._batch = cuts, batch
        self._error: BaseException | None = None

    def run(self) -> None:
        """Write them all, then let the line be."""
        try:
            asyncio.run(self._write())
        except BaseException as error:
            self._error = error
        finally:
            self._proxy.relent()

    async def _write(self) -> None:
        async with ActaeClient(api_key=self._server.api_key, endpoint=self._server.url) as client:
            for batch in range(self._cuts):
                await asyncio.gather(
                    *(
                        client.record(self._channel, "note", {"batch": batch}, actor="writer")
                        for _ in range(self._batch)
                    )
                )
                await until_async(lambda cuts=batch + 1: self._proxy.cuts >= cuts or self._proxy.cut_quiet())

    def finish(self) -> None:
        """Wait for its end. Raises what went wrong."""
        self.join()
        if self._error is not None:
            raise self._error
        assert self._proxy.cuts >= self._cuts, "the line was not cut often enough"
