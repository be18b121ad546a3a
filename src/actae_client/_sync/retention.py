# Written by tools/generate_sync.py from _async/retention.py. Do not edit.
"""Methods about retention and sizes."""

from __future__ import annotations

from actae_client._calls import retention
from actae_client._sync.sender import Sender
from actae_client._types.retention import RetentionPolicy, RetentionRun, StorageReport


class RetentionMethods(Sender):
    """How long channels are kept after they ended, and what takes room. All of it needs admin permission."""

    def list_retention_policies(self) -> list[RetentionPolicy]:
        """The policies that the key may change, by their patterns."""
        return self._send(retention.list_retention_policies())

    def set_retention_policy(self, pattern: str, keep_for_seconds: int | None) -> RetentionPolicy:
        """Have channels of a pattern removed so long after they ended; None keeps them for ever.

        Events, states and ledger go. The id stays, and every claim there raises ChannelDeletedError, so a
        late retry repeats nothing in that channel; in another one its key is free.

        A pattern is a channel id, or the beginning of some and `*`. Of several, the narrowest counts. Raises
        InvalidRequestError; PermissionDeniedError unless the key has admin permission on the whole pattern.
        """
        return self._send(retention.set_retention_policy(pattern, keep_for_seconds))

    def remove_retention_policy(self, pattern: str) -> None:
        """Leave the channels of a pattern to the next wider one; without one they stay.

        Raises NotFoundError when there is no policy for exactly this pattern.
        """
        return self._send(retention.remove_retention_policy(pattern))

    def run_retention(self, *, dry_run: bool = False, limit: int | None = None) -> RetentionRun:
        """Remove now what is past its policy, at most `limit` channels (1,000 if None), and for some seconds.

        With `dry_run`, only say what would be removed. An ActaeConnectionError leaves open what a run has
        removed; what is left goes with the next one.
        """
        return self._send(retention.run_retention(dry_run=dry_run, limit=limit))

    def storage(self, *, limit: int | None = None) -> StorageReport:
        """The sizes of the tables and of the `limit` largest channels (20 if None).

        For a key with admin permission on `*`: otherwise PermissionDeniedError.
        """
        return self._send(retention.storage(limit=limit))
