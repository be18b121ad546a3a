"""An execution ledger over HTTP, in memory, whose replies can be made to fail.

It keeps the rules of the real one (keys, fingerprints, tokens, leases), so that what a test sees
after a lost reply or a refused heartbeat is what a server would have done.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from aiohttp import web

_EPOCH = "2026-01-01T00:00:00Z"


class Mishap(Enum):
    """What may happen to one request."""

    UNAVAILABLE = "nothing is done, 503 is answered"
    CUT = "nothing is done, the connection is cut"
    REPLY_LOST = "it is done, and the connection is cut instead of an answer"
    TOO_LARGE = "nothing is done, 413 is answered"
    HANGS = "nothing is done, and no answer comes"


@dataclass
class Row:
    """One execution."""

    id: str
    channel_id: str
    key_name: str
    tool_name: str
    fingerprint: str
    params: Any
    status: str = "running"
    attempts: int = 0
    token: str = ""
    attempt_id: str | None = None
    lease_seconds: float = 60.0
    lease_until: float = 0.0
    result: Any = None
    error: Any = None

    def shown(self) -> dict[str, Any]:
        """The row as the API shows it."""
        return {
            "id": self.id,
            "channel_id": self.channel_id,
            "key_name": self.key_name,
            "tool_name": self.tool_name,
            "status": self.status,
            "attempts": self.attempts,
            "lease_until": _EPOCH if self.status == "running" else None,
            "replay_emitted": False,
            "params": self.params,
            "result": self.result,
            "error": self.error,
            "created_at": _EPOCH,
            "updated_at": _EPOCH,
        }


class Refused(Exception):  # noqa: N818 - an answer of the ledger
    """A refusal with its status and code."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status = status


