# Written by tools/generate_sync.py from _async/mail.py. Do not edit.
"""Reading a member's mail from a position on."""

from __future__ import annotations

from collections.abc import Callable

from actae_client._types.execution_groups import GroupMessage
from actae_client.groups._sync.transport import SyncGroupTransport

_PAGE = 100


class Mailbox:
    """A member's mail, page by page. The position is a message id, so it survives every restart."""

    def __init__(self, client: SyncGroupTransport, group_id: str, member_id: str, after: str | None) -> None:
        self.after = after
        self.member_id = member_id
        self._client = client
        self._group_id = group_id

    def next_page(self) -> list[GroupMessage]:
        """What has come since the page before; nothing if there is nothing."""
        page = self._client.group_messages(self._group_id, self.member_id, after=self.after, limit=_PAGE)
        if page:
            self.after = page[-1].message_id
        return page


class Expected:
    """A message of one type that is to come to one member."""

    def __init__(self, mailbox: Mailbox, message_type: str, check: Callable[[], None]) -> None:
        self.mailbox = mailbox
        self.message_type = message_type
        self._check = check

    def __str__(self) -> str:
        return f"{self.message_type!r} for {self.mailbox.member_id!r}"

    def look(self) -> GroupMessage | None:
        """The first message of the type in what has come since the last look."""
        self._check()
        while page := self.mailbox.next_page():
            for message in page:
                if message.message_type == self.message_type:
                    return message
        return None
