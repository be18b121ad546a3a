"""The web console: its page, at every path that its own router knows, and the files that the page loads.

It is no part of the API, and its description leaves it out.
"""

from typing import Final

import msgspec

from actae.domain.errors import RouteNotFoundError
from actae.transport.console.built_files import INDEX, BuiltFile, built_files
from actae.transport.endpoint import Text
from actae.transport.route import Asked, Route
from actae.transport.services import Services

# What the console's router knows; each with everything below it.
PLACES: Final = (
    "/runs",
    "/find",
    "/ledger",
    "/operations",
    "/forks",
    "/compare",
    "/approvals",
    "/health",
    "/keys",
)

_POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    b"font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS: Final = (
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"vary", b"accept-encoding"),
)
_LOOK_AGAIN: Final = (b"cache-control", b"no-cache")
_FOR_EVER: Final = (b"cache-control", b"public, max-age=31536000, immutable")  # the name holds a digest

_NOT_BUILT: Final = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Actae</title>
<h1>The console is not built</h1>
<p>This server runs from a checkout without the built pages. Build them with <code>make console</code>, which
needs Node 20 or newer, and start the server again. An installed Actae has them.
<p>The API works without them, and <a href="/docs">describes itself</a>.
</html>
"""


async def get_page(_services: Services, asked: Asked) -> Text:
    """The console. Its own router finds the place."""
    page = built_files().get(INDEX)
    if page is None:
        return Text(_NOT_BUILT, b"text/html; charset=utf-8", (*_HEADERS, _LOOK_AGAIN), status=404)
    return _reply(page, asked, _LOOK_AGAIN)


async def get_page_of_nowhere(services: Services, asked: Asked) -> Text:
    """The console where there is nothing: it says so in its own words. The status is still 404."""
    page = await get_page(services, asked)
    return page if page.status == 304 else msgspec.structs.replace(page, status=404)


async def get_asset(_services: Services, asked: Asked) -> Text:
    """A script or style of the console.

    Raises:
        RouteNotFoundError: an earlier or a later version has it, perhaps.
    """
    return _reply(_find(f"assets/{asked.path['name']}"), asked, _FOR_EVER)


async def get_icon(_services: Services, asked: Asked) -> Text:
    """The console's icon.

    Raises:
        RouteNotFoundError
    """
    return _reply(_find("icon.svg"), asked, _LOOK_AGAIN)


def _find(path: str) -> BuiltFile:
    found = built_files().get(path)
    if found is None:
        raise RouteNotFoundError(f"There is no file /{path[:300]}.")
    return found


def _reply(file: BuiltFile, asked: Asked, caching: tuple[bytes, bytes]) -> Text:
    content, etag = file.content, file.etag
    encoding: tuple[tuple[bytes, bytes], ...] = ()
    if file.compressed is not None and _takes_gzip(_header(asked, b"accept-encoding")):
        content, etag = file.compressed, file.compressed_etag
        encoding = ((b"content-encoding", b"gzip"),)
    headers = (*_HEADERS, caching, (b"etag", etag))
    if _names(_header(asked, b"if-none-match"), etag):
        return Text(b"", file.content_type, headers, status=304)
    return Text(content, file.content_type, (*headers, *encoding))


def _header(asked: Asked, wanted: bytes) -> bytes:
    return b",".join(value for name, value in asked.headers if name == wanted)


def _takes_gzip(accepted: bytes) -> bool:
    """Whether the encoding is named and not refused by `q=0`."""
    for each in accepted.lower().split(b","):
        name, _, quality = each.replace(b" ", b"").partition(b";")
        if name in {b"gzip", b"*"}:
            return not quality.startswith(b"q=0") or bool(quality[3:].strip(b".0"))
    return False


def _names(tags: bytes, etag: bytes) -> bool:
    """Whether a list of tags holds this one; whoever has either form has the file."""
    return any(each.strip().removeprefix(b"W/") in {etag, b"*"} for each in tags.split(b","))


_PAGES = ("/", *PLACES, *(f"{place}/{{rest:path}}" for place in PLACES))

# For browsers, where no other route is.
NOWHERE = Route(
    method="GET",
    path="/{rest:path}",
    operation="console.page",
    summary="The web console, where there is nothing",
    handler=get_page_of_nowhere,
    auth="none",
    prefix="",
)

ROUTES = (
    *(
        Route(
            method="GET",
            path=path,
            operation="console.page",
            summary="The web console",
            handler=get_page,
            auth="none",
            prefix="",
        )
        for path in _PAGES
    ),
    Route(
        method="GET",
        path="/assets/{name}",
        operation="console.asset",
        summary="A script or style of the console",
        handler=get_asset,
        auth="none",
        prefix="",
    ),
    Route(
        method="GET",
        path="/icon.svg",
        operation="console.icon",
        summary="The console's icon",
        handler=get_icon,
        auth="none",
        prefix="",
    ),
)
