"""The console's session: a cookie that names the caller where no header does, for pages of this server only.

A browser sends a cookie along with whatever any page asks for, so the cookie alone proves nothing: the
request must also come from a page of the same origin. Browsers say so in `Sec-Fetch-Site`; older ones, and
all of them over plain HTTP to another machine, only in `Origin`, which no page can forge.
"""

from collections.abc import Sequence
from typing import Any, Final

from actae.domain.access_errors import CrossSiteRequestError

SESSION_COOKIE: Final = "actae_session"

_NAME = SESSION_COOKIE.encode()
_SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
_DEFAULT_PORTS: Final = {b"http": b":80", b"https": b":443"}

Header = tuple[bytes, bytes]
Headers = Sequence[Header]


def admit_session(scope: Any) -> None:
    """Let the cookie's token stand among the headers as a bearer token, where they hold no credential.

    Whoever looks at the headers later, as a stream that goes on does, finds it there.

    Raises:
        CrossSiteRequestError: it would count, but the request is not from a page of this server.
    """
    headers = scope["headers"]
    token = session_token(headers)
    if token is not None and not _has_credential(headers):
        require_own_origin(scope)
        headers.insert(0, bearer(token))


def require_own_origin(scope: Any) -> None:
    """Raise CrossSiteRequestError unless a page of this server has sent this, or for a GET, the user has."""
    headers = scope["headers"]
    site, origin = _value(headers, b"sec-fetch-site"), _value(headers, b"origin")
    is_safe = scope["method"] in _SAFE_METHODS
    if site is not None:
        is_own = site == b"same-origin" or (is_safe and site == b"none")
    elif origin is not None:
        is_own = origin.lower() == _own_origin(scope)
    else:
        is_own = is_safe
    if not is_own:
        raise CrossSiteRequestError


def session_token(headers: Headers) -> bytes | None:
    """What the cookie holds."""
    for name, value in headers:
        if name == b"cookie":
            for pair in value.split(b";"):
                key, _, token = pair.strip().partition(b"=")
                if key == _NAME and token:
                    return token
    return None


def bearer(token: bytes) -> Header:
    """The header that says the same as the cookie."""
    return b"authorization", b"Bearer " + token


def session_cookie(token: str, asked: Headers, *, seconds: int) -> Header:
    """The header that keeps a token in the browser for so long; with no token and 0 seconds, forgets it."""
    secure = "; Secure" if _is_https(asked) else ""
    cookie = f"{SESSION_COOKIE}={token}; Max-Age={seconds}; Path=/; HttpOnly; SameSite=Strict{secure}"
    return b"set-cookie", cookie.encode()


def _has_credential(headers: Headers) -> bool:
    return any(
        (name == b"x-api-key" and value) or (name == b"authorization" and value[:7].lower() == b"bearer ")
        for name, value in headers
    )


def _is_https(headers: Headers) -> bool:
    """As the browser sees it. The server itself speaks plain HTTP; a proxy in front may not."""
    origin = _value(headers, b"origin") or b""
    return _forwarded_scheme(headers) == b"https" or origin.lower().startswith(b"https:")


def _own_origin(scope: Any) -> bytes:
    headers = scope["headers"]
    scheme = _forwarded_scheme(headers) or scope["scheme"].encode()
    host = (_value(headers, b"host") or b"").lower().removesuffix(_DEFAULT_PORTS.get(scheme, b""))
    return bytes(scheme + b"://" + host)


def _forwarded_scheme(headers: Headers) -> bytes:
    """What the outermost proxy was asked by."""
    return (_value(headers, b"x-forwarded-proto") or b"").partition(b",")[0].strip().lower()


def _value(headers: Headers, wanted: bytes) -> bytes | None:
    return next((value for name, value in headers if name == wanted), None)
