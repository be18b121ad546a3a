"""A browser, and a server that holds the story."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from actae_client import SyncActaeClient
from tests.console.story import Story, tell
from tests.support.postgres import Clock, TestPostgres
from tests.support.server import RunningServer

T = TypeVar("T")

CHROMIUM_FLAGS = [
    "--no-sandbox",  # the tests also run as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
SLOW_MACHINE_MS = 20_000


def find_chromium() -> str | None:
    """ACTAE_CHROMIUM, or what the system has."""
    named = os.environ.get("ACTAE_CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium without a window; where there is none, the tests are seen to be skipped.

    While it is open it holds this thread's event loop, so it must be gone before the next module's tests.
    """
    executable = find_chromium()
    if executable is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium; or set ACTAE_CHROMIUM)")
    expect.set_options(timeout=SLOW_MACHINE_MS)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        yield launched
        launched.close()


class Console:
    """A server with the story in it."""

    def __init__(self, server: RunningServer, story: Story, clock: Clock) -> None:
        self.server = server
        self.story = story
        self.clock = clock

    @contextmanager
    def client(self) -> Iterator[SyncActaeClient]:
        """Somebody who writes while the browser looks."""
        with SyncActaeClient(endpoint=self.server.url, api_key=self.server.api_key) as client:
            yield client

    def restart(self) -> None:
        """Another process at the same place, after this one was killed."""
        killed, port = self.server, int(self.server.url.rpartition(":")[2])
        self.server = RunningServer(killed.database_url, port=port)
        killed.discard()


def aside(do: Callable[[], T]) -> T:
    """In another thread: what runs an event loop of its own cannot do so beside the browser's."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(do).result()


@contextmanager
def story_told(postgres: TestPostgres) -> Iterator[Console]:
    """A server of one's own, with a fresh story."""
    dsn = aside(postgres.fresh_database)
    server = RunningServer(dsn, environment={"ACTAE_RETENTION_SWEEP_SECONDS": "0"})
    clock = Clock(dsn)
    with SyncActaeClient(endpoint=server.url, api_key=server.api_key) as client:
        told = Console(server, tell(client, clock), clock)
    yield told
    assert told.server.stop() == 0
    aside(lambda: postgres.drop_database(dsn))


@pytest.fixture(scope="module")
def console(postgres: TestPostgres) -> Iterator[Console]:
    """For tests that look, or that change what no other test looks at."""
    with story_told(postgres) as told:
        yield told


@pytest.fixture
def own_console(postgres: TestPostgres) -> Iterator[Console]:
    """For tests that decide something, or stop the server."""
    with story_told(postgres) as told:
        yield told


class Visitor:
    """One browser window with its own cookies, which notices what must never happen."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.url = url
        self.page: Page = context.new_page()
        self.page.set_default_timeout(SLOW_MACHINE_MS)
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda said: self._hear(said.type, said.text))
        self.page.on(
            "request", lambda asked: None if asked.url.startswith(url) else self.foreign.append(asked.url)
        )

    def _hear(self, kind: str, text: str) -> None:
        # A status that is no 200 is told as an error too; those are the pages' business.
        if kind == "error" and "Failed to load resource" not in text and "ERR_" not in text:
            self.complaints.append(text)

    def go(self, path: str) -> Page:
        """Open a page of the console."""
        self.page.goto(self.url + path)
        return self.page

    def enter(self, api_key: str, path: str = "/") -> Page:
        """Signed in already, as one is who comes by a link."""
        signed_in = self.page.context.request.post(
            f"{self.url}/api/v1/console/session", data={"api_key": api_key}, headers={"origin": self.url}
        )
        assert signed_in.ok, signed_in.text()
        page = self.go(path)
        expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
        return page

    def sign_in(self, api_key: str, path: str = "/") -> Page:
        """With an API key, as a person would."""
        page = self.go(path)
        page.get_by_label("API key").fill(api_key)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
        return page


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visitor]]:
    """Opens windows; none of them may have met a defect or asked another host."""
    contexts: list[BrowserContext] = []
    visitors: list[Visitor] = []

    def open_window(console: Console, **options: object) -> Visitor:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})  # type: ignore[arg-type]
        visitor = Visitor(context, console.server.url)
        contexts.append(context)
        visitors.append(visitor)
        return visitor

    yield open_window
    for context in contexts:
        context.close()
    for visitor in visitors:
        assert visitor.complaints == []
        assert visitor.foreign == []
