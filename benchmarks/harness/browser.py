"""A real browser that opens pages of the console and says when there was something to see."""

from __future__ import annotations

import os
import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Browser, sync_playwright

from benchmarks.harness.answers import BenchmarkError, Sample
from benchmarks.harness.server import Server

FLAGS = (
    "--no-sandbox",  # benchmarks also run as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
SHOWN_WITHIN_MS = 60_000

# The frame after the one in which the element came is the first that shows it.
_WATCH = """
    window.shownAt = null;
    const look = () => {
        if (!document.querySelector(SELECTOR)) requestAnimationFrame(look);
        else requestAnimationFrame(() => { window.shownAt = performance.now(); });
    };
    requestAnimationFrame(look);
"""

_WAIT = """
    limit => new Promise(resolve => {
        const look = () => {
            if (window.shownAt !== null || performance.now() > limit) resolve(window.shownAt);
            else setTimeout(look, 5);
        };
        look();
    })
"""


@dataclass(frozen=True, kw_only=True)
class Visits:
    """A page, and what has to be seen of it (a CSS selector)."""

    path: str
    shows: str


@dataclass(frozen=True)
class Visitor:
    """Chromium, without a window."""

    browser: Browser

    def visit(self, server: Server, page: Visits, count: int) -> Sample:
        """So many times, each with a cache of its own."""
        began_at = time.perf_counter()
        shown = [self._once(server, page) for _ in range(count)]
        return Sample(
            per_second=count / (time.perf_counter() - began_at),
            p50_ms=statistics.median(shown),
            p99_ms=max(shown),
        )

    def _once(self, server: Server, page: Visits) -> float:
        context = self.browser.new_context(viewport={"width": 1280, "height": 900})
        try:
            signed_in = context.request.post(
                f"{server.url}/api/v1/console/session",
                data={"api_key": server.api_key},
                headers={"origin": server.url},
            )
            if not signed_in.ok:
                raise BenchmarkError(f"the console's sign-in answered {signed_in.status}: {signed_in.text()}")
            window = context.new_page()
            window.add_init_script(_WATCH.replace("SELECTOR", repr(page.shows)))
            window.goto(server.url + page.path, wait_until="commit")
            shown_at: float | None = window.evaluate(_WAIT, SHOWN_WITHIN_MS)
            if shown_at is None:
                raise BenchmarkError(f"{page.path} showed nothing that fits {page.shows!r}")
            return shown_at
        finally:
            context.close()


@contextmanager
def browsing() -> Iterator[Visitor]:
    """A browser for the block.

    Raises:
        BenchmarkError: there is none on this machine.
    """
    executable = os.environ.get("ACTAE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        raise BenchmarkError(
            "Chromium is not installed (Debian: apt-get install chromium; or set ACTAE_CHROMIUM)"
        )
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        try:
            yield Visitor(launched)
        finally:
            launched.close()
