"""Every page: reachable for everybody, light, narrow enough for a phone, and closed to other hosts."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.console.conftest import Console, Visitor

Visit = Callable[..., Visitor]

PAGE_BYTES_MAX = 100_000
PHONE_PIXELS = 360

PAGES: dict[str, Callable[[Console], str]] = {
    "runs": lambda _: "/runs",
    "run": lambda it: f"/runs/{it.story.open_run}?cursor=15",
    "state": lambda it: f"/runs/{it.story.good_run}?view=state",
    "effects": lambda it: f"/runs/{it.story.good_run}?view=effects",
    "find": lambda _: "/find?q=4471",
    "ledger": lambda _: "/ledger",
    "operation": lambda it: f"/operations/{it.story.open_charge}",
    "approvals": lambda _: "/approvals",
    "forks": lambda it: f"/forks/{it.story.good_run}",
    "compare": lambda it: f"/compare?left={it.story.good_run}&right={it.story.fork}",
    "health": lambda _: "/health",
    "keys": lambda _: "/keys",
}


def settle(page: Page) -> None:
    """Wait until the page has what it asked for; streams and refreshes go on."""
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="Loading…")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_use_a_page_on_a_desk_and_on_a_phone(
    console: Console, visit: Visit, name: str, scheme: str
) -> None:
    page = visit(console, color_scheme=scheme).enter(console.server.api_key, PAGES[name](console))
    settle(page)
    _no_violations(page)
    page.set_viewport_size({"width": PHONE_PIXELS, "height": 740})
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => done(true)))")
    width = page.evaluate("document.scrollingElement.scrollWidth")
    assert width <= PHONE_PIXELS, f"{name} is {width} pixels wide"
    _no_violations(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_at_the_door(console: Console, visit: Visit, scheme: str) -> None:
    page = visit(console, color_scheme=scheme).go("/")
    expect(page.get_by_label("API key")).to_be_visible()
    _no_violations(page)


def _no_violations(page: Page) -> None:
    found = Axe().run(page)
    told = [
        f"{each['id']}: {node['html'][:160]}"
        for each in found.response["violations"]
        for node in each["nodes"]
    ]
    assert told == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_weighs_less_than_100_kilobytes(console: Console, visit: Visit, name: str) -> None:
    """All that a first visit loads, but for the data."""
    visitor = visit(console)
    asked: set[str] = set()
    visitor.page.on("request", lambda request: asked.add(request.url))
    page = visitor.enter(console.server.api_key, PAGES[name](console))
    settle(page)
    files = [url for url in asked if "/api/" not in url]
    weights = {url: len(gzip.compress(page.context.request.get(url).body())) for url in files}
    assert len(weights) >= 3
    assert sum(weights.values()) < PAGE_BYTES_MAX, weights


def test_the_policy_of_the_page_forbids_foreign_and_inline_code(console: Console) -> None:
    reply = console.server.request("GET", "/", api_key=None)
    policy = reply.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def test_a_script_in_a_payload_is_text(console: Console, visit: Visit) -> None:
    """What agents write is shown, and never run."""
    attack = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    with console.client() as client:
        client.record("hostile-run", "note", {"html": attack, attack: 1}, actor=attack[:60])
    page = visit(console).enter(console.server.api_key, "/runs/hostile-run?cursor=1")
    expect(page.get_by_role("article", name="Event at cursor 1")).to_contain_text("onerror")
    assert page.title() != "owned"
