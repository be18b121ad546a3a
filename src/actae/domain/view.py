"""What a batch knows of its channels, and what its answers change there.

The writer fills a view from the database, lets every ask be decided against it in order, and then
writes the changes. An ask sees what the asks before it decided, as if each had its own transaction.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from actae.domain.chain import link
from actae.domain.channels import Head
from actae.domain.event_ids import EventIds, microseconds
from actae.domain.identity import Identity

if TYPE_CHECKING:
    from actae.domain.approvals import ApprovalRow
    from actae.domain.executions import ExecutionRow
    from actae.domain.guarding import Guarding
    from actae.domain.inheritance import Inheritance


class EventRow(NamedTuple):
    """One event as it is stored; its time is the batch's."""

    channel_id: str
    cursor: int
    event_id: str
    event_type: str
    actor: str
    agent_id: str | None
    user_id: str | None
    payload: bytes
    metadata: bytes | None
    depends_on: str | None
    dependencies: bytes | None
    chain_hash: bytes


class StateRow(NamedTuple):
    """One snapshot as it is stored."""

    channel_id: str
    version: int
    cursor: int
    state: bytes
    dependencies: bytes | None


class OperationRow(NamedTuple):
    """What an operation id named."""

    channel_id: str
    operation_digest: str
    content_digest: bytes
    cursor: int | None
    version: int | None


class StepRow(NamedTuple):
    """Where a step stands."""

    channel_id: str
    step_number: int
    cursor: int
    event_id: str
    latest_step: int


class EvidenceRow(NamedTuple):
    """Where a report that came too late stands in the log."""

    channel_id: str
    key_digest: str
    token_digest: bytes
    cursor: int


