"""Who calls: an API key or a bearer token in, a Caller out.

The database is asked once a second for each credential in use, so a key that was revoked, a token that
was signed out and permissions that were changed take effect everywhere within a second. Whoever only reads
on asks seldom: such news come to it, from whoever brought them about or from the next call that meets them.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import msgspec

from actae.domain.access import EVERYTHING, Caller
from actae.domain.errors import UnauthorizedError
from actae.domain.sign_in_tokens import TokenSigner
from actae.operations import accounts, api_keys, sign_in
from actae.settings import DEV_API_KEY, Settings
from actae.store.database import Database
from actae.transport.rate_limits import SignInLimits

REMEMBERED_SECONDS: Final = 1.0
REMEMBERED_MAX: Final = 10_000

DEV_CALLER: Final = Caller(EVERYTHING, "api_key", key_id="key_dev", writes_all=True)

_DEV_KEY = DEV_API_KEY.encode()


class Authenticator:
    """Tells who calls, from memory or by asking the database. Only good credentials are remembered."""

    def __init__(self, db: Database, settings: Settings, secret: bytes) -> None:
        self.sign_in_limits = SignInLimits()
        self._db = db
        self._dev = settings.dev
        self._signer = TokenSigner(secret)
        self._remembered: dict[bytes, tuple[Caller, float]] = {}
        self._asking: dict[bytes, tuple[asyncio.Task[Caller], float]] = {}
        self._news = asyncio.Event()

    def known(self, credential: bytes) -> Caller | None:
        """Who calls with a key or token, if the database said so within the last second; None means: ask."""
        found = self._remembered.get(credential)
        if found is None or time.monotonic() >= found[1]:
            return None
        return found[0]

    async def identify(self, headers: Sequence[tuple[bytes, bytes]], *, bearer_only: bool = False) -> Caller:
        """Who sent these headers. A bearer token goes before an API key; `bearer_only` ignores the key.

        Raises:
            UnauthorizedError: no credential, or one that is unknown, revoked, signed out or expired.
        """
        credential = find_credential(headers, bearer_only=bearer_only)
        return self.known(credential) or await self._ask_once(credential)

    def forget(self) -> None:
        """Some credential may be worth less than it was: ask the database anew, and wake who reads on."""
        self._remembered.clear()
        self._asking.clear()
        self._tell()

    @property
    def news(self) -> asyncio.Event:
        """Set as soon as a credential may have changed that was looked up after this was taken."""
        return self._news

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def sign_in(self, subject: str) -> str:
        """A token for a user's or a key's id."""
        return await sign_in.sign_in(self._db, self._signer, subject)

    async def sign_out(self, headers: Sequence[tuple[bytes, bytes]]) -> None:
        """Refuse the bearer token from now on: here at once, on other servers within a second.

        Raises:
            UnauthorizedError: there is none, or it was not signed here. One that has ended already is fine.
        """
        credential = find_credential(headers, bearer_only=True)
        await sign_in.sign_out(self._db, self._signer.read(credential))
        self._remembered.pop(credential, None)
        self._asking.pop(credential, None)

    async def _ask_once(self, credential: bytes) -> Caller:
        """Share a question that is under way, unless it is so old that its answer may be, too."""
        now = time.monotonic()
        task, until = self._asking.get(credential, (None, now))
        if task is None or now >= until:
            until = now + REMEMBERED_SECONDS
            task = asyncio.create_task(self._ask(credential, until), name="actae identify")
            self._asking[credential] = (task, until)
        # A caller who goes away must not take the answer from the others.
        return await asyncio.shield(task)

    async def _ask(self, credential: bytes, until: float) -> Caller:
        try:
            caller = await self._look_up(credential)
        except UnauthorizedError:
            if self._remembered.pop(credential, None) is not None:  # it was good
                self._tell()
            raise
        finally:
            latest, _ = self._asking.get(credential, (None, until))
            is_latest = latest is asyncio.current_task()
            if is_latest:
                del self._asking[credential]
        if is_latest:
            self._remember(credential, caller, until)
        return caller

    def _remember(self, credential: bytes, caller: Caller, until: float) -> None:
        before = self._remembered.pop(credential, None)
        if before is not None and before[0].permissions != caller.permissions:
            self._tell()
        self._remembered[credential] = (caller, until)
        if len(self._remembered) > REMEMBERED_MAX:
            del self._remembered[next(iter(self._remembered))]

    async def _look_up(self, credential: bytes) -> Caller:
        """A token has dots in it, a key has none."""
        if b"." in credential:
            token = await sign_in.check_token(self._db, self._signer, credential)
            caller = await self._look_up_subject(token.subject)
            return msgspec.structs.replace(caller, auth_method="jwt", expires_at=token.expires_at)
        if credential != _DEV_KEY:
            return await api_keys.identify_key(self._db, credential)
        if not self._dev:
            raise UnauthorizedError("The development key is good in dev mode only.")
        return DEV_CALLER

    async def _look_up_subject(self, subject: str) -> Caller:
        if subject == DEV_CALLER.key_id and self._dev:
            return DEV_CALLER
        if subject.startswith("key_"):
            return await api_keys.identify_key_id(self._db, subject)
        return await accounts.identify_user(self._db, subject)


async def wait_for_news(news: asyncio.Event, seconds: float) -> None:
    """Return when there is some, or after so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await news.wait()


def find_credential(headers: Sequence[tuple[bytes, bytes]], *, bearer_only: bool = False) -> bytes:
    """The credential to go by. Where it stands does not matter otherwise: a key may come as a bearer token.

    Raises:
        UnauthorizedError: there is none.
    """
    api_key = b""
    for name, value in headers:
        if name == b"authorization" and value[:7].lower() == b"bearer ":
            return value[7:].strip()
        if name == b"x-api-key":
            api_key = value
    if bearer_only or not api_key:
        wanted = "bearer token" if bearer_only else "API key"
        raise UnauthorizedError(f"The request carries no {wanted}.")
    return api_key
