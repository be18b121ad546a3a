"""The console's files, as a browser gets them."""

import gzip
import http.client
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import actae.transport.console
from actae.transport.console import built_files as console
from actae.transport.route import Asked
from actae.transport.routes import console as routes
from actae.transport.routes.console import PLACES
from tests.support.server import Reply, RunningServer

STATIC = Path(actae.transport.console.__path__[0]) / "static"
ASSETS = sorted(file.name for file in STATIC.glob("assets/*"))


def fetch(server: RunningServer, path: str, **headers: str) -> Reply:
    """As a browser would, without a credential."""
    sent = {
        "accept-encoding": "identity",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    answer = server.pool.request("GET", server.url + path, headers=sent, decode_content=False)
    return Reply(answer.status, answer.data, answer.headers)


@pytest.mark.parametrize("path", ["/", *PLACES, "/runs/run-1", "/runs/a:b/deep/er", "/keys/"])
def test_every_place_of_the_console_is_the_page(server: RunningServer, path: str) -> None:
    """Its own router finds the place; a reload must not be a 404."""
    reply = fetch(server, path)
    assert reply.status == 200
    assert reply.body == (STATIC / "index.html").read_bytes()
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert reply.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "path", ["/run", "/runsx", "/assets/none.js", "/assets/../index.html", "/index.html"]
)
def test_other_paths_are_answered_as_the_api_does(server: RunningServer, path: str) -> None:
    """In JSON, whatever stands there."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert (answer.status, answer.headers["content-type"]) == (404, "application/json")
    assert b'"not_found"' in answer.read()
    connection.close()


@pytest.mark.parametrize("path", ["/run", "/approvalz", "/index.html"])
def test_a_browser_gets_a_page_where_there_is_nothing(server: RunningServer, path: str) -> None:
    """The console says so; below /api everybody is answered in JSON."""
    reply = server.request("GET", path, headers={"accept": "text/html,*/*"}, api_key=None)
    assert (reply.status, reply.headers["content-type"]) == (404, "text/html; charset=utf-8")
    reply = server.request("GET", f"/api{path}", headers={"accept": "text/html,*/*"}, api_key=None)
    assert (reply.status, reply.body["status"]) == (404, "not_found")


def test_what_stood_at_the_root_before_still_does(server: RunningServer) -> None:
    """The description, the metrics, health."""
    for path in ("/docs", "/docs/page.css", "/openapi.json", "/healthz", "/readyz", "/metrics"):
        assert server.request("GET", path).status == 200


def test_the_page_may_load_nothing_from_elsewhere_and_run_nothing_inline(server: RunningServer) -> None:
    """And no other site may frame it, or learn where one was."""
    headers = fetch(server, "/").headers
    policy = dict(each.strip().split(" ", 1) for each in headers["content-security-policy"].split(";"))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "font-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


class _Inline(HTMLParser):
    """What the policy would not let a page have."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect."""
        names = {name for name, _ in attrs}
        self.found += [name for name in names if name == "style" or name.startswith("on")]
        if tag == "style" or (tag == "script" and "src" not in names):
            self.found.append(tag)


def test_the_built_page_keeps_to_its_policy() -> None:
    """No inline script, no style in it."""
    page = _Inline()
    page.feed((STATIC / "index.html").read_text("utf-8"))
    assert page.found == []


@pytest.mark.parametrize("accepted", ["gzip", "gzip, deflate, br", "br;q=1, GZIP;q=0.5", "*"])
def test_who_takes_gzip_gets_it(server: RunningServer, accepted: str) -> None:
    """Where it is smaller; with a tag of its own."""
    for path, file in _files():
        plain = fetch(server, path)
        reply = fetch(server, path, accept_encoding=accepted)
        assert reply.headers["vary"] == "accept-encoding"
        assert reply.headers["content-length"] == str(len(reply.body))
        if len(gzip.compress(file)) >= len(file):
            assert "content-encoding" not in reply.headers
            continue
        assert reply.headers["content-encoding"] == "gzip"
        assert gzip.decompress(reply.body) == plain.body == file
        assert reply.headers["etag"] != plain.headers["etag"]


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0", "gzip; q=0.0"])
def test_who_does_not_gets_it_plain(server: RunningServer, accepted: str) -> None:
    """Byte for byte."""
    for path, file in _files():
        reply = fetch(server, path, accept_encoding=accepted)
        assert "content-encoding" not in reply.headers
        assert reply.body == file