@dataclass
class ScriptedLedger:
    """The ledger; `calls` are the requests in the order of their arrival, as (verb, body)."""

    rows: dict[str, Row] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    url: str = ""

    def __post_init__(self) -> None:
        self._mishaps: dict[str, deque[Mishap]] = defaultdict(deque)
        self._lasting: dict[str, Mishap] = {}
        self._recorded: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {}
        self._gates: dict[str, threading.Event] = {}
        self._closing: Callable[[], None] = lambda: None

    # What a test says and asks.

    def next_time(self, verb: str, *mishaps: Mishap) -> None:
        """The next requests of this verb meet these mishaps, one each."""
        self._mishaps[verb].extend(mishaps)

    def from_now_on(self, verb: str, mishap: Mishap | None) -> None:
        """Every request of this verb meets the mishap, until told otherwise."""
        if mishap is None:
            self._lasting.pop(verb, None)
        else:
            self._lasting[verb] = mishap

    def hold(self, verb: str) -> threading.Event:
        """Requests of this verb wait, once they have arrived, until the event is set."""
        gate = self._gates[verb] = threading.Event()
        return gate

    def take_over(self, key_name: str) -> None:
        """Another owner claims the key, whatever its lease says."""
        row = self.row(key_name)
        row.token, row.attempts = secrets.token_hex(8), row.attempts + 1

    def row(self, key_name: str) -> Row:
        """The execution under a key."""
        return next(row for row in self.rows.values() if row.key_name == key_name)

    def count(self, verb: str) -> int:
        """How many requests of this verb have arrived."""
        return self.verbs().count(verb)

    def verbs(self) -> list[str]:
        """The verbs of all requests, in the order of their arrival."""
        return [verb for verb, _ in list(self.calls)]

    # What a server does.

    def _claim(self, body: dict[str, Any]) -> dict[str, Any]:
        fingerprint = json.dumps([body["tool_name"], _identity(body)], sort_keys=True)
        place = f"{body['channel_id']}~{body['key_name'].encode().hex()}"
        row = self.rows.get(place)
        if row is None:
            names = {name: body[name] for name in ("channel_id", "key_name", "tool_name")}
            row = self.rows[place] = Row(place, fingerprint=fingerprint, params=body.get("params"), **names)
            return self._hand_out(row, body, "claimed")
        if row.fingerprint != fingerprint:
            raise Refused(409, "idempotency_key_mismatch")
        if row.status == "completed":
            return {"status": "replayed", "execution": row.shown(), "result": row.result}
        if row.status == "running" and row.attempt_id == body.get("attempt_id") is not None:
            return {"status": "claimed", "execution": row.shown(), "claim_token": row.token}
        if row.status == "running" and time.monotonic() < row.lease_until:
            return {"status": "in_progress", "execution": row.shown()}
        return self._hand_out(row, body, "reclaimed")

    def _hand_out(self, row: Row, body: dict[str, Any], status: str) -> dict[str, Any]:
        row.status, row.token, row.attempts = "running", secrets.token_hex(8), row.attempts + 1
        row.attempt_id, row.error = body.get("attempt_id"), None
        row.lease_seconds = body.get("lease_seconds", 60)
        row.lease_until = time.monotonic() + row.lease_seconds
        return {"status": status, "execution": row.shown(), "claim_token": row.token}

    def _complete(self, row: Row, body: dict[str, Any]) -> None:
        if row.status in ("failed", "cancelled"):
            raise Refused(409, "execution_terminal")
        if row.status == "running":
            row.status, row.result = "completed", body.get("result")

    def _dispatched(self, row: Row, _body: dict[str, Any]) -> None:
        if row.status != "running":
            raise Refused(409, "execution_not_owned")

    def _fail(self, row: Row, body: dict[str, Any]) -> None:
        if row.status == "running":
            status = "ambiguous" if body.get("outcome_unknown") else "failed"
            row.status, row.error = status, {name: body.get(name) for name in ("message", "error_type")}

    def _cancel(self, row: Row, _body: dict[str, Any]) -> None:
        if row.status == "running":
            row.status = "cancelled"

    def _heartbeat(self, row: Row, body: dict[str, Any]) -> None:
        if row.status != "running":
            raise Refused(409, "execution_not_owned")
        row.lease_until = time.monotonic() + body.get("lease_seconds", row.lease_seconds)

    def _record(self, body: dict[str, Any]) -> dict[str, Any]:
        channel_id, operation_id = body["channel_id"], body.get("operation_id")
        content = json.dumps([body["event_type"], body["payload"]], sort_keys=True)
        known = self._recorded.get((channel_id, operation_id))
        if known is not None:
            if known[0] != content:
                raise Refused(409, "idempotency_conflict")
            return known[1]
        event = {
            "id": secrets.token_hex(8),
            "channel_id": channel_id,
            "type": body["event_type"],
            "payload": body["payload"],
            "actor": body["metadata"]["actor"],
            "cursor": 1 + sum(event["channel_id"] == channel_id for event in self.events),
            "timestamp": _EPOCH,
        }
        self.events.append(event)
        self._recorded[channel_id, operation_id] = content, event
        return event

    # How it is reached.

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        verb = request.path.rsplit("/", 1)[-1]
        body = await request.json() if request.can_read_body else {}
        self.calls.append((verb, body))
        if verb in self._gates:
            await asyncio.to_thread(self._gates[verb].wait, 20)
        mishaps = self._mishaps[verb]
        mishap = mishaps.popleft() if mishaps else self._lasting.get(verb)
        match mishap:
            case Mishap.UNAVAILABLE:
                return _refusal(503, "unavailable")
            case Mishap.TOO_LARGE:
                return _refusal(413, "payload_too_large")
            case Mishap.HANGS:
                await asyncio.Event().wait()
            case Mishap.CUT:
                return _cut(request)
        try:
            answer = self._do(verb, request, body)
        except Refused as refusal:
            answer = _refusal(refusal.status, str(refusal))
        return _cut(request) if mishap is Mishap.REPLY_LOST else answer

    def _do(self, verb: str, request: web.Request, body: dict[str, Any]) -> web.Response:
        if verb == "claim":
            return web.json_response(self._claim(body))
        if verb == "record":
            return web.json_response({"event": self._record(body)})
        row = self.rows.get(request.match_info["id"])
        if row is None:
            raise Refused(404, "execution_not_found")
        if row.token != body.get("claim_token"):
            raise Refused(409, "execution_not_owned")
        getattr(self, f"_{verb}")(row, body)
        return web.json_response({"status": row.status, "execution": row.shown()})

    def start(self) -> None:
        """Listen on a free port of the loopback, on an event loop in a thread."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="scripted-ledger")
        thread.start()
        runner = asyncio.run_coroutine_threadsafe(self._listen(), loop).result()

        def close() -> None:
            asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

        self._closing = close

    def close(self) -> None:
        """Stop listening."""
        self._closing()

    async def _listen(self) -> web.AppRunner:
        app = web.Application(client_max_size=1 << 26)
        app.router.add_post("/api/v1/executions/claim", self._answer)
        app.router.add_post("/api/v1/executions/{id}/{verb}", self._answer)
        app.router.add_post("/api/v1/events/record", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        return runner


def _identity(body: dict[str, Any]) -> Any:
    params, names = body.get("params"), body.get("dedup_fields")
    return params if names is None else {name: params[name] for name in names if name in params}


def _refusal(status: int, code: str) -> web.Response:
    return web.json_response({"status": code, "error": f"{code}: as the script says"}, status=status)


def _cut(request: web.Request) -> web.Response:
    assert request.transport is not None, "a request being answered has a connection"
    request.transport.abort()
    return web.Response()
