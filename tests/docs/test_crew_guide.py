"""What the guide on execution groups shows is so: its code runs from top to bottom."""

from collections.abc import Callable
from typing import Any

import pytest

from actae_client import ActaeClient
from tests.support.page_programs import AnyProvider, run_block
from tests.support.pages import ROOT, blocks
from tests.support.server import RunningServer

GUIDE = ROOT / "docs/guides/coordinate-agents.md"


async def test_the_guide_works_from_top_to_bottom(
    start_server: Callable[[], RunningServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On an empty server, so that even the cursors are those of the page."""
    server = start_server()
    monkeypatch.setenv("ACTAE_URL", server.url)
    monkeypatch.setenv("ACTAE_API_KEY", server.api_key)
    async with ActaeClient.from_env() as client:
        names: dict[str, Any] = {"client": client, "provider": AnyProvider()}
        for block in blocks(GUIDE, "python"):
            await run_block(block, names, channels={}, url=server.url)
    assert "branch" in names
