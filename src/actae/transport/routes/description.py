"""The description of the API, for programs and for people. Made at the first request, then kept."""

from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final

import msgspec

from actae.transport.endpoint import Text
from actae.transport.route import Asked, Route
from actae.transport.services import Services

# The page holds no script and loads nothing but its own style sheet.
_PAGE_HEADERS: Final = (
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


async def get_document(_services: Services, _asked: Asked) -> Text:
    """The API as an OpenAPI 3.1 document."""
    return Text(msgspec.json.encode(_document()), b"application/json")


async def get_page(_services: Services, _asked: Asked) -> Text:
    """The API as a page."""
    return Text(_page(), b"text/html; charset=utf-8", _PAGE_HEADERS)


async def get_style(_services: Services, _asked: Asked) -> Text:
    """The style sheet of that page."""
    return Text(_style(), b"text/css; charset=utf-8", _PAGE_HEADERS)


@cache
def _document() -> dict[str, Any]:
    # Here, because the list of all routes holds those of this file, and because starting must be quick.
    from actae.transport.openapi import describe
    from actae.transport.routes.all import ROUTES as ALL

    return describe(ALL)


@cache
def _page() -> bytes:
    from actae.transport.openapi import render_page

    return render_page(_document(), style_url="docs/page.css", document_url="openapi.json").encode()


@cache
def _style() -> bytes:
    return files("actae.transport.openapi").joinpath("page.css").read_bytes()


ROUTES = (
    Route(
        method="GET",
        path="/openapi.json",
        operation="description.document",
        summary="This description for programs",
        handler=get_document,
        auth="none",
        prefix="",
    ),
    Route(
        method="GET",
        path="/docs",
        operation="description.page",
        summary="This description for people",
        handler=get_page,
        reply=Annotated[Text, "text/html"],
        auth="none",
        prefix="",
    ),
    Route(
        method="GET",
        path="/docs/page.css",
        operation="description.style",
        summary="The page's style sheet",
        handler=get_style,
        reply=Annotated[Text, "text/css"],
        auth="none",
        prefix="",
    ),
)