class _Placed(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def cursor(self) -> int: ...


class Changes(msgspec.Struct):
    """What a batch writes. Where one row changes several times, only its last form is here."""

    moved: dict[str, Head]
    born: dict[str, Head]
    events: list[EventRow]
    states: list[StateRow]
    operations: list[OperationRow]
    steps: list[StepRow]
    claims: "dict[tuple[str, str], ExecutionRow]"  # attempts that begin
    settlements: "dict[tuple[str, str], ExecutionRow]"  # attempts that were there before
    evidence: list[EvidenceRow]
    approvals: "dict[tuple[str, str], ApprovalRow]"
    guarding: "Guarding | None" = None  # what guards count and remember
    guards_revision: int | None = None  # of the guards that the claims are decided by

    def __bool__(self) -> bool:
        return bool(self.moved or self.born)


class View:
    """The channels of one batch at one moment."""

    __slots__ = (
        "_approvals", "_evidence", "_executions", "_governing", "_heads", "_ids", "_inheritances",
        "_late_results", "_now_us", "_operations", "changes", "now",
    )  # fmt: skip

    def __init__(
        self,
        now: datetime,
        heads: Iterable[Head] = (),
        executions: "Iterable[ExecutionRow]" = (),
        operations: Iterable[OperationRow] = (),
    ) -> None:
        self.now = now
        self._now_us = microseconds(now)
        self._ids = EventIds(now)
        self._heads = {head.channel_id: head for head in heads}
        self._executions = {(row.channel_id, row.key_digest): row for row in executions}
        self._operations = {(row.channel_id, row.operation_digest): row for row in operations}
        self._inheritances: dict[tuple[str, str, bytes], Inheritance] = {}
        self._evidence: dict[tuple[str, str], set[bytes]] = {}
        self._late_results: dict[tuple[str, str], int] = {}
        self._approvals: dict[tuple[str, str], ApprovalRow] = {}
        self._governing: dict[tuple[str, str], str] = {}
        self.changes = Changes({}, {}, [], [], [], [], {}, {}, [], {})

    def head(self, channel_id: str) -> Head:
        """The channel's head; a fresh one if the channel does not exist yet."""
        head = self._heads.get(channel_id)
        if head is None:
            head = self._heads[channel_id] = Head(channel_id)
        return head

    def execution(self, channel_id: str, key_digest: str) -> "ExecutionRow | None":
        """The ledger row of a key, as the asks before left it."""
        return self._executions.get((channel_id, key_digest))

    def operation(self, channel_id: str, operation_digest: str) -> OperationRow | None:
        """What an operation id named before."""
        return self._operations.get((channel_id, operation_digest))

    def add_operation(self, row: OperationRow) -> None:
        """Tell what an operation id named before."""
        self._operations[row.channel_id, row.operation_digest] = row

    def inheritance(self, channel_id: str, key_digest: str, fingerprint: bytes) -> "Inheritance | None":
        """What a fork inherits for a claim whose key it has no row for."""
        return self._inheritances.get((channel_id, key_digest, fingerprint))

    def add_inheritance(
        self, channel_id: str, key_digest: str, fingerprint: bytes, inheritance: "Inheritance"
    ) -> None:
        """Tell what a fork inherits for a claim."""
        self._inheritances[channel_id, key_digest, fingerprint] = inheritance

    def evidence(self, channel_id: str, key_digest: str) -> set[bytes]:
        """The digests of the tokens whose late reports are kept."""
        return self._evidence.setdefault((channel_id, key_digest), set())

    def late_result(self, channel_id: str, key_digest: str) -> int | None:
        """The cursor of the latest report that an operation was completed by somebody who did not own it."""
        return self._late_results.get((channel_id, key_digest))

    def tell_late_result(self, channel_id: str, key_digest: str, cursor: int) -> None:
        """Somebody has reported a result too late."""
        self._late_results[channel_id, key_digest] = cursor

    def put_evidence(self, row: EvidenceRow) -> None:
        """Keep where a late report stands."""
        self.evidence(row.channel_id, row.key_digest).add(row.token_digest)
        self.changes.evidence.append(row)

    def approval(self, channel_id: str, request_digest: str) -> "ApprovalRow | None":
        """A request for approval, as the asks before left it."""
        return self._approvals.get((channel_id, request_digest))

    def governing_approval(self, channel_id: str, key_digest: str) -> "ApprovalRow | None":
        """The latest request that is bound to a key."""
        request_digest = self._governing.get((channel_id, key_digest))
        return None if request_digest is None else self._approvals[channel_id, request_digest]

    def add_approval(self, row: "ApprovalRow", *, governs: bool = False) -> None:
        """Tell of a request; `governs` says that it is known to be the latest of its key."""
        key = (row.channel_id, row.request_digest)
        known = self._approvals.get(key)
        if known is None or known.requested_payload is None:
            self._approvals[key] = row
        if governs and row.key_digest is not None:
            self._governing[row.channel_id, row.key_digest] = row.request_digest

    @property
    def guarding(self) -> "Guarding | None":
        """What is known of the guards; None where there are none, or no claims."""
        return self.changes.guarding

    def append_event(
        self,
        head: Head,
        event_type: str,
        actor: str,
        payload: bytes,
        *,
        agent_id: str | None = None,
        user_id: str | None = None,
        metadata: bytes | None = None,
        depends_on: str | None = None,
        dependencies: bytes | None = None,
    ) -> EventRow:
        """Give the event the next cursor of its channel and chain it to its predecessor."""
        self.touch(head)
        cursor = head.cursor + 1
        event_id = self._ids.next()
        chain_hash = link(
            head.chain_hash,
            channel_id=head.channel_id,
            cursor=cursor,
            event_id=event_id,
            event_type=event_type,
            actor=actor,
            agent_id=agent_id,
            user_id=user_id,
            payload=payload,
            metadata=metadata,
            depends_on=depends_on,
            dependencies=dependencies,
            recorded_at_us=self._now_us,
        )
        head.cursor = cursor
        head.chain_hash = chain_hash
        row = EventRow(
            head.channel_id, cursor, event_id, event_type, actor, agent_id, user_id, payload, metadata,
            depends_on, dependencies, chain_hash,
        )  # fmt: skip
        self.changes.events.append(row)
        return row

    def put_state(self, head: Head, *, cursor: int, state: bytes, dependencies: bytes | None) -> int:
        """Save a snapshot under the channel's next version, which is returned."""
        self.touch(head)
        head.version += 1
        head.latest_version = head.version
        head.latest_version_cursor = cursor
        self.changes.states.append(StateRow(head.channel_id, head.version, cursor, state, dependencies))
        return head.version

    def put_step(self, head: Head, step_number: int, event: _Placed) -> None:
        """Point a step number at an event; the most recent wins."""
        self.touch(head)
        head.latest_step = max(head.latest_step, step_number)
        self.changes.steps.append(
            StepRow(head.channel_id, step_number, event.cursor, event.id, head.latest_step)
        )

    def put_operation(
        self, channel_id: str, identity: Identity, *, cursor: int | None, version: int | None
    ) -> None:
        """Remember what an operation id wrote."""
        row = OperationRow(channel_id, identity.operation_digest, identity.content_digest, cursor, version)
        self._operations[channel_id, identity.operation_digest] = row
        self.changes.operations.append(row)

    def begin_attempt(self, head: Head, row: "ExecutionRow") -> None:
        """Add a ledger row, or replace it by its next attempt."""
        self.touch(head)
        key = (row.channel_id, row.key_digest)
        self._executions[key] = row
        self.changes.settlements.pop(key, None)  # one statement may not write a row twice
        self.changes.claims[key] = row

    def change_attempt(self, head: Head, row: "ExecutionRow") -> None:
        """Replace a ledger row by what became of the same attempt."""
        self.touch(head)
        key = (row.channel_id, row.key_digest)
        self._executions[key] = row
        changes = self.changes
        if key in changes.claims:
            changes.claims[key] = row
        else:
            changes.settlements[key] = row

    def put_approval(self, head: Head, row: "ApprovalRow") -> None:
        """Add a request, which is then the latest of its key, or change one that is there."""
        self.touch(head)
        key = (row.channel_id, row.request_digest)
        if key not in self._approvals and row.key_digest is not None:
            head.has_approvals = True
            self._governing[row.channel_id, row.key_digest] = row.request_digest
        self._approvals[key] = row
        self.changes.approvals[key] = row

    def touch(self, head: Head) -> None:
        """The head will move, once, however many asks of this batch write to its channel."""
        changes = self.changes
        channel_id = head.channel_id
        if channel_id in changes.moved or channel_id in changes.born:
            return
        if head.revision == 0:
            changes.born[channel_id] = head
        else:
            changes.moved[channel_id] = head
        head.revision += 1
