"""The provider's own durable record, in SQLite: who asked for what, and which effects there are."""

import json
import secrets
import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actae.crashtest.kinds import Behaviour, Kind

_SCHEMA = """
-- Every effect that was had.
create table if not exists effects (
    effect_id       text primary key,
    run_id          text not null,
    reference       text not null,
    idempotency_key text,
    body            text not null
);
create index if not exists effects_by_reference on effects (run_id, reference);
create index if not exists effects_by_key on effects (run_id, idempotency_key);

-- Every request, also one that was answered with an earlier effect, or refused.
create table if not exists requests (
    request_id integer primary key,
    run_id     text not null,
    reference  text not null
);
create index if not exists requests_by_reference on requests (run_id, reference);
"""


class KeyReusedError(Exception):
    """The idempotency key already stands for something else."""


class FailedError(Exception):
    """The provider fails, as it was told to; nothing has happened."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a request is about: which run, with what kind of provider, and what it calls the effect."""

    kind: Kind
    behaviour: Behaviour
    run_id: str
    reference: str


class Book:
    """Effects that survive the provider's own death: each is on disk before it is answered.

    For any number of threads, one after the other.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = full")
        self._db.executescript(_SCHEMA)

    def apply(self, place: Place, key: str | None, body: Any) -> tuple[str, bool]:
        """Have the effect, or find the one that this key had: its id, and whether nobody asked before.

        Raises `KeyReusedError`, and `FailedError` for the first request to a provider that fails.
        """
        text = json.dumps(body, sort_keys=True)
        with self._lock:
            self._db.execute("begin immediate")
            try:
                is_first = self._note(place)
                if is_first and place.behaviour is Behaviour.FAILS:
                    raise FailedError("The provider fails, as it was told to.")
                honoured = key if place.kind is Kind.HONOURS_KEY else None
                effect_id = self._already_had(place, honoured, text) or self._have(place, key, text)
            finally:
                self._db.execute("commit")  # a request that is refused is on record all the same
        return effect_id, is_first

    def effects(self, place: Place) -> list[str]:
        """The ids of all effects under a reference, oldest first."""
        with self._lock:
            rows = self._db.execute(
                "select effect_id from effects where run_id = ? and reference = ? order by rowid",
                (place.run_id, place.reference),
            )
            return [effect_id for (effect_id,) in rows]

    def account(self, run_id: str) -> dict[str, dict[str, int]]:
        """Of one run: how many requests there were for each reference, and how many effects."""
        with self._lock:
            rows = self._db.execute(
                "select reference, count(*),"
                "       (select count(*) from effects"
                "         where effects.run_id = requests.run_id and effects.reference = requests.reference)"
                "  from requests where run_id = ? group by reference order by min(request_id)",
                (run_id,),
            )
            return {reference: {"calls": calls, "applied": applied} for reference, calls, applied in rows}

    def _note(self, place: Place) -> bool:
        about = (place.run_id, place.reference)
        known = self._db.execute("select 1 from requests where run_id = ? and reference = ? limit 1", about)
        is_first = known.fetchone() is None
        self._db.execute("insert into requests (run_id, reference) values (?, ?)", about)
        return is_first

    def _already_had(self, place: Place, key: str | None, body: str) -> str | None:
        if key is None:
            return None
        row = self._db.execute(
            "select effect_id, reference, body from effects where run_id = ? and idempotency_key = ?",
            (place.run_id, key),
        ).fetchone()
        if row is None:
            return None
        effect_id, *had = row
        if had != [place.reference, body]:
            raise KeyReusedError(f"Key {key!r} already stands for {had[0]!r} with {had[1]}.")
        return str(effect_id)

    def _have(self, place: Place, key: str | None, body: str) -> str:
        effect_id = f"ef_{secrets.token_hex(6)}"
        self._db.execute(
            "insert into effects values (?, ?, ?, ?, ?)",
            (effect_id, place.run_id, place.reference, key, body),
        )
        return effect_id
