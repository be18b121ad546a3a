"""Take the pictures of the console that the documentation shows: each page, light and dark, wide and narrow.

python tools/console_pictures.py [FOLDER]     FOLDER is docs/console
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from actae_client import SyncActaeClient  # noqa: E402
from tests.console.conftest import CHROMIUM_FLAGS, SLOW_MACHINE_MS, aside, find_chromium  # noqa: E402
from tests.console.story import Story, tell  # noqa: E402
from tests.support.postgres import Clock, running_postgres  # noqa: E402
from tests.support.server import RunningServer  # noqa: E402

SIZES = {"wide": {"width": 1280, "height": 860}, "narrow": {"width": 360, "height": 740}}
HEALTH_NEEDS_MS = 25_000  # two samples


def main() -> int:
    """Tell the story to a server, and look at it."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/console"
    executable = find_chromium()
    if executable is None:
        print("Chromium is not installed (Debian: apt-get install chromium; or set ACTAE_CHROMIUM)")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=SLOW_MACHINE_MS)
    with serving() as (server, story), sync_playwright() as playwright:
        api_key = make_keys(server)
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        for size in SIZES:
            for scheme in ("light", "dark"):
                take(browser, server.url, api_key, story, folder, size, scheme)
        browser.close()
    return 0


@contextmanager
def serving() -> Iterator[tuple[RunningServer, Story]]:
    """A server with the story in it."""
    with tempfile.TemporaryDirectory() as place, running_postgres(Path(place)) as postgres:
        dsn = aside(postgres.fresh_database)
        server = RunningServer(dsn)
        with SyncActaeClient(endpoint=server.url, api_key=server.api_key) as client:
            story = tell(client, Clock(dsn))
        try:
            yield server, story
        finally:
            server.stop()


def make_keys(server: RunningServer) -> str:
    """Some to look at, and the one to sign in with."""
    keys: dict[str, dict[str, list[str]]] = {
        "agents": {"read": ["order-*"], "write": ["order-*"]},
        "dashboard": {"observe": ["*"]},
        "Ada, on call": {"admin": ["*"]},
    }
    for name, permissions in keys.items():
        made = server.post("/keys", {"name": name, "permissions": permissions})
        assert made.status == 200, made.body
    api_key: str = made.body["api_key"]
    return api_key


def take(
    browser: Browser, url: str, api_key: str, story: Story, folder: Path, size: str, scheme: str
) -> None:
    """Every page once, in one window."""
    context = browser.new_context(viewport=SIZES[size], color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(SLOW_MACHINE_MS)

    def shoot(name: str) -> None:
        page.screenshot(path=folder / f"{name}-{scheme}-{size}.png")

    page.goto(url)
    expect(page.get_by_label("API key")).to_be_visible()
    shoot("sign-in")
    page.get_by_label("API key").fill(api_key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    for name, path in places(story).items():
        page.goto(url + path)
        settle(page)
        if name == "health":
            page.wait_for_timeout(HEALTH_NEEDS_MS)
        shoot(name)
    page.goto(url + places(story)["operation"])
    page.get_by_role("button", name="Resolve…").click()
    page.get_by_role("radio", name="It happened").check()
    page.get_by_role("button", name="Use what a worker reported").click()
    shoot("resolve")
    context.close()


def places(story: Story) -> dict[str, str]:
    """What is shown, by the name of its picture."""
    return {
        "runs": "/runs",
        "run": f"/runs/{story.open_run}?cursor=17",
        "state": f"/runs/{story.good_run}?view=state",
        "find": "/find?q=4471",
        "ledger": "/ledger",
        "operation": f"/operations/{story.open_charge}",
        "approvals": "/approvals",
        "forks": f"/forks/{story.fork}",
        "compare": f"/compare?left={story.good_run}&right={story.fork}",
        "keys": "/keys",
        "health": "/health",
    }


def settle(page: Page) -> None:
    """Wait until the page has what it asked for."""
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="Loading…")).to_have_count(0)
    page.wait_for_timeout(700)


if __name__ == "__main__":
    sys.exit(main())
