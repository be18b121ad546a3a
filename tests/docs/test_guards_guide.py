"""What the guide on guards shows is so: code, printed lines and commands, in the order of the page."""

from collections.abc import Callable

import pytest

from tests.support.page_programs import run_dialogue
from tests.support.pages import ROOT
from tests.support.server import RunningServer


async def test_the_guide_works_from_top_to_bottom(
    start_server: Callable[[], RunningServer],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On a server of its own: its guards look at nobody else's claims."""
    server = start_server()
    monkeypatch.setenv("ACTAE_URL", server.url)
    monkeypatch.setenv("ACTAE_API_KEY", server.api_key)
    await run_dialogue(ROOT / "docs/guides/guard-your-tools.md", server, lambda: capsys.readouterr().out)
