"""The model's ledger: who may run an operation, and how it ends. Written from the protocol as well."""

import json
import re
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from tests.support.model import Channel, Expected, refusal
from tests.support.names import ANYTHING, AtLeast, Name

_numbers = count(1)
_TOKEN = re.compile(r"ct_[0-9a-f]{32}")


class Ask(NamedTuple):
    """What a claim says."""

    key: str
    tool: str
    params: Any
    dedup_fields: list[str] | None
    lease_seconds: int
    attempt_id: str | None
    emit_replay_event: bool
    actor: str | None
    on_lapse: str = "reclaim"
    dispatches: bool = False
    on_failure: str = "reclaim"
    ttl_seconds: int | None = None

    @property
    def is_acceptable(self) -> bool:
        """Named fields must select something: a fingerprint over nothing would match every call."""
        if self.dispatches and self.on_lapse == "reclaim":
            return False
        if self.dedup_fields is None:
            return True
        if not isinstance(self.params, dict):
            return False
        return any(self.params.get(name) is not None for name in self.dedup_fields)

    @property
    def may_become_ambiguous(self) -> str | None:
        """From its claim on, from the mark on, or never."""
        if self.on_lapse == "reclaim":
            return None
        return "marked" if self.dispatches else "at once"

    @property
    def identity(self) -> Any:
        """Equal for the same call. Null and absent agree for a named field, and only there."""
        if self.dedup_fields is None:
            return self.tool, None, self.params
        return (
            self.tool,
            sorted(self.dedup_fields),
            {name: self.params.get(name) for name in self.dedup_fields},
        )


class Said(NamedTuple):
    """What somebody says of an operation whose outcome nobody knows."""

    outcome: str
    result: Any
    by: str
    reason: str | None
    evidence: Any
    attempts: int | None
    operation_id: str | None

    @property
    def error(self) -> dict[str, Any]:
        """With what an operation fails that was not applied."""
        sentence = f"Resolved as not applied by {self.by}."
        return {"message": sentence, "error_type": "NotApplied", "stack": None}


_NOBODY = Name("token", ("nobody",))


@dataclass
class Row:
    """One operation."""

    ask: Ask  # of the attempt that holds it
    attempts: int
    lease_until: int
    lease_seconds: int
    token: Name
    attempt_id: str | None
    started: dict[str, Any]
    born: int
    status: str = "running"
    ended: dict[str, Any] | None = None
    result: Any = None
    error: Any = None
    is_replay_told: bool = False
    renewals: int = 0
    ambiguity: str | None = None  # "at once", "marked", or none
    expires: int | None = None
    is_given_up: bool = False
    was_heard_of: bool = False  # since the claim
    ends: int = field(default_factory=lambda: next(_numbers))  # names the moment of its end


