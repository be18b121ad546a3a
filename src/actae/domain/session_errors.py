"""The error of the console's sessions. `errors.py` shows where it stands among the others."""

from actae.domain.errors import AccessError


class CrossSiteRequestError(AccessError):
    """A session's cookie came along, but nothing shows that a page of this server sent the request."""

    code = "cross_site_request"
    hint = "Programs send an API key in the x-api-key header instead of a cookie."

    def __init__(self) -> None:
        super().__init__("A session counts only for requests from this server's own pages.")
