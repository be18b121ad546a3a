"""Sign-in tokens: JWTs that name who signed in, and nothing of what they may do.

Permissions are looked up whenever a token is used, so that a change reaches tokens that are out already.
"""

from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Final, NamedTuple
from uuid import UUID, uuid4

from actae.domain.errors import UnauthorizedError

TOKEN_SECONDS: Final = 12 * 3600

_ALGORITHM = "HS256"


class SignInToken(NamedTuple):
    """What a token says. `subject` is a user's id or a key's."""

    subject: str
    token_id: str
    expires_at: datetime


class TokenSigner:
    """Makes tokens and reads them again. All servers of a database share the secret, so each reads all."""

    def __init__(self, secret: bytes) -> None:
        self._key = blake2b(secret, digest_size=32, person=b"actae sign-in").digest()

    def sign(self, subject: str, *, now: datetime) -> str:
        """A new token, good for TOKEN_SECONDS."""
        import jwt

        expires_at = now + timedelta(seconds=TOKEN_SECONDS)
        times = {"iat": int(now.timestamp()), "exp": int(expires_at.timestamp())}
        return jwt.encode({"sub": subject, "jti": str(uuid4()), **times}, self._key, algorithm=_ALGORITHM)

    def read(self, token: bytes) -> SignInToken:
        """What a token says. Whether it is too old or signed out is for the database to judge.

        Raises:
            UnauthorizedError: this installation has not signed it.
        """
        import jwt

        try:
            claims = jwt.decode(
                token,
                self._key,
                algorithms=[_ALGORITHM],
                options={"require": ["sub", "jti", "iat", "exp"], "verify_exp": False, "verify_iat": False},
            )
            return SignInToken(
                claims["sub"], str(UUID(claims["jti"])), datetime.fromtimestamp(claims["exp"], UTC)
            )
        except (jwt.InvalidTokenError, ValueError, TypeError, OverflowError):
            raise UnauthorizedError("The token was not signed by this server.") from None
