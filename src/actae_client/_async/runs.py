"""The method of whoever looks over many channels."""

from __future__ import annotations

from collections.abc import AsyncIterator

from actae_client._async.sender import Sender
from actae_client._calls import runs
from actae_client._types.runs import RunInfo


class RunMethods(Sender):
    """Looking over the channels that there are."""

    async def list_runs(self, *, prefix: str | None = None, page_size: int = 100) -> AsyncIterator[RunInfo]:
        """The channels that the key may see with what they did in numbers, fetched page by page.

        The most recently active come first; with a `prefix`, those whose ids begin so, in the order of their
        ids. Deleted ones are left out.

        Raises InvalidRequestError, PermissionDeniedError.
        """
        after = None
        while True:
            page = await self._send(runs.list_runs(prefix=prefix, limit=page_size, after=after))
            for run in page.runs:
                yield run
            after = page.next_page
            if after is None:
                return
