"""The provider's own durable record, in SQLite: what was asked, what was charged, what was mailed."""

import secrets
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

_SCHEMA = """
create table if not exists charges (
    charge_id    text primary key,
    order_id     text not null,
    amount_cents integer not null,
    currency     text not null
);

-- Every request to charge, also one that was answered with an earlier charge.
create table if not exists asks (
    ask_id          integer primary key,
    idempotency_key text,
    order_id        text not null,
    charge_id       text not null references charges
);

create index if not exists asks_by_key on asks (idempotency_key);

create table if not exists mails (
    mail_id  text primary key,
    order_id text not null,
    body     text not null
);
"""


class KeyReusedError(Exception):
    """The idempotency key already stands for a charge with other particulars."""


@dataclass(frozen=True, kw_only=True)
class Charge:
    """Money taken. Two are equal when they take the same money for the same order."""

    charge_id: str = field(compare=False)
    order_id: str
    amount_cents: int
    currency: str


class ChargeBook:
    """Charges and mails that survive the provider's own death: each is on disk before it is answered.

    Used by one thread at a time.
    """

    def __init__(self, path: Path, *, honours_keys: bool) -> None:
        self._honours_keys = honours_keys
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = full")
        self._db.executescript(_SCHEMA)

    def charge(self, key: str | None, *, order_id: str, amount_cents: int, currency: str) -> Charge:
        """Take the money, or return the charge that this key already made, if keys are honoured.

        Raises `KeyReusedError` when the key stands for a charge with other particulars.
        """
        wanted = Charge(
            charge_id=f"ch_{secrets.token_hex(3)}",
            order_id=order_id,
            amount_cents=amount_cents,
            currency=currency,
        )
        with self._db:
            self._db.execute("begin immediate")
            charge = self._already_made(key, wanted) or self._take(wanted)
            self._db.execute(
                "insert into asks (idempotency_key, order_id, charge_id) values (?, ?, ?)",
                (key, order_id, charge.charge_id),
            )
        return charge

    def mail(self, *, order_id: str, body: str) -> str:
        """Send a mail and return its id; what is sent twice arrives twice."""
        mail_id = f"ml_{secrets.token_hex(3)}"
        self._db.execute("insert into mails values (?, ?, ?)", (mail_id, order_id, body))
        return mail_id

    def charges(self, order_id: str) -> list[str]:
        """The ids of all charges for an order, oldest first."""
        rows = self._db.execute(
            "select charge_id from charges where order_id = ? order by rowid", (order_id,)
        )
        return [charge_id for (charge_id,) in rows]

    def charge_of(self, key: str) -> str | None:
        """The id of the first charge that was asked for with this key, None if none was."""
        row = self._db.execute(
            "select charge_id from asks where idempotency_key = ? order by ask_id limit 1", (key,)
        ).fetchone()
        return None if row is None else str(row[0])

    def mails(self, *, after: str, most: int) -> list[dict[str, str]]:
        """Mails that were sent behind one of them, or from the first on (''), oldest first."""
        rows = self._db.execute(
            "select mail_id, order_id, body from mails"
            " where rowid > coalesce((select rowid from mails where mail_id = ?), 0) order by rowid limit ?",
            (after, most),
        )
        return [dict(zip(("mail_id", "order_id", "body"), row, strict=True)) for row in rows]

    def asks(self, order_id: str) -> list[tuple[str | None, str]]:
        """The key of each request for an order, and the charge it was answered with, oldest first."""
        return self._db.execute(
            "select idempotency_key, charge_id from asks where order_id = ? order by ask_id", (order_id,)
        ).fetchall()

    def counts(self) -> dict[str, int]:
        """Everything this provider ever did: `charges`, `asks` and `mails`."""
        row = self._db.execute(
            "select (select count(*) from charges), (select count(*) from asks), (select count(*) from mails)"
        ).fetchone()
        return dict(zip(("charges", "asks", "mails"), row, strict=True))

    def _already_made(self, key: str | None, wanted: Charge) -> Charge | None:
        if key is None or not self._honours_keys:
            return None
        row = self._db.execute(
            "select charge_id, charges.order_id, amount_cents, currency"
            "  from asks join charges using (charge_id) where idempotency_key = ? limit 1",
            (key,),
        ).fetchone()
        if row is None:
            return None
        made = Charge(charge_id=row[0], order_id=row[1], amount_cents=row[2], currency=row[3])
        if made != wanted:
            raise KeyReusedError(f"Key {key!r} already stands for {made}, not for {wanted}.")
        return made

    def _take(self, charge: Charge) -> Charge:
        self._db.execute(
            "insert into charges values (?, ?, ?, ?)",
            (charge.charge_id, charge.order_id, charge.amount_cents, charge.currency),
        )
        return charge
