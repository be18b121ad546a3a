# Written by tools/generate_sync.py from _async/consumer_groups.py. Do not edit.
"""Methods about consumer groups."""

from __future__ import annotations

from actae_client._calls import consumer_groups
from actae_client._sync.consuming import Consumption
from actae_client._sync.sender import Sender
from actae_client._types.consumer_groups import ClaimedWork, GroupInfo, GroupOffset
from actae_client._types.json import Json


class ConsumerGroupMethods(Sender):
    """Several workers share the events of one channel, each event in the hands of one of them.

    An event is handed out at least once: what a worker does not acknowledge before its lease ends goes
    to another one.
    """

    def create_group(
        self, group_id: str, channel_id: str, *, metadata: dict[str, Json] | None = None
    ) -> GroupInfo:
        """A group that begins at the channel's first event; the channel need not exist yet.

        One that is there already is returned as it is, with the metadata that it has. Raises
        GroupConflictError when the name is taken on another channel, ChannelDeletedError.
        """
        return self._send(consumer_groups.create_group(group_id, channel_id, metadata=metadata))

    def list_groups(self, *, channel_id: str | None = None) -> list[GroupInfo]:
        """Groups whose channels the key may observe, or those of one channel, by name; 10,000 at most."""
        return self._send(consumer_groups.list_groups(channel_id=channel_id))

    def delete_group(self, group_id: str) -> None:
        """Forget a group, its consumers, and how far they were. Raises GroupNotFoundError."""
        return self._send(consumer_groups.delete_group(group_id))

    def join_group(self, group_id: str, consumer_id: str, *, lease_seconds: int = 60) -> GroupOffset:
        """Begin to consume, or begin anew, with a lease of 1 to 86400 seconds.

        While the last lease is live, what is in the consumer's hands stays there. Raises ConsumerError
        when there is no such group.
        """
        return self._send(consumer_groups.join_group(group_id, consumer_id, lease_seconds=lease_seconds))

    def claim_work(
        self, group_id: str, consumer_id: str, *, limit: int = 100, wait_seconds: float = 0.0
    ) -> ClaimedWork:
        """The events in the consumer's hands, if there are any; else the next free ones.

        Where there are none, the server waits for some for `wait_seconds`, 20 at most, which the client's own
        `timeout` does not count.

        So asking again before they are acknowledged brings the same ones. At most 1,000, and fewer
        where they are large: a reply ends at about 32 MiB.

        Raises ConsumerError without a live lease, ValueError for a wait out of range.
        """
        return self._send(
            consumer_groups.claim_work(group_id, consumer_id, limit=limit, wait_seconds=wait_seconds)
        )

    def ack_work(self, group_id: str, consumer_id: str, cursor: int) -> None:
        """Everything in the consumer's hands, up to and including the cursor, is done.

        What lies between and was not processed is skipped for good. Raises ConsumerError without a live
        lease, InvalidRequestError for a cursor that the consumer was never handed.
        """
        return self._send(consumer_groups.ack_work(group_id, consumer_id, cursor))

    def heartbeat(self, group_id: str, consumer_id: str, *, lease_seconds: int = 60) -> None:
        """Keep a live lease: it ends so many seconds from now.

        Raises ConsumerError when it has lapsed; then join again.
        """
        return self._send(consumer_groups.heartbeat(group_id, consumer_id, lease_seconds=lease_seconds))

    def group_offsets(self, group_id: str) -> list[GroupOffset]:
        """Where each consumer stands, by name; 10,000 at most. Raises GroupNotFoundError."""
        return self._send(consumer_groups.group_offsets(group_id))

    def consume(
        self,
        group_id: str,
        consumer_id: str,
        *,
        limit: int = 10,
        lease_seconds: int = 60,
        poll_seconds: float = 1.0,
        follow: bool = True,
    ) -> Consumption:
        """Events one after the other, as an async context manager that is iterated once it is entered.

        Entering joins the group, and the lease is renewed until it is left. An event is acknowledged when
        the next one is asked for; one that is left by `break` or by an exception is handed out again.
        They are taken `limit` at a time; others are not handed what waits here for its turn. When there
        is nothing to do, each request waits at the server for `poll_seconds`, 20 at most, and brings at once
        what comes. With `follow=False` the iteration ends instead.

        It ends in any case when nothing is left to come: the channel is closed, all its events are done,
        whoever did them, and no operation is under a live lease there, whose outcome would be an event.

        Raises ValueError for arguments out of range; when it is iterated, what the server refuses,
        ConsumerError when the group was deleted, also when one of its name was made anew, and
        ActaeConnectionError when the server stays away for minutes.
        """
        return Consumption(
            self,
            group_id,
            consumer_id,
            limit=limit,
            lease_seconds=lease_seconds,
            poll_seconds=poll_seconds,
            follow=follow,
        )
