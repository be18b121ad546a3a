"""How the pool's sessions are set up: as our own, or as a pooler lends them, for one transaction each."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import asyncpg

_NAME: Final = {"application_name": "actae"}
_LENT_WITHIN_SECONDS: Final = 5.0  # a pooler whose PostgreSQL is away lets everybody wait


class Sessions(NamedTuple):
    """One way to set them up.

    `startup` is sent when a connection is made, `begin` opens each transaction, and so many prepared
    statements are kept. What is lent outlives no transaction, so every statement needs one; it may have to
    be waited for, but only so long.
    """

    startup: Mapping[str, str]
    begin: str
    statements_kept: int
    lent_within_seconds: float | None = None

    @property
    def are_lent(self) -> bool:
        """Whether they belong to a pooler."""
        return self.lent_within_seconds is not None


def own_sessions(*, statement_timeout_seconds: float) -> Sessions:
    """Set up once, when they connect: a statement then costs one round trip."""
    startup = {**_NAME, **_settings(statement_timeout_seconds)}
    return Sessions(startup, "BEGIN", statements_kept=100)


def lent_sessions(*, statement_timeout_seconds: float) -> Sessions:
    """Set up anew in each transaction, and only for it.

    PgBouncer refuses settings at the start and does not keep later ones; a prepared statement would be
    looked for in somebody else's session. The settings travel with the BEGIN, at no round trip of their own.
    """
    settings = _settings(statement_timeout_seconds)
    begin = "; ".join(["BEGIN", *(f"SET LOCAL {name} = '{value}'" for name, value in settings.items())])
    return Sessions(_NAME, begin, statements_kept=0, lent_within_seconds=_LENT_WITHIN_SECONDS)


def refusal(error: Exception) -> str:
    """Why a connection was refused, and what to do about it where a pooler refused it."""
    if isinstance(error, asyncpg.ProtocolViolationError) and "startup parameter" in str(error):
        return f"{error}. That is a pooler: set ACTAE_LISTEN_URL to PostgreSQL itself"
    return str(error)


def _settings(statement_timeout_seconds: float) -> Mapping[str, str]:
    return {
        "jit": "off",
        "statement_timeout": str(int(statement_timeout_seconds * 1000)),
        "idle_in_transaction_session_timeout": "60000",
    }