class Ledger:
    """The operations of one channel. `now` counts whole seconds; the real clock is moved along with it."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.now = 0
        self._rows: dict[str, Row] = {}
        self._evidence: dict[str, dict[Name | str | None, dict[str, Any]]] = {}
        self._said: dict[tuple[str, str], Said] = {}

    def id_of(self, key: str) -> Name:
        """The execution's id: the key's, whoever claims it."""
        return Name("execution", (self.channel.id, key))

    def claim(self, ask: Ask) -> Expected:
        """POST /executions/claim"""
        if not ask.is_acceptable:
            return refusal(400, "invalid_request")
        if refused := self.channel.refusal():
            return refused
        row = self._rows.get(ask.key)
        if row is None:
            return self._start(ask, None)
        if row.ask.identity != ask.identity:
            return refusal(409, "idempotency_key_mismatch", execution_status=self._status(row))
        is_repeated = ask.attempt_id is not None and ask.attempt_id == row.attempt_id
        if self._is_live(row):
            return self._owned(row) if is_repeated else self._answer("in_progress", row)
        if self._status(row) == "ambiguous":
            if is_repeated and row.attempts == 1 and not row.was_heard_of:
                self._renew(row, ask.lease_seconds)
                return self._owned(row)
            return refusal(409, "execution_ambiguous", attempts=row.attempts)
        if row.expires is not None and self.now >= row.expires:
            return refusal(409, "key_expired", execution_status=row.status)
        if row.status == "completed":
            return self._replay(ask, row)
        if row.status == "failed" and ask.on_failure == "replay" and row.token != _NOBODY:
            return self._answer("replayed", row, error=row.error)
        if ask.on_lapse != "reclaim" and self._is_contradicted(row):
            return refusal(409, "execution_ambiguous", attempts=row.attempts)
        return self._start(ask, row)

    def complete(self, key: str, token: Name | str | None, result: Any) -> Expected:
        """POST /executions/{id}/complete"""
        row = self._rows.get(key)
        if row is None or token != row.token:
            self._keep(row, token, "completed", result=result)
            return self._fenced(row)
        if row.status == "running":
            row.result = result
            self._end(row, "completed", result=result)
        return self._settled(row) if row.status == "completed" else _terminal(row)

    def fail(
        self, key: str, token: Name | str | None, message: str, *, outcome_unknown: bool = False
    ) -> Expected:
        """POST /executions/{id}/fail: it never overwrites a result; who does not know says so once."""
        row = self._rows.get(key)
        error = {"message": message, "error_type": None, "stack": None}
        if row is None or token != row.token:
            self._keep(row, token, "failed", error=error)
            return self._fenced(row)
        if row.status == "running" and outcome_unknown:
            if not row.is_given_up:
                self._tell(row, "ambiguous", row.ask.actor, {"error": error}, depends_on=row.started["id"])
                self._renew(row, 0)
                row.ambiguity, row.is_given_up = "at once", True
            return self._settled(row)
        if row.status == "running":
            row.error = error
            self._end(row, "failed", error=error)
        return self._settled(row) if row.status in ("completed", "failed") else _terminal(row)

    def heartbeat(self, key: str, token: Name | str | None, lease_seconds: int | None) -> Expected:
        """POST /executions/{id}/heartbeat: a lapsed lease that nobody took revives, but not one given up."""
        row = self._rows.get(key)
        if row is None or token != row.token or row.status != "running" or row.is_given_up:
            return self._fenced(row)
        self._renew(row, lease_seconds or row.lease_seconds)
        return self._settled(row)

    def dispatched(self, key: str, token: Name | str | None) -> Expected:
        """POST /executions/{id}/dispatched: from now on a lapse is ambiguous, if the claim said so."""
        row = self._rows.get(key)
        if row is None or token != row.token or row.status != "running" or row.is_given_up:
            return self._fenced(row)
        if not self._is_live(row):
            self._renew(row, row.lease_seconds)
        if row.ambiguity == "marked":
            row.ambiguity, row.was_heard_of = "at once", True
        return self._settled(row)

    def resolve(self, key: str, said: Said) -> Expected:
        """POST /executions/{id}/resolve: of nobody's operation, and of the attempt that was looked at."""
        row = self._rows.get(key)
        if row is None:
            return self._fenced(None)
        known = None if said.operation_id is None else self._said.get((key, said.operation_id))
        if known is not None:
            return self._settled(row) if known == said else refusal(409, "idempotency_conflict")
        if said.outcome == "applied" and row.status == "completed" and _same(row.result, said.result):
            return self._settled(row)
        is_doubted = self._is_contradicted(row)
        is_failed = row.status == "failed" and not is_doubted
        if said.outcome == "not_applied" and is_failed and row.error == said.error:
            return self._settled(row)
        if said.attempts not in (None, row.attempts):
            return refusal(409, "execution_moved_on", attempts=row.attempts)
        if self._is_live(row):
            return refusal(409, "execution_in_progress")
        if row.status == "completed":
            return _terminal(row)
        if said.operation_id is not None:
            self._said[key, said.operation_id] = said
        told = {name: getattr(said, name) for name in ("outcome", "by", "reason", "evidence")}
        self._tell(row, "resolved", said.by, told, depends_on=row.started["id"])
        if said.outcome == "applied":
            row.result, row.error = said.result, None
            self._end(row, "completed", by=said.by, result=said.result)
        elif said.outcome == "not_applied" and not is_failed:
            row.error = said.error
            self._end(row, "failed", by=said.by, error=said.error)
        if said.outcome != "unknown" and row.ended and row.ended["actor"] == said.by:
            row.token = _NOBODY
        return self._settled(row)

    def cancel(self, key: str, token: Name | str | None) -> Expected:
        """POST /executions/{id}/cancel: no event; not for who has said that the outcome is unknown."""
        row = self._rows.get(key)
        if row is None or token != row.token or (row.status == "running" and row.is_given_up):
            return self._fenced(row)
        if row.status == "running":
            row.status, row.ambiguity = "cancelled", None
        return self._settled(row) if row.status == "cancelled" else _terminal(row)

    def get(self, key: str) -> Expected:
        """GET /executions/{id}"""
        row = self._rows.get(key)
        if row is None:
            return self._fenced(row)
        evidence = list(self._evidence.get(key, {}).values())
        return Expected(200, {"execution": self._shown(row), "late_evidence": evidence})

    def listed(self, status: str | None = None) -> Expected:
        """GET /executions: newest first."""
        rows = sorted(self._rows.values(), key=lambda row: row.born, reverse=True)
        if status == "lapsed":
            rows = [row for row in rows if row.status == "running" and not self._is_live(row)]
        elif status is not None:
            rows = [row for row in rows if self._status(row) == status]
        return Expected(200, {"executions": [self._shown(row) for row in rows], "has_more": False})

    def delete(self, key: str) -> Expected:
        """DELETE /executions/{id}: the key is free, the events stay."""
        if key not in self._rows:
            return self._fenced(None)
        del self._rows[key]
        self._evidence.pop(key, None)
        return Expected(200, {"id": self.id_of(key), "status": "deleted"})

    def forget(self) -> None:
        """The channel was deleted."""
        self._rows.clear()
        self._evidence.clear()

    def _is_live(self, row: Row) -> bool:
        return row.status == "running" and self.now < row.lease_until

    def _status(self, row: Row) -> str:
        is_open = row.status == "running" and not self._is_live(row)
        return "ambiguous" if is_open and row.ambiguity == "at once" else row.status

    def _renew(self, row: Row, seconds: int) -> None:
        row.lease_until = self.now + seconds
        row.renewals += 1
        row.was_heard_of = True

    def _keep(self, row: Row | None, token: Name | str | None, says: str, **value: Any) -> None:
        """What comes too late is kept, once for each token that was given out."""
        if row is None or not (isinstance(token, Name) or _TOKEN.fullmatch(token or "")):
            return
        kept = self._evidence.setdefault(row.ask.key, {})
        if token not in kept:
            event = self._tell(
                row, "late_evidence", "system", {"says": says, **value}, depends_on=row.started["id"]
            )
            kept[token] = {
                "says": says,
                "cursor": event["cursor"],
                "event_id": event["id"],
                "recorded_at": ANYTHING,
                "value": next(iter(value.values())),
            }

    def _start(self, ask: Ask, before: Row | None) -> Expected:
        attempts = 1 if before is None else before.attempts + 1
        number = next(_numbers)
        row = Row(
            ask=ask,
            attempts=attempts,
            lease_until=self.now + ask.lease_seconds,
            lease_seconds=ask.lease_seconds,
            token=Name("token", (self.channel.id, ask.key, attempts, ask.attempt_id or number)),
            attempt_id=ask.attempt_id,
            started={},
            born=number if before is None else before.born,
            ambiguity=ask.may_become_ambiguous,
            expires=self._expiry(ask) if before is None else before.expires,
        )
        named = {} if ask.dedup_fields is None else {"dedup_fields": ask.dedup_fields}
        row.started = self._tell(row, "started", ask.actor, {"params": ask.params, **named}, depends_on=None)
        self._rows[ask.key] = row
        stood = before and (before.status, before.ambiguity, before.attempts)
        is_unmarked = stood == ("running", "marked", 1)
        is_said = before is not None and before.token == _NOBODY and not self._is_contradicted(before)
        return self._owned(row, **({"unapplied": True} if is_unmarked or is_said else {}))

    def _is_contradicted(self, row: Row) -> bool:
        """Somebody has reported a result since it was said to have had no effect."""
        if row.token != _NOBODY or row.status != "failed" or row.ended is None:
            return False
        kept = self._evidence.get(row.ask.key, {}).values()
        return any(each["says"] == "completed" and each["cursor"] > row.ended["cursor"] for each in kept)

    def _expiry(self, ask: Ask) -> int | None:
        return None if ask.ttl_seconds is None else self.now + ask.ttl_seconds

    def _replay(self, ask: Ask, row: Row) -> Expected:
        if ask.emit_replay_event and not row.is_replay_told:
            row.is_replay_told = True
            self._tell(row, "replayed", ask.actor, {}, depends_on=row.started["id"])
        return self._answer("replayed", row, result=row.result)

    def _end(self, row: Row, status: str, *, by: str | None = None, **outcome: Any) -> None:
        row.status, row.ambiguity, row.ends = status, None, next(_numbers)
        row.ended = self._tell(row, status, by or row.ask.actor, outcome, depends_on=row.started["id"])

    def _tell(
        self, row: Row, what: str, actor: str | None, more: dict[str, Any], *, depends_on: Name | None
    ) -> dict[str, Any]:
        payload = AtLeast(
            execution_id=self.id_of(row.ask.key),
            key_name=row.ask.key,
            tool_name=row.ask.tool,
            attempt=row.attempts,
            **more,
        )
        metadata = {"execution_id": self.id_of(row.ask.key)}
        return self.channel.append(
            f"tool.{what}", payload, actor or "system", metadata=metadata, depends_on=depends_on
        )

    def _owned(self, row: Row, **more: Any) -> Expected:
        status = "claimed" if row.attempts == 1 else "reclaimed"
        return self._answer(status, row, claim_token=row.token, **more)

    def _answer(
        self, status: str, row: Row, *, result: Any = None, claim_token: Name | None = None, **more: Any
    ) -> Expected:
        body = {
            "status": status,
            "execution": self._shown(row),
            "result": result,
            "claim_token": claim_token,
            **more,
        }
        return Expected(200, body)

    def _settled(self, row: Row) -> Expected:
        return Expected(200, {"status": self._status(row), "execution": self._shown(row)})

    def _fenced(self, row: Row | None) -> Expected:
        if row is None:
            return refusal(404, "execution_not_found")
        return refusal(409, "execution_not_owned", execution_status=self._status(row))

    def _shown(self, row: Row) -> dict[str, Any]:
        is_running = row.status == "running"
        ended_at = Name("moment", ("ended", self.channel.id, row.ends))
        lease = Name("moment", ("lease", self.channel.id, row.ends, row.renewals))
        terms: dict[str, Any] = {}
        if row.ambiguity is not None:
            terms["on_lapse"] = "ambiguous"
        if row.expires is not None:
            terms["expires_at"] = Name("moment", ("expires", self.channel.id, row.born))
        return {
            "id": self.id_of(row.ask.key),
            "channel_id": self.channel.id,
            "key_name": row.ask.key,
            "tool_name": row.ask.tool,
            "status": self._status(row),
            "attempts": row.attempts,
            "lease_until": lease if is_running else None,
            "started_cursor": row.started["cursor"],
            "completed_cursor": row.ended and row.ended["cursor"],
            "started_event_id": row.started["id"],
            "completed_event_id": row.ended and row.ended["id"],
            "replay_emitted": row.is_replay_told,
            "params": row.ask.params,
            "result": row.result,
            "error": row.error,
            "created_at": Name("moment", ("created", self.channel.id, row.born)),
            "updated_at": ANYTHING,
            "completed_at": None if is_running else ended_at,
            **terms,
        }


def _same(one: Any, other: Any) -> bool:
    """Byte for byte, as it was sent."""
    return json.dumps(one) == json.dumps(other)


def _terminal(row: Row) -> Expected:
    return refusal(409, "execution_terminal", execution_status=row.status)