def test_who_has_it_already_is_told_so(server: RunningServer) -> None:
    """By the tag, weak or strong, one of several."""
    for path, _ in _files():
        for encoding in ("identity", "gzip"):
            etag = fetch(server, path, accept_encoding=encoding).headers["etag"]
            for tags in (etag, f"W/{etag}", f'"other", {etag}', "*"):
                reply = fetch(server, path, accept_encoding=encoding, if_none_match=tags)
                assert (reply.status, reply.body) == (304, b"")
                assert reply.headers["etag"] == etag
            assert fetch(server, path, if_none_match='"other"').status == 200


def test_head_says_what_get_would(server: RunningServer) -> None:
    """Without a body."""
    for path, file in _files():
        answer = server.pool.request("HEAD", server.url + path)
        assert (answer.status, answer.data) == (200, b"")
        assert answer.headers["content-length"] == str(len(file))


def test_assets_are_kept_for_ever(server: RunningServer) -> None:
    """Their names hold a digest; a page that asks for an old one gets no new one."""
    for name in ASSETS:
        kind = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}.get(
            name.split(".")[-1]
        )
        reply = fetch(server, f"/assets/{name}")
        assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert kind in (None, reply.headers["content-type"])


@pytest.mark.parametrize("accepted", [b"gzip", b""])
async def test_assets_as_a_build_leaves_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accepted: bytes
) -> None:
    """Read once; the files that are only for us are not served."""
    (tmp_path / "static/assets").mkdir(parents=True)
    (tmp_path / "static/index.html").write_text("<!doctype html>")
    (tmp_path / "static/digests.txt").write_text("0")
    (tmp_path / "static/assets/page-1.js").write_bytes(b"x" * 1_000)
    monkeypatch.setattr(console, "files", lambda _package: tmp_path)
    read = console.built_files.__wrapped__()
    assert set(read) == {"index.html", "assets/page-1.js"}
    monkeypatch.setattr(routes, "built_files", lambda: read)
    asked = Asked(None, {"name": "page-1.js"}, None, None, [(b"accept-encoding", accepted)], "", None)  # type: ignore[arg-type]
    reply = await routes.get_asset(None, asked)  # type: ignore[arg-type]
    assert (b"content-encoding", b"gzip") in reply.headers or not accepted
    assert (gzip.decompress(reply.content) if accepted else reply.content) == b"x" * 1_000
    assert (b"cache-control", b"public, max-age=31536000, immutable") in reply.headers


async def test_a_checkout_without_the_built_pages_says_how_to_build_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A person reads it; a program sees that there is no page."""
    monkeypatch.setattr(routes, "built_files", dict)
    asked = Asked(None, {}, None, None, [], "", None)  # type: ignore[arg-type]
    reply = await routes.get_page(None, asked)  # type: ignore[arg-type]
    assert reply.status == 404
    assert b"make console" in reply.content


def _files() -> list[tuple[str, bytes]]:
    """Some paths, and what is in the files."""
    found = [("/", (STATIC / "index.html").read_bytes())]
    return found + [(f"/assets/{name}", (STATIC / "assets" / name).read_bytes()) for name in ASSETS[:3]]


def test_the_server_and_the_pages_know_the_same_places() -> None:
    """What the router in the browser knows may be reloaded, and nothing else is taken for a page."""
    sources = Path(__file__).parents[2] / "console/src/app.tsx"
    routed = re.findall(r'<Route path="(/[a-z]+)', sources.read_text("utf-8"))
    assert set(routed) == set(PLACES)
