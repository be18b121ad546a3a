"""The published description of the API: an OpenAPI 3.1 document, and a page that shows it."""

from actae.transport.openapi.document import describe
from actae.transport.openapi.page import render_page

__all__ = ["describe", "render_page"]
