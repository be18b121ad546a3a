"""What is answered about the console's sessions and about API keys."""

from actae.domain.errors import AccessError, MissingError


class CrossSiteRequestError(AccessError):
    """A session's cookie came along, but nothing shows that a page of this server sent the request."""

    code = "cross_site_request"
    hint = "Programs send an API key in the x-api-key header instead of a cookie."

    def __init__(self) -> None:
        super().__init__("A session counts only for requests from this server's own pages.")


class KeyNotFoundError(MissingError):
    """There is no such API key, or the caller's `admin` patterns do not cover what it may do."""

    code = "key_not_found"
    hint = "GET /api/v1/keys lists those that you look after."

    def __init__(self, key_id: str) -> None:
        super().__init__(f"There is no API key {key_id!r} that this credential looks after.", key_id=key_id)
