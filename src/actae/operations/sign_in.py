"""Sign-in tokens: give them out, judge them, take them back."""

from actae.domain.errors import UnauthorizedError
from actae.domain.sign_in_tokens import SignInToken, TokenSigner
from actae.store import accounts as store
from actae.store.database import Database, Transaction, story
from actae.store.hints import tell_access_changed
from actae.store.instance import ping


async def sign_in(db: Database, signer: TokenSigner, subject: str) -> str:
    """A new token for a user's or a key's id."""
    return signer.sign(subject, now=await ping(db))


async def check_token(db: Database, signer: TokenSigner, text: bytes) -> SignInToken:
    """What a token says, if it is still good.

    Raises:
        UnauthorizedError: it was not signed here, was signed out, or has expired.
    """
    token = signer.read(text)
    standing = await store.get_token_standing(db, token.token_id)
    if token.expires_at <= standing.now:
        raise UnauthorizedError(f"The token expired at {token.expires_at:%Y-%m-%dT%H:%M:%SZ}. Log in again.")
    if standing.is_revoked:
        raise UnauthorizedError("The token was signed out. Log in again.")
    return token


@story
async def sign_out(tx: Transaction, token: SignInToken) -> None:
    """Refuse this token from now on; one that is signed out or expired already stays so."""
    await store.revoke_token(tx, token.token_id, token.expires_at)
    await store.forget_expired_tokens(tx)
    await tell_access_changed(tx)
