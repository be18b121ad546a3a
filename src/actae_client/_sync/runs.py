# Written by tools/generate_sync.py from _async/runs.py. Do not edit.
"""The method of whoever looks over many channels."""

from __future__ import annotations

from collections.abc import Iterator

from actae_client._calls import runs
from actae_client._sync.sender import Sender
from actae_client._types.runs import RunInfo


class RunMethods(Sender):
    """Looking over the channels that there are."""

    def list_runs(self, *, prefix: str | None = None, page_size: int = 100) -> Iterator[RunInfo]:
        """The channels that the key may see with what they did in numbers, fetched page by page.

        The most recently active come first; with a `prefix`, those whose ids begin so, in the order of their
        ids. Deleted ones are left out.

        Raises InvalidRequestError, PermissionDeniedError.
        """
        after = None
        while True:
            page = self._send(runs.list_runs(prefix=prefix, limit=page_size, after=after))
            for run in page.runs:
                yield run
            after = page.next_page
            if after is None:
                return
