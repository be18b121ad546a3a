"""What a batch knows of the guards that look at its claims: what is used up, and what was called lately.

Like the view that it belongs to, it goes on with every answer: a claim sees what those before it took.
"""

from decimal import Decimal

from actae.domain.amounts import ZERO, add
from actae.domain.guards import CallKey, Guards, Recall, RecentCall, Use, UseKey


class Guarding:
    """The guards of one batch, and what its claims have taken so far."""

    __slots__ = ("_found", "_recent", "_used", "guards", "recalls", "uses")

    def __init__(self, guards: Guards) -> None:
        self.guards = guards
        self.uses: dict[UseKey, Use] = {}
        self.recalls: dict[CallKey, Recall] = {}
        self._used: dict[UseKey, Decimal] = {}
        self._found: dict[CallKey, RecentCall] = {}
        self._recent: dict[CallKey, RecentCall] = {}

    def used(self, key: UseKey) -> Decimal:
        """How much of a budget is used, by the claims before and by what was read."""
        return self._used.get(key, ZERO)

    def tell_used(self, key: UseKey, amount: Decimal) -> None:
        """Tell what was read."""
        self._used[key] = amount

    def take(self, key: UseKey, use: Use) -> None:
        """Use more of a budget."""
        self._used[key] = add(self.used(key), use.taken)
        before = self.uses.get(key)
        self.uses[key] = use if before is None else use._replace(taken=add(before.taken, use.taken))

    def recent(self, key: CallKey) -> RecentCall | None:
        """The last operation with this fingerprint."""
        return self._recent.get(key)

    def tell_recent(self, key: CallKey, call: RecentCall) -> None:
        """Tell what was read."""
        self._found[key] = self._recent[key] = call

    def remember(self, key: CallKey, recall: Recall) -> None:
        """The operation that is the last one from now on."""
        found = self._found.get(key)
        self._recent[key] = recall.call
        self.recalls[key] = recall._replace(
            before=None if found is None else (found.channel_id, found.key_digest)
        )
