"""Puts a channel to every invariant, page by page, remembering only what later pages need."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from actae.domain import approval_invariants, invariants, ledger_invariants, message_invariants
from actae.domain.approval_invariants import ApprovalPlace
from actae.domain.channels import Head
from actae.domain.executions import ExecutionRow, execution_id
from actae.domain.invariants import LoggedEvent, OperationPlace, SnapshotPlace, StepPlace, WakeupPlace
from actae.domain.ledger_invariants import EvidencePlace
from actae.domain.lifecycles import Life, next_life, read_lifecycle_event
from actae.domain.message_invariants import StoredMessage


class Broken(msgspec.Struct, frozen=True):
    """An invariant that does not hold, where, and what was found instead."""

    invariant: str
    channel_id: str
    what: str


class ChannelAudit:
    """One channel. Events go in first, in order; then the rest; `finish` comes last.

    Memory grows with the number of operations and operation ids, not with the events.
    """

    def __init__(self, head: Head, *, keys_were_freed: bool = True) -> None:
        """Unless `keys_were_freed`, an operation that starts anew without a trace counts as broken."""
        self.head = head
        self.broken: list[Broken] = []
        self._keys_were_freed = keys_were_freed
        self._cursor = 0
        self._chain_hash: bytes | None = None
        self._lives: dict[str, Life] = {}
        self._written: set[int] = set()
        self._latest: SnapshotPlace | None = None
        self._highest_step = 0
        self._has_bound_approvals = False

    def read_events(self, page: Sequence[LoggedEvent]) -> None:
        """The next events of the log."""
        self._ask(invariants.cursors_have_no_gap, self._cursor, page)
        self._ask(invariants.chain_is_whole, self._chain_hash, page)
        for event in page:
            self._follow(event)
        self._cursor, self._chain_hash = page[-1].cursor, page[-1].chain_hash

    def _follow(self, event: LoggedEvent) -> None:
        told = read_lifecycle_event(
            event.channel_id,
            event_type=event.event_type,
            cursor=event.cursor,
            event_id=event.event_id,
            depends_on=event.depends_on,
            payload=event.payload,
        )
        if told is None:
            return
        life, wrong = next_life(self._lives.get(told.key_digest), told, keys_were_freed=self._keys_were_freed)
        if life is not None:
            self._lives[told.key_digest] = life
        self._report("operations_live_in_order", wrong, told.key_digest)

    def read_snapshots(self, page: Sequence[SnapshotPlace]) -> None:
        """The next snapshots, by version."""
        self._ask(invariants.snapshots_were_numbered_by_the_head, self.head, page)
        self._latest = page[-1]

    def read_operations(self, page: Sequence[OperationPlace]) -> None:
        """The next operation ids."""
        self._ask(invariants.operations_name_what_they_wrote, self.head, page)
        for operation in page:
            if operation.cursor is not None:
                if operation.cursor in self._written:
                    twice = f"two operation ids name the event at cursor {operation.cursor}"
                    self._report("operations_write_one_event_each", iter([twice]))
                self._written.add(operation.cursor)

    def read_steps(self, page: Sequence[StepPlace]) -> None:
        """The next steps, by cursor."""
        self._ask(invariants.steps_point_at_their_events, page)
        self._ask(invariants.steps_know_the_highest_before_them, self._highest_step, page)
        self._highest_step = max(self._highest_step, *(step.step_number for step in page))

    def read_executions(self, page: Sequence[ExecutionRow]) -> None:
        """The next rows of the ledger."""
        for row in page:
            life = self._lives.get(row.key_digest)
            for invariant, wrong in (
                ("ledger_row_is_sound", ledger_invariants.ledger_row_is_sound(row)),
                ("ledger_agrees_with_the_log", ledger_invariants.ledger_agrees_with_the_log(row, life)),
            ):
                self._report(invariant, wrong, row.key_digest)

    def read_late_evidence(self, page: Sequence[EvidencePlace]) -> None:
        """The next reports that came too late."""
        for evidence in page:
            wrong = ledger_invariants.late_evidence_agrees_with_the_log(evidence)
            self._report("late_evidence_agrees_with_the_log", wrong, evidence.key_digest)

    def read_approvals(self, page: Sequence[ApprovalPlace]) -> None:
        """The next requests for approval."""
        for approval in page:
            self._has_bound_approvals |= approval.is_bound
            wrong = approval_invariants.approvals_agree_with_the_log(approval)
            named = (f"request {approval.request_id!r}: {what}" for what in wrong)
            self._report("approvals_agree_with_the_log", named)

    def read_wakeups(self, page: Sequence[WakeupPlace]) -> None:
        """The next wake-ups that have fired."""
        self._ask(invariants.wakeups_are_the_events_that_they_name, page)

    def read_messages(self, page: Sequence[StoredMessage]) -> None:
        """The next messages that were delivered here."""
        self._ask(message_invariants.messages_have_both_events, page)

    def finish(self) -> None:
        """Compare the head with what was read."""
        self._ask(invariants.head_is_where_the_log_ends, self.head, self._cursor, self._chain_hash)
        self._ask(invariants.head_names_the_latest_snapshot, self.head, self._latest)
        self._ask(invariants.head_names_the_highest_step, self.head, self._highest_step)
        self._ask(approval_invariants.head_knows_of_approvals, self.head, self._has_bound_approvals)

    def _ask(self, invariant: Callable[..., Iterator[str]], *given: object) -> None:
        self._report(invariant.__name__, invariant(*given))

    def _report(self, invariant: str, wrong: Iterator[str], key_digest: str | None = None) -> None:
        for what in wrong:
            if key_digest is not None:
                what = f"{execution_id(self.head.channel_id, key_digest)}: {what}"
            self.broken.append(Broken(invariant, self.head.channel_id, what))
